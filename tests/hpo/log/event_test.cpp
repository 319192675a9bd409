#include "hpo/log/event.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/enum_names.h"
#include "base/error.h"
#include "base/text.h"

namespace hpo {
namespace {

/// Payload, read back and written again: equal texts mean that nothing was lost.
void expect_round_trip(const EventBody& body) {
  std::string payload = payload_of(body);
  EventBody back = body_of(kind_of(body), payload);
  EXPECT_EQ(back.index(), body.index());
  EXPECT_EQ(payload_of(back), payload);
}

TEST(Event, EveryKindSurvivesItsPayload) {
  expect_round_trip(Opened{"host", 12, "0.1.0", "avx512 f32", 4});
  expect_round_trip(Changed{"limits.trials", "60", "80"});
  expect_round_trip(
      Created{{{"lr", 1e-3}, {"n", std::int64_t{3}}, {"bias", true}, {"o", std::string("a \"b\"")}},
              1e9,
              7});
  expect_round_trip(Created{});
  expect_round_trip(Reported{3,
                             3,
                             0.91,
                             1.5e12,
                             {{"valid.accuracy", 0.91}, {"train.loss", -0.0}},
                             Decision::stop,
                             "0123456789abcdef",
                             "64-16-10"});
  Tried tried{.operations = R"([{"widen":{"layer":"fc1","by":8}}])",
              .change = "widen fc1 by 8",
              .shape = "64-16-10",
              .weights = 1210,
              .inference_flops = 2368,
              .cost = 2368,
              .flops = 1e9,
              .train_loss = std::nan(""),
              .loss = 0.25,
              .accuracy = 0.5,
              .accepted = true,
              .why = "as the timetable says"};
  expect_round_trip(Adapted{.grid = 4, .from = 9, .until = 10, .candidates = {tried}});
  expect_round_trip(Replaced{.source = 3,
                             .step = 4,
                             .params = {{"lr", 0.5}},
                             .operations = R"([{"widen":{"layer":"fc1","by":8}}])"});
  expect_round_trip(Resumed{});
  expect_round_trip(Reopened{Cause::killed});
  expect_round_trip(Reported{.step = 1, .decision = Decision::pause});
  expect_round_trip(Retried{Cause::out_of_memory, "no memory\nat all"});
  expect_round_trip(Ended{TrialState::complete, Cause::none, ""});
  expect_round_trip(Ended{TrialState::failed, Cause::diverged, "loss is nan"});
  expect_round_trip(Finished{Finish::trials, "60 trials"});
  expect_round_trip(Exported{"best.safetensors", {{"test.accuracy", 0.95}}, {}});
  expect_round_trip(Exported{"best.safetensors",
                             {{"test.accuracy", 0.95}},
                             {"test", {"cat", "a \"dog\""}, {{7, 1}, {0, 12}}}});
  expect_round_trip(Noted{"the store has lost \"it\""});
}

/// Logs of earlier versions hold these words, and scripts look for them.
TEST(Event, SaysWhyAStudyEndedByTheSameWordForever) {
  const std::pair<Finish, std::string_view> words[] = {
      {Finish::trials, "trials"},    {Finish::exhausted, "exhausted"}, {Finish::time, "time"},
      {Finish::failed, "failed"},    {Finish::first, "first"},         {Finish::target, "target"},
      {Finish::patience, "patience"}};
  static_assert(std::size(words) == base::enum_count<Finish>());
  for (const auto& [why, word] : words) {
    EXPECT_EQ(name_of(why), word);
    const std::string text = payload_of(Finished{why, "it is over"});
    EXPECT_EQ(text, base::cat(R"({"why": ")", word, R"(", "message": "it is over"})"));
    EXPECT_EQ(std::get<Finished>(body_of("finished", text)).why, why);
  }
}

TEST(Event, TellsWhatARuleDecidedByTheSameWordForever) {
  const std::pair<Decision, std::string_view> words[] = {
      {Decision::go, "go"}, {Decision::stop, "stop"}, {Decision::pause, "pause"}};
  static_assert(std::size(words) == base::enum_count<Decision>());
  for (const auto& [said, word] : words) {
    const std::string text = payload_of(Reported{.step = 1, .decision = said});
    EXPECT_NE(text.find(base::cat(R"("word": ")", word, '"')), std::string::npos) << text;
    EXPECT_EQ(std::get<Reported>(body_of("reported", text)).decision, said);
  }
}

TEST(Event, AConfusionTableThatIsNotSquareIsDamaged) {
  for (const auto& counts : {std::vector<std::vector<std::int64_t>>{{1, 2}},
                             std::vector<std::vector<std::int64_t>>{{1}, {2}}}) {
    const std::string text = payload_of(Exported{"f", {}, {"test", {"a", "b"}, counts}});
    EXPECT_THROW((void)body_of("exported", text), base::Error);
  }
}

TEST(Event, ARoundWithoutAWinnerIsDamaged) {
  const std::string text = payload_of(Adapted{.grid = 1, .from = 1, .until = 1, .candidates = {}});
  EXPECT_THROW((void)body_of("adapted", text), base::Error);
}

TEST(Event, ValuesThatAreNoNumbersComeBack) {
  double inf = std::numeric_limits<double>::infinity();
  Reported report{
      .step = 1, .value = std::nan(""), .metrics = {{"a", inf}, {"b", -inf}, {"c", std::nan("")}}};
  auto back = std::get<Reported>(body_of("reported", payload_of(report)));
  EXPECT_TRUE(std::isnan(back.value));
  EXPECT_EQ(back.metrics[0].second, inf);
  EXPECT_EQ(back.metrics[1].second, -inf);
  EXPECT_TRUE(std::isnan(back.metrics[2].second));
}

TEST(Event, DamagedPayloadsAreErrors) {
  EXPECT_THROW((void)body_of("reported", "{}"), base::Error);
  EXPECT_THROW((void)body_of("reported", "{\"step\": 1"), base::Error);
  EXPECT_THROW((void)body_of("ended", R"({"state": "tired"})"), base::Error);
  EXPECT_THROW((void)body_of("exploded", "{}"), base::Error);
}

}  // namespace
}  // namespace hpo
