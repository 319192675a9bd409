#include "nn/training/hyper.h"

#include <string>

#include "nn/error.h"

namespace nn {

Hyper complete(const Hyper& hyper) {
  Hyper out = hyper;
  out.loss.fields =
      complete(loss_kind(hyper.loss.kind), hyper.loss.fields, "loss " + hyper.loss.kind);
  out.optimizer.fields = complete(optimizer_kind(hyper.optimizer.kind), hyper.optimizer.fields,
                                  "optimizer " + hyper.optimizer.kind);
  const auto at_least_one = [](const char* name, std::int32_t value) {
    if (value >= 1) return;
    throw SpecError(
        -1, name,
        std::string(name) + " must be an integer at least 1, not " + std::to_string(value));
  };
  at_least_one("batch", hyper.batch);
  if (hyper.shards != 0) at_least_one("shards", hyper.shards);
  if (!(hyper.penalty.strength >= 0) || hyper.penalty.until < 0) {
    throw SpecError(-1, "", "a penalty's strength and end must not be negative");
  }
  if (!(hyper.clip >= 0) || hyper.augment.shift < 0 || hyper.augment.shift > kMostShift) {
    throw SpecError(
        -1, "",
        "clip must not be negative, and a shift be from 0 to " + std::to_string(kMostShift));
  }
  if (hyper.shards > hyper.batch) {
    throw SpecError(-1, "shards",
                    "shards must be at most batch (" + std::to_string(hyper.batch) + "), not " +
                        std::to_string(hyper.shards));
  }
  return out;
}

}  // namespace nn
