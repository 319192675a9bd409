// What adapting networks tried, as tables and as a picture.

#include "hpo/export/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hpo {
namespace {

Tried tried(const std::string& change, double flops, double loss, double accuracy, bool accepted) {
  return {.operations = "[]",
          .change = change,
          .shape = "4-2-3",
          .weights = 19,
          .inference_flops = flops,
          .cost = flops,
          .flops = 1000,
          .train_loss = loss,
          .loss = loss,
          .accuracy = accuracy,
          .accepted = accepted,
          .why = "why, \"so\""};
}

std::vector<CandidateRow> rows() {
  const double nan = std::nan("");
  const std::vector<Adapted> rounds{{.grid = 4,
                                     .from = 3,
                                     .until = 4,
                                     .candidates = {tried("keep", 100, 0.5, 0.80, false),
                                                    tried("widen a by 2", 200, 0.4, 0.9, true),
                                                    tried("shrink a by 1", 50, 0.9, 0.6, false),
                                                    tried("widen b by 2", 200, 0.45, 0.85, false)}},
                                    {.grid = 4,
                                     .from = 6,
                                     .until = 6,
                                     .candidates = {tried("widen a by 2", 300, nan, nan, true)}}};
  std::vector<CandidateRow> out;
  append_candidates(out, 7, rounds);
  return out;
}

TEST(Candidates, HaveALineEach) {
  EXPECT_EQ(
      candidates_csv(rows()),
      "trial,epoch,epochs,change,shape,weights,inference_flops,flops,train_loss,loss,accuracy,"
      "cost,accepted,why,operations\n"
      "7,0.75,0.25,keep,4-2-3,19,100,1000,0.5,0.5,0.8,100,false,\"why, \"\"so\"\"\",[]\n"
      "7,0.75,0.25,widen a by 2,4-2-3,19,200,1000,0.4,0.4,0.9,200,true,\"why, \"\"so\"\"\",[]\n"
      "7,0.75,0.25,shrink a by 1,4-2-3,19,50,1000,0.9,0.9,0.6,50,false,\"why, "
      "\"\"so\"\"\",[]\n"
      "7,0.75,0.25,widen b by 2,4-2-3,19,200,1000,0.45,0.45,0.85,200,false,\"why, "
      "\"\"so\"\"\",[]\n"
      "7,1.5,0,widen a by 2,4-2-3,19,300,1000,,,,300,true,\"why, \"\"so\"\"\",[]\n");
  EXPECT_EQ(rows().back().spent, 5000);
}

TEST(Candidates, TheFrontHasWhatNothingBeatsInBoth) {
  const std::vector<CandidateRow> front = front_of(rows());
  ASSERT_EQ(front.size(), 3U);
  EXPECT_EQ(front[0].tried.change, "shrink a by 1");
  EXPECT_EQ(front[1].tried.change, "keep");
  EXPECT_EQ(front[2].tried.change, "widen a by 2");
  EXPECT_EQ(std::ranges::count(front_csv(rows()), '\n'), 4);
}

TEST(Candidates, ThePictureHasAPointForEachThatWasMeasured) {
  const std::string svg = front_svg(rows());
  std::size_t points = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos;
       at = svg.find("<circle", at + 1))
    ++points;
  EXPECT_EQ(points, 4U);
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const std::vector<CandidateRow> all = rows();
  EXPECT_EQ(front_svg(std::span(all).last(1)), "") << "nothing was measured";
}

TEST(Candidates, OnePointAloneIsAPicture) {
  const std::vector<CandidateRow> all = rows();
  const std::string svg = front_svg(std::span(all).first(1));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace hpo
