// Points that whoever asks brings along, where forbid leaves little.

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/hpo/ask/asking.h"

namespace hpo {
namespace {

constexpr const char* kChain =
    "method: random\n"
    "parameters:\n"
    "  w1: {min: 4, max: 1024}\n"
    "  w2: {min: 4, max: 1024}\n"
    "  w3: {min: 4, max: 1024}\n"
    "  w4: {min: 4, max: 1024}\n"
    "forbid: [{w2: {above: $w1}}, {w3: {above: $w2}}, {w4: {above: $w3}}]\n";

ParamValue number(std::int64_t value) { return value; }

class OwnValues : public testing::Test {
 protected:
  OwnValues()
      : spec_(parse_study(base::cat("name: asked\nmetric: {name: a, goal: minimize}\n", kChain),
                          "asked.yaml", folder_.path().string())),
        log_(folder_ / "run"),
        asked_(spec_, log_, adopt(log_, spec_, nullptr, folder_ / "run")) {}

  support::TempFolder folder_;
  StudySpec spec_;
  EventLog log_;
  AskedStudy asked_;
};

TEST_F(OwnValues, AreKeptWhereForbidLeavesLittle) {
  const Params small = asked_.ask("", {{"w1", number(16)}}).params;
  EXPECT_EQ(*small.find("w1"), number(16));
  EXPECT_EQ(spec_.space.reason_outside(small), "");
  EXPECT_EQ(asked_.enqueue({{"w1", number(64)}}, ""), std::nullopt);
  EXPECT_EQ(asked_.enqueue({{"w4", number(1024)}}, ""), std::nullopt);
  EXPECT_EQ(*asked_.ask("").params.find("w1"), number(64));
  EXPECT_EQ(*asked_.ask("").params.find("w3"), number(1024));
}

TEST_F(OwnValues, AreRefusedWhereForbidLeavesNothing) {
  const Params none{{"w1", number(16)}, {"w4", number(17)}};
  const auto refused = [](auto call) {
    try {
      (void)call();
      ADD_FAILURE();
    } catch (const base::Error& error) {
      EXPECT_STREQ(error.what(), "params: forbid excludes every point with these values");
    }
  };
  refused([&] { return asked_.ask("", none); });
  refused([&] { return asked_.enqueue(none, ""); });
  EXPECT_EQ(*asked_.ask("", {{"w1", number(16)}, {"w4", number(16)}}).params.find("w2"),
            number(16));
}

}  // namespace
}  // namespace hpo
