// Networks that go from trial to trial, or change their size.

#include <gtest/gtest.h>

#include "hpo/report/networks.h"
#include "hpo/report/section.h"
#include "tests/hpo/report/studies.h"
#include "tests/support/temp_folder.h"

namespace hpo::report {
namespace {

/// Trial 1 goes on with the network of trial 0, made wider; trial 0 with what came of it.
Gathered population(const base::Path& folder) {
  made::Made made(folder);
  for (std::uint64_t i = 0; i < 3; ++i) made.create(i, {{"lr", 0.01 * static_cast<double>(i + 1)}});
  for (std::uint64_t i = 0; i < 3; ++i)
    made.report(i, 2, 0.7 - 0.1 * static_cast<double>(i), {}, Decision::pause);
  made.add(1, Replaced{0, 2, {{"lr", 0.012}}, R"([{"widen": {"layer": "fc1", "by": 8}}])"});
  for (std::uint64_t i = 0; i < 3; ++i) made.add(i, Resumed{});
  made.report(1, 4, 0.9, {}, Decision::pause);
  made.report(0, 4, 0.8, {}, Decision::pause);
  made.report(2, 4, 0.6, {}, Decision::pause);
  made.add(0, Replaced{1, 4, {{"lr", 0.014}}});
  for (std::uint64_t i = 0; i < 3; ++i) made.add(i, Resumed{});
  made.report(0, 6, 0.95);
  made.report(1, 6, 0.91);
  made.report(2, 6, 0.65);
  for (std::uint64_t i = 0; i < 3; ++i) made.end(i, TrialState::complete);
  made.add({}, Finished{Finish::trials, "3 trials"});
  return gather(made.reader(), {});
}

TEST(Lineage, OfThePopulationsWinner) {
  support::TempFolder folder;
  const Gathered study = population(folder.path());
  ASSERT_EQ(study.best->trial, 0U);
  const std::vector<HandOver> all = hand_overs(study);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].change, "widen fc1 by 8");
  EXPECT_EQ(all[0].params, "lr 0.01 \u2192 0.012");
  EXPECT_EQ(all[1].params, "lr 0.012 \u2192 0.014");
  const std::vector<Descent> descent = descent_of_best(study, all);
  ASSERT_EQ(descent.size(), 3U);
  EXPECT_EQ(descent[0].trial, 0U);
  EXPECT_EQ(descent[1].trial, 1U);
  EXPECT_EQ(descent[1].from, 2);
  EXPECT_EQ(descent[2].trial, 0U);
  EXPECT_EQ(descent[2].from, 4);
  const auto section = lineage_section(study);
  ASSERT_TRUE(section);
  EXPECT_EQ(section->heading, "The winner's network came through trials 0, 1, 0.");
  EXPECT_EQ(section->lead, "2 trials went on with the network of another one, 2 times in all.");
  EXPECT_NE(section->body.find("lr 0.01 \u2192 0.012"), std::string::npos);
}

TEST(Lineage, OfOperationsThatAreOdd) {
  EXPECT_EQ(operations_text("[]"), "");
  EXPECT_EQ(operations_text("no json"), "");
  EXPECT_EQ(operations_text(R"([{"drop": {"layer": "a"}}, {"shrink": {"layer": "b", "by": 4}}])"),
            "drop a, shrink b by 4");
  EXPECT_EQ(operations_text(R"([{}, 3, {"deepen": {}}])"), "deepen");
}

TEST(Shapes, OfAWinnerThatGrew) {
  support::TempFolder folder;
  made::Made made(folder.path());
  made.create(0, made::params_of(0));
  for (std::int64_t round = 0; round < 3; ++round) {
    Adapted adapted{
        .grid = 1, .from = 3 + 2 * round, .until = 5 + 2 * round, .rows = 100, .candidates = {}};
    adapted.candidates.push_back({.operations = "[]",
                                  .change = "keep",
                                  .shape = "64-32-10",
                                  .weights = 2000,
                                  .inference_flops = 4000,
                                  .loss = 0.5,
                                  .accuracy = 0.8});
    adapted.candidates.push_back({.operations = "[]",
                                  .change = "widen <fc1> by 16",
                                  .shape = "64-48-10",
                                  .weights = 3000,
                                  .inference_flops = 6000,
                                  .loss = 0.4,
                                  .accuracy = 0.85,
                                  .accepted = true,
                                  .why = "better & worth it"});
    made.add(0, adapted);
    made.report(0, 5 + 2 * round, 0.9);
  }
  made.end(0, TrialState::complete);
  made.add({}, Finished{Finish::trials, "1 trial"});
  const Gathered study = gather(made.reader(), {});
  const auto section = shapes_section(study);
  ASSERT_TRUE(section);
  EXPECT_EQ(section->heading, "The winner's network became 64-48-10 in 3 rounds.");
  EXPECT_EQ(section->lead, "All networks together went through 3 rounds with 6 candidates.");
  EXPECT_NE(section->body.find("widen &lt;fc1&gt; by 16"), std::string::npos);
  EXPECT_NE(section->body.find("better &amp; worth it"), std::string::npos);
  EXPECT_NE(section->body.find("data-chart=\"candidates\""), std::string::npos);
}

TEST(Shapes, HasNoPictureOfCandidatesThatNobodyMeasured) {
  support::TempFolder folder;
  made::Made made(folder.path());
  made.create(0, made::params_of(0));
  Adapted adapted{.grid = 1, .from = 3, .until = 5, .rows = 0, .candidates = {}};
  adapted.candidates.push_back({.operations = "[]",
                                .change = "shrink fc1 by 4",
                                .shape = "64-28-10",
                                .weights = 2000,
                                .inference_flops = 4000,
                                .loss = NAN,
                                .accuracy = NAN,
                                .accepted = true,
                                .why = "to explore"});
  made.add(0, adapted);
  made.report(0, 5, 0.9);
  made.end(0, TrialState::complete);
  const auto section = shapes_section(gather(made.reader(), {}));
  ASSERT_TRUE(section);
  EXPECT_EQ(section->body.find("data-chart"), std::string::npos);
  EXPECT_NE(section->body.find("to explore"), std::string::npos);
}

}  // namespace
}  // namespace hpo::report
