// What a study says of rates that a rule raises, and of late gradients.
#include <gtest/gtest.h>

#include "hpo/study/lateness.h"
#include "hpo/study/rate_rule.h"
#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

TEST_F(StudyTest, ALinearRateRuleWithoutAWarmUpIsSaid) {
  const auto note = [&](const std::string& train, const std::string& parameters = "") {
    return study::note_on_rate_rule(
        load_table("train: {" + train + "}\n" +
                   (parameters.empty() ? "" : "parameters: {" + parameters + "}\n")));
  };
  const std::string linear = "rate_rule: linear, base_batch: 64, ";
  const std::string sizes = "b: {values: [64, 4096]}";
  EXPECT_EQ(note(linear + "batch: $b", sizes),
            "train.rate_rule: linear multiplies lr by up to 64, and a rate that begins so high "
            "tends to diverge; begin lower with `schedule: {cosine: {warmup: 2}}` or "
            "`schedule: warmup`");
  EXPECT_TRUE(note(linear + "batch: $b, schedule: cosine", sizes));
  EXPECT_FALSE(note(linear + "batch: $b, schedule: {cosine: {warmup: 2}}", sizes));
  EXPECT_FALSE(note(linear + "batch: $b, schedule: warmup", sizes));
  EXPECT_FALSE(note(linear + "batch: $b, schedule: one_cycle", sizes));
  EXPECT_FALSE(note(linear + "batch: 32"));
  EXPECT_FALSE(note("rate_rule: sqrt, base_batch: 64, batch: $b", sizes));
  EXPECT_FALSE(note("batch: $b", sizes));
}

TEST_F(StudyTest, StalenessIsRefusedBesideWhatCutsEpochs) {
  const std::string stale = table() + "train: {staleness: {bound: 1, replicas: 2}";
  EXPECT_EQ(
      refusal(stale + ", late: 1}\n"),
      "study.yaml:2:20: train.staleness cannot be used with train.late, which makes gradients "
      "late in another way; remove one of the two");
  EXPECT_NE(refusal(stale + "}\nadapt: {policy: race, every: 3}\n").find("used with adapt"),
            std::string::npos);
  EXPECT_NE(refusal(stale + "}\nearly_stop: {type: asha, unit: steps}\n").find("early_stop.unit"),
            std::string::npos);
  EXPECT_EQ(refusal(stale + "}\n"), "accepted");
}

TEST_F(StudyTest, ReplicasByArrivalHaveNoJitterAndMakeNoSearch) {
  const std::string stale = "train: {staleness: {bound: 1, replicas: 2, order: ";
  EXPECT_NE(refusal(table() + stale + "arrival, jitter: {factor: 2, probability: 0.1}}}\n")
                .find("train.staleness.jitter delays batches in virtual time"),
            std::string::npos);
  EXPECT_NE(refusal(table() + stale + "arival}}\n").find("did you mean \"arrival\"?"),
            std::string::npos);
  EXPECT_NO_THROW(study::require_repeatable(load_table(stale + "virtual}}\n")));
  EXPECT_THROW(study::require_repeatable(load_table(stale + "arrival}}\n")), base::Error);
}

TEST_F(StudyTest, StalenessWithoutAWarmUpIsSaid) {
  const auto note = [&](const std::string& rest) {
    return study::note_on_staleness(load_table("train: {" + rest + "}\n")).has_value();
  };
  EXPECT_TRUE(note("staleness: {bound: 1, replicas: 2}"));
  EXPECT_FALSE(note("staleness: {bound: 1, replicas: 1}"));
  EXPECT_FALSE(note("staleness: {bound: 1, replicas: 2}, schedule: warmup"));
  EXPECT_FALSE(note("batch: 8"));
}

}  // namespace
}  // namespace hpo
