#include "hpo/importance/of_study.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hpo {
namespace {

const Space kPlane({{"x", FloatRange{0, 1}, {}}, {"y", FloatRange{0, 1}, {}}});

/// The first metric follows x, the second y, upwards; every tenth trial failed.
std::vector<TrialRow> trials() {
  std::vector<TrialRow> rows;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const double x = static_cast<double>(i * 73 % 200) / 200, y = static_cast<double>(i) / 200;
    rows.push_back({.trial = i,
                    .state = i % 10 == 0 ? TrialState::failed : TrialState::complete,
                    .value = x,
                    .params = {{"x", x}, {"y", y}},
                    .metrics = {{"loss", x}, {"speed", y}}});
  }
  return rows;
}

TEST(ImportanceOfAStudy, IsSaidOfEachMetric) {
  const Objective objective{.others = {{.name = "speed", .maximize = true}, {.name = "never"}}};
  const auto found = importances_of(kPlane, trials(), "loss", objective);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].metric, "loss");
  EXPECT_EQ(found[0].parameters.at(0).parameter, "x");
  EXPECT_EQ(found[0].parameters.at(0).trials, 180U);
  EXPECT_EQ(found[1].metric, "speed");
  EXPECT_EQ(found[1].parameters.at(0).parameter, "y");
  EXPECT_GT(found[1].parameters.at(0).share, 0.9);
  EXPECT_TRUE(found[2].parameters.empty()) << "no trial has that metric";
}

TEST(ImportanceOfAStudy, IsATableAndJson) {
  const Objective objective{.others = {{.name = "never"}}};
  const auto found = importances_of(kPlane, trials(), "loss", objective);
  const PlotData data = importance_data(found);
  EXPECT_EQ(data.columns, (std::vector<std::string>{"metric", "parameter", "share", "trials"}));
  EXPECT_EQ(data.rows.size(), 2U);
  const auto shares = nlohmann::json::parse(shares_json(found));
  EXPECT_EQ(shares.size(), 1U);
  EXPECT_EQ(shares["loss"]["x"].get<double>(), found[0].parameters.at(0).share);
}

}  // namespace
}  // namespace hpo
