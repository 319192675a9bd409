#include "nn/training/hyper.h"

#include <gtest/gtest.h>

#include <string>

#include "nn/error.h"

namespace {

nn::Hyper plain() { return {.loss = {"cross_entropy", {}}, .optimizer = {"adam", {{"lr", 0.5}}}}; }

std::string error(const nn::Hyper& hyper) {
  try {
    (void)nn::complete(hyper);
  } catch (const nn::SpecError& e) {
    return e.field() + ": " + e.what();
  }
  return "no error";
}

TEST(Hyper, CompleteFillsWhatWasLeftOut) {
  const nn::Hyper h = nn::complete(plain());
  EXPECT_EQ(nn::real(h.optimizer.fields, "lr"), 0.5);
  EXPECT_EQ(nn::real(h.optimizer.fields, "beta2"), 0.999);
  EXPECT_EQ(nn::complete(h), h);
}

TEST(Hyper, WhatIsWrongIsNamed) {
  nn::Hyper h = plain();
  h.batch = 0;
  EXPECT_EQ(error(h), "batch: batch must be an integer at least 1, not 0");
  h = plain();
  h.shards = 65;
  EXPECT_EQ(error(h), "shards: shards must be at most batch (64), not 65");
  h = plain();
  h.optimizer.fields["lr"] = 0.0;
  EXPECT_EQ(error(h), "lr: optimizer adam: lr must be a number larger than 0, not 0");
  h.optimizer.fields = {{"momentum", 0.5}};
  EXPECT_EQ(error(h),
            "momentum: optimizer adam: adam has no field momentum; known: lr, beta1, beta2, "
            "epsilon or weight_decay");
}

TEST(Hyper, LossesKnowTheirTargets) {
  EXPECT_EQ(nn::target_kind("cross_entropy"), nn::TargetKind::labels);
  EXPECT_EQ(nn::target_kind("mse"), nn::TargetKind::numbers);
}

}  // namespace
