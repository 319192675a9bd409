// Trials that train networks: what a session leaves, another one goes on from.

#include <filesystem>

#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

bool begins_with(const std::vector<std::string>& whole, const std::vector<std::string>& part) {
  return whole.size() >= part.size() && std::equal(part.begin(), part.end(), whole.begin());
}

TEST_F(SmallStudy, TrainsEveryEpochOnce) {
  const Session all = session(study(), "a");
  EXPECT_EQ(all.end, DriverEnd::finished);
  EXPECT_EQ(all.epochs, 18);
  EXPECT_EQ(events("reported").size(), 18U);
  EXPECT_TRUE(base::file_size(run() / "best.safetensors"));
}

TEST_F(SmallStudy, CountsEpochsThatAreNotReportedYet) {
  StudySpec beside = study();
  beside.parallel = 3;
  Stopper stopper(1);
  ASSERT_EQ(session(beside, "a", stopper).end, DriverEnd::interrupted);
  const WorkCounters half = StudyReader(run()).work();
  ASSERT_GT(half.distinct_epochs, static_cast<std::int64_t>(events("reported").size()));
  EXPECT_GE(half.epochs, half.distinct_epochs);
  session(beside, "a");
  const WorkCounters whole = StudyReader(run()).work();
  EXPECT_GE(whole.epochs, 18);
  EXPECT_GE(whole.epochs, whole.distinct_epochs);
}

TEST_F(SmallStudy, AnotherArithmeticGoesOnFromTheLastNetwork) {
  Stopper stopper(8);
  ASSERT_EQ(session(study(), "a", stopper).end, DriverEnd::interrupted);
  const auto before = events("reported");
  ASSERT_GE(before.size(), 8U);
  ASSERT_LT(before.size(), 12U) << "a trial must be half-finished";
  Stopper listener(0);
  const Session rest = session(study(), "b", listener);
  EXPECT_EQ(rest.end, DriverEnd::finished);
  EXPECT_EQ(rest.epochs, 18 - static_cast<std::int64_t>(before.size()));
  EXPECT_TRUE(begins_with(events("reported"), before)) << "what was reported stays";
  EXPECT_EQ(events("reported").size(), 18U);
  EXPECT_EQ(events("noted").size(), 0U);
  EXPECT_NE(listener.notes.find("the arithmetic changed"), std::string::npos);
}

TEST_F(SmallStudy, AndOnFromThereWithTheFirst) {
  Stopper first(8), second(1);
  session(study(), "a", first);
  session(study(), "b", second);
  const auto before = events("reported");
  ASSERT_LT(before.size(), 12U);
  const Session rest = session(study(), "a");
  EXPECT_EQ(rest.end, DriverEnd::finished);
  EXPECT_EQ(events("reported").size(), 18U);
  EXPECT_TRUE(begins_with(events("reported"), before));
  EXPECT_LE(rest.epochs, 18 - static_cast<std::int64_t>(before.size()));
  EXPECT_EQ(events("noted").size(), 0U);
}

TEST_F(SmallStudy, ANetworkThatIsGoneIsTrainedAgainAndThatIsSaid) {
  Stopper stopper(8);
  session(study(), "a", stopper);
  const auto before = events("reported");
  std::filesystem::remove_all(store());
  Stopper listener(0);
  const Session rest = session(study(), "b", listener);
  EXPECT_EQ(rest.end, DriverEnd::finished);
  EXPECT_TRUE(begins_with(events("reported"), before));
  EXPECT_EQ(events("reported").size(), 18U);
  EXPECT_NE(listener.notes.find("is not in the store any more: trained again from the beginning"),
            std::string::npos)
      << listener.notes;
  const std::size_t best_is_of_the_past = StudyReader(run()).best()->trial == 0 ? 1 : 0;
  EXPECT_EQ(events("noted").size(), 1U + best_is_of_the_past);
}

TEST_F(SmallStudy, WithTheSameArithmeticNothingNeedsToBeSaid) {
  Stopper stopper(8);
  session(study(), "a", stopper);
  std::filesystem::remove_all(store());
  EXPECT_EQ(session(study(), "a").end, DriverEnd::finished);
  EXPECT_EQ(events("noted").size(), 0U);
}

TEST_F(SmallStudy, TheNetworkWrittenIsTheOneLogged) {
  session(study("metric: {name: valid.accuracy, take: best}\n"), "a");
  const std::string first = base::read_file(run() / "best.safetensors");
  std::filesystem::remove(run() / "best.safetensors");
  const Session again = session(study("metric: {name: valid.accuracy, take: best}\n"), "b");
  EXPECT_EQ(again.epochs, 0);
  EXPECT_EQ(base::read_file(run() / "best.safetensors"), first);
  EXPECT_EQ(events("noted").size(), 0U);
}

TEST_F(SmallStudy, TheBestNetworkOfWhatTimeCutOffIsWrittenAsFarAsItGot) {
  Stopper stopper(4);  // of six epochs
  session(study(), "a", stopper);
  EXPECT_FALSE(StudyReader(run()).model());
  const Session last = session(study("", "{trials: 3, time: 1ms}"), "a");
  EXPECT_EQ(last.end, DriverEnd::finished);
  EXPECT_EQ(last.epochs, 0) << "the store has it";
  const StudyReader reader(run());
  ASSERT_TRUE(reader.best());
  EXPECT_EQ(reader.best()->state, TrialState::waiting);
  EXPECT_GE(reader.best()->epochs, 4);
  EXPECT_LT(reader.best()->epochs, 6);
  EXPECT_EQ(reader.model()->trial, 0U);
  EXPECT_TRUE(base::file_size(run() / "best.safetensors"));
}

TEST_F(SmallStudy, ANetworkThatCannotBeFoundForWritingIsTrainedAgain) {
  session(study(), "a");
  std::filesystem::remove(run() / "best.safetensors");
  std::filesystem::remove_all(store());
  const Session again = session(study(), "b");
  EXPECT_EQ(again.epochs, 6);
  EXPECT_TRUE(base::file_size(run() / "best.safetensors"));
  ASSERT_EQ(events("noted").size(), 1U);
  EXPECT_EQ(StudyReader(run()).info().state, StudyState::finished);
}

}  // namespace
}  // namespace hpo
