// What adapting networks tried, as a table.

#include "hpo/export/candidates.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hpo
