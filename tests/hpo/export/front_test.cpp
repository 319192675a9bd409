// Accuracy against cost of what adapting networks tried, as a table and as a picture.

#include "hpo/export/front.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hpo {
namespace {

Tried scored(const std::string& change, double flops, double loss, double accuracy, bool accepted) {
  return {.operations = "[]",
          .change = change,
          .shape = "4-2-3",
          .weights = 19,
          .inference_flops = flops,
          .loss = loss,
          .accuracy = accuracy,
          .accepted = accepted,
          .why = "why"};
}

Reported report(std::int64_t epochs, double flops, double loss, double accuracy) {
  return {.step = epochs,
          .epochs = epochs,
          .value = accuracy,
          .metrics = {{"valid.loss", loss}, {"valid.accuracy", accuracy}},
          .shape = "4-5-3",
          .weights = 43,
          .inference_flops = flops};
}

std::vector<FrontPoint> points() {
  const double nan = std::nan("");
  const std::vector<Adapted> rounds{
      {.grid = 4,
       .from = 3,
       .until = 4,
       .candidates = {scored("keep", 100, 0.5, 0.80, false),
                      scored("widen a by 2", 200, 0.4, 0.9, true),
                      scored("shrink a by 1", 50, 0.9, 0.6, false),
                      scored("widen b by 2", 200, 0.45, 0.85, false)}},
      {.grid = 4,
       .from = 6,
       .until = 6,
       .candidates = {scored("widen a by 2", 300, nan, nan, true)}}};
  const std::vector<Reported> reports{report(1, 200, 0.41, 0.88), report(2, 300, 0.2, 0.95)};
  std::vector<FrontPoint> out;
  append_points(out, 7, rounds, reports);
  return out;
}

TEST(Front, HasWhatNothingBeatsInBoth) {
  EXPECT_EQ(front_csv(points()),
            "trial,epoch,shape,weights,inference_flops,accuracy,loss\n"
            "7,1,4-2-3,19,50,0.6,0.9\n"
            "7,1,4-2-3,19,100,0.8,0.5\n"
            "7,1,4-2-3,19,200,0.9,0.4\n"
            "7,2,4-5-3,43,300,0.95,0.2\n");
}

TEST(Front, OfNumbersComparesLosses) {
  std::vector<FrontPoint> numbers = points();
  for (FrontPoint& point : numbers) point.accuracy = std::nan("");
  const std::vector<FrontPoint> front = front_of(numbers);
  ASSERT_EQ(front.size(), 4U);
  EXPECT_EQ(front[2].loss, 0.4);
  EXPECT_NE(front_csv(numbers).find("7,2,4-5-3,43,300,,0.2\n"), std::string::npos);
}

TEST(Front, ThePictureHasAPointForEachThatWasMeasured) {
  const std::string svg = front_svg(points());
  std::size_t circles = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos;
       at = svg.find("<circle", at + 1))
    ++circles;
  EXPECT_EQ(circles, 6U);
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("trial 7, epoch 2: 4-5-3, report<"), std::string::npos);
  EXPECT_NE(svg.find("shrink a by 1, not accepted<"), std::string::npos);
  EXPECT_EQ(front_svg({}), "");
}

TEST(Front, OnePointAloneIsAPicture) {
  const std::vector<FrontPoint> all = points();
  const std::string svg = front_svg(std::span(all).first(1));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Front, AReportWithoutASizeIsNoPoint) {
  std::vector<FrontPoint> out;
  const std::vector<Reported> old{{.step = 1, .epochs = 1, .metrics = {{"valid.loss", 0.5}}}};
  append_points(out, 0, {}, old);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace hpo
