// Trials whose networks change their shape while they train.

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "hpo/driver/sweep.h"
#include "hpo/stopping/registry.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

constexpr const char* kSchedule =
    "adapt: {policy: schedule, at: {2: {widen: {layer: dense1, by: 3}},"
    " 3.5: {widen: {layer: dense1, by: 2}}}}\n";
/// The price is so low that growing pays, whatever it brings.
constexpr const char* kRace =
    "adapt: {policy: race, every: 1, length: 0.5, until: 4, factor: 1.5, price: 1e-9}\n";
/// Looks at the validation rows two times an epoch, and only sometimes races.
constexpr const char* kPlateau =
    "adapt: {policy: plateau, points: 2, window: 3, falling: 0.9, length: 1, gap: 9, factor: 1.5,"
    " price: 1e-9}\n";

constexpr const char* kPrune = "adapt: {policy: prune, strength: 1, threshold: 0.5, until: 5}\n";

std::vector<Adapted> rounds_of(const std::vector<std::string>& payloads) {
  std::vector<Adapted> rounds;
  for (const std::string& payload : payloads)
    rounds.push_back(std::get<Adapted>(body_of("adapted", payload)));
  return rounds;
}

class Adapting : public SmallStudy {
 protected:
  /// Five trials that race, under a sampler and a stopping rule.
  [[nodiscard]] StudySpec searching(const std::string& method, const std::string& rule) const {
    return parse_study(base::cat("name: small\ndata: {csv: rows.csv, target: kind}\n"
                                 "network: [dense: {units: $width}]\n"
                                 "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 6}\nparallel: 2\n"
                                 "parameters: {width: {values: [300, 8, 90, 30, 5]}}\n",
                                 "method: ", method, "\nearly_stop: ", rule, "\n",
                                 method == "grid" ? "" : "limits: {trials: 5}\n", kRace),
                       "small.yaml", folder_.path().string());
  }
  /// All events but sessions, with their virtual time.
  [[nodiscard]] std::vector<std::string> log() const {
    std::vector<std::string> lines;
    for (const EventRow& event : StudyReader(run()).events()) {
      if (event.kind != "opened")
        lines.push_back(base::cat(base::format_double(event.vtime), " ", event.payload()));
    }
    return lines;
  }
  void forget() const { std::filesystem::remove_all(run()), std::filesystem::remove_all(store()); }
  [[nodiscard]] std::string model() const { return base::read_file(run() / "best.safetensors"); }
};

TEST_F(Adapting, AScheduleIsFollowedAndItsNetworkWritten) {
  ASSERT_EQ(session(study(kSchedule), "a").end, DriverEnd::finished);
  const auto rounds = rounds_of(events("adapted"));
  ASSERT_EQ(rounds.size(), 6U) << "two a trial";
  EXPECT_EQ(rounds[0].grid, 2);
  EXPECT_EQ(rounds[0].from, 4);
  EXPECT_EQ(rounds[0].until, 4);
  const std::vector<TrialRow> trials = StudyReader(run()).trials();
  const auto width = std::get<std::int64_t>(*trials[0].params.find("width"));
  EXPECT_EQ(rounds[0].accepted().shape, base::cat("3-", width + 3, "-2"));
  EXPECT_EQ(rounds[1].accepted().shape, base::cat("3-", width + 5, "-2"));
  EXPECT_EQ(trials[0].inference_flops, static_cast<double>(2 * (3 + 2) * (width + 5)));
  const std::uint64_t best = StudyReader(run()).best()->trial;
  const auto best_width = std::get<std::int64_t>(*trials[best].params.find("width"));
  EXPECT_NE(model().find(base::cat("\"shape\":[3,", best_width + 5, "]")), std::string::npos)
      << model().substr(8, 400);
}

TEST_F(Adapting, FlopsAreThoseOfTheShapesThatWereTrained) {
  (void)session(study(kSchedule), "a");
  const TrialRow trial = *StudyReader(run()).trial(0);
  const auto width = static_cast<double>(std::get<std::int64_t>(*trial.params.find("width")));
  const double rows = 72, valid = 24, steps = 3;  // batches of 32, 32 and 8 rows
  EXPECT_EQ(steps, 3);
  // The first layer has no gradient of its input: 2 * 3 inputs twice, 2 * 2 outputs thrice.
  const auto training = [](double w) { return w * (2 * 2 * 3 + 3 * 2 * 2); };
  const auto forward = [](double w) { return w * 2 * (3 + 2); };
  double expected = 0;
  for (int epoch = 1; epoch <= 6; ++epoch) {
    // Epoch 4 is cut after the first of its three steps.
    const double before = epoch <= 2 ? width : width + 3;
    const double after = epoch <= 2 ? width : epoch <= 3 ? width + 3 : width + 5;
    expected += epoch == 4 ? 32 * training(before) + 40 * training(after) : rows * training(after);
    expected += valid * forward(after);
  }
  EXPECT_DOUBLE_EQ(trial.train_flops, expected);
}

TEST_F(Adapting, ARaceTrainsItsCandidatesWhereAnEpochHasOneStep) {
  const StudySpec one = parse_study(
      base::cat("name: small\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 8}]\n"
                "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 4, batch: 1000}\n",
                "adapt: {policy: race, compare: train}\nlimits: {trials: 1}\n"),
      "small.yaml", folder_.path().string());
  ASSERT_EQ(session(one, "a").end, DriverEnd::finished);
  const auto rounds = rounds_of(events("adapted"));
  ASSERT_FALSE(rounds.empty());
  for (const Adapted& round : rounds) {
    EXPECT_EQ(round.until - round.from, round.grid) << "the whole epoch";
    for (const Tried& tried : round.candidates) EXPECT_GT(tried.train_loss, 0) << tried.change;
  }
}

TEST_F(Adapting, APlateauSeesNoSegmentWithoutAStep) {
  const StudySpec three = parse_study(
      base::cat("name: small\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 8}]\n"
                "train: {optimizer: {sgd: {lr: 0.001}}, epochs: 9}\n",
                "adapt: {policy: plateau, falling: 1, gap: 0.9}\nlimits: {trials: 1}\n"),
      "small.yaml", folder_.path().string());
  ASSERT_EQ(session(three, "a").end, DriverEnd::finished);
  const auto rounds = rounds_of(events("adapted"));
  ASSERT_FALSE(rounds.empty());
  EXPECT_EQ(rounds[0].from, 8 * 8 / 3 + 1) << "8 losses, of which an epoch of 8 points has three";
  for (std::size_t i = 1; i < rounds[0].candidates.size(); ++i)
    EXPECT_TRUE(rounds[0].candidates[i].change.starts_with("widen")) << "it does not overfit";
}

TEST_F(Adapting, ARaceTriesEachLayerAndCountsItAll) {
  (void)session(study(kRace), "a");
  const auto rounds = rounds_of(events("adapted"));
  ASSERT_GE(rounds.size(), 3U);
  for (const Adapted& round : rounds) {
    EXPECT_EQ(round.until - round.from, 1);
    ASSERT_GE(round.candidates.size(), 2U);
    EXPECT_EQ(round.candidates[0].change, "keep");
    for (const Tried& tried : round.candidates) {
      EXPECT_GT(tried.flops, 0);
      EXPECT_FALSE(std::isnan(tried.loss));
      EXPECT_FALSE(tried.why.empty());
    }
  }
  double tried = 0, kept = 0;
  for (const Adapted& round : rounds) {
    for (const Tried& t : round.candidates) (t.accepted ? kept : tried) += t.flops;
  }
  EXPECT_GT(tried, 0);
  double all = 0;
  for (const TrialRow& trial : StudyReader(run()).trials()) all += trial.train_flops;
  EXPECT_GT(all, tried + kept) << "what lost is counted, too";
}

TEST_F(Adapting, NumbersHaveALossAndNoAccuracy) {
  (void)session(
      parse_study(base::cat("name: small\ndata: {csv: rows.csv, target: c, ignore: [kind]}\n"
                            "network: [dense: {units: $width}]\n"
                            "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 6}\n"
                            "parameters: {width: {values: [8]}}\n",
                            kRace),
                  "small.yaml", folder_.path().string()),
      "a");
  const auto rounds = rounds_of(events("adapted"));
  ASSERT_FALSE(rounds.empty());
  for (const Tried& tried : rounds.front().candidates) {
    EXPECT_FALSE(std::isnan(tried.loss));
    EXPECT_TRUE(std::isnan(tried.accuracy));
  }
}

TEST_F(Adapting, TheKeptNetworkOfARaceIsTheOneWithoutIt) {
  // Nothing is ever worth it, so that the race must leave no trace in the network.
  const char* in_vain =
      "adapt: {policy: race, every: 1, length: 0.5, patience: 9, grow_below: 0, shrink: false}\n";
  (void)session(study(in_vain), "a");
  ASSERT_FALSE(events("adapted").empty());
  const std::string raced = model();
  forget();
  (void)session(study(), "a");
  EXPECT_EQ(raced.substr(raced.size() / 2), model().substr(model().size() / 2));
}

TEST_F(Adapting, AKilledStudyGoesOnToTheSameBits) {
  for (const char* adapt : {kSchedule, kRace, kPlateau, kPrune}) {
    forget();
    (void)session(study(adapt), "a");
    const auto reports = events("reported"), rounds = events("adapted");
    ASSERT_FALSE(rounds.empty()) << adapt;
    const std::string written = model();
    for (const int after : {1, 4, 8, 11}) {
      forget();
      Stopper stopper(after);
      ASSERT_EQ(session(study(adapt), "a", stopper).end, DriverEnd::interrupted);
      ASSERT_EQ(session(study(adapt), "a").end, DriverEnd::finished);
      EXPECT_EQ(events("reported"), reports) << adapt << after;
      EXPECT_EQ(events("adapted"), rounds) << adapt << after;
      EXPECT_EQ(model(), written) << adapt << after;
    }
  }
}

TEST_F(Adapting, WithoutAStoreTheLogsRoundsAreRepeated) {
  (void)session(study(kRace), "a");
  const auto reports = events("reported"), rounds = events("adapted");
  forget();
  Stopper stopper(8);
  (void)session(study(kRace), "a", stopper);
  std::filesystem::remove_all(store());
  ASSERT_EQ(session(study(kRace), "a").end, DriverEnd::finished);
  EXPECT_EQ(events("reported"), reports);
  EXPECT_EQ(events("adapted"), rounds);
}

TEST_F(Adapting, AnotherArithmeticGoesOnInTheShapeThatTheLogHas) {
  Stopper stopper(8);
  (void)session(study(kSchedule), "a", stopper);
  const auto before = events("reported").size();
  const Session rest = session(study(kSchedule), "b");
  EXPECT_EQ(rest.end, DriverEnd::finished);
  EXPECT_EQ(rest.epochs, 18 - static_cast<std::int64_t>(before));
  EXPECT_EQ(events("adapted").size(), 6U);
}

TEST_F(Adapting, WorksUnderAStoppingRule) {
  for (const char* rule :
       {"{type: asha, min: 1, eta: 2}", "{type: median, startup: 1}",
        "{type: patience, wait: 1, min_delta: 0.2}", "{type: threshold, worst: 0.9, min: 2}"}) {
    forget();
    const StudySpec file = searching("random", rule);
    ASSERT_EQ(session(file, "a").end, DriverEnd::finished);
    const auto all = log();
    EXPECT_FALSE(events("adapted").empty()) << rule;
    // Whether the median stops one of so few trials is its own affair.
    if (std::string_view(rule).find("median") == std::string_view::npos) {
      EXPECT_GT(StudyReader(run()).counts().stopped, 0) << rule;
    }
    forget();
    Stopper stopper(3);
    ASSERT_EQ(session(file, "a", stopper).end, DriverEnd::interrupted) << rule;
    ASSERT_EQ(session(file, "a").end, DriverEnd::finished);
    EXPECT_EQ(log(), all) << rule;
  }
}

TEST_F(Adapting, RungsCountFlopsUnderEverySampler) {
  constexpr std::int64_t kMin = 40'000, kEta = 2;
  for (const char* sampler : {"random", "{type: tpe, startup: 2}", "grid"}) {
    forget();
    const StudySpec file = searching(
        sampler, base::cat("{type: asha, min: ", kMin, ", eta: ", kEta, ", unit: flops}"));
    ASSERT_EQ(session(file, "a").end, DriverEnd::finished);
    const auto all = log();
    ASSERT_FALSE(events("adapted").empty());

    // By hand: rungs at kMin * kEta^n FLOPs, reached at the first report at or beyond.
    auto rule = make_stopping_rule("asha", {.max_step = std::numeric_limits<std::int64_t>::max(),
                                            .options = file.early_stop.options});
    std::map<std::uint64_t, std::int64_t> epochs;
    int stops = 0;
    for (const EventRow& event : StudyReader(run()).events()) {
      if (event.kind != "reported") continue;
      const auto report = std::get<Reported>(body_of(event.kind, event.payload()));
      EXPECT_EQ(report.epochs, ++epochs[*event.trial]) << "a report after each epoch";
      const Decision decision =
          rule->reported(*event.trial, static_cast<std::int64_t>(report.flops), -report.value);
      EXPECT_EQ(report.decision, decision) << sampler << " trial " << *event.trial;
      stops += decision == Decision::stop;
    }
    EXPECT_GT(stops, 0) << sampler;

    for (const int after : {2, 7}) {
      forget();
      Stopper stopper(after);
      ASSERT_EQ(session(file, "a", stopper).end, DriverEnd::interrupted);
      ASSERT_EQ(session(file, "a").end, DriverEnd::finished);
      EXPECT_EQ(log(), all) << sampler << after;
    }
  }
}

TEST_F(Adapting, LimitsBoundGrowth) {
  const StudySpec file = parse_study(
      base::cat("name: small\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 4}]\n"
                "train: {epochs: 6}\nlimits: {weights: 60}\n",
                kRace),
      "small.yaml", folder_.path().string());
  ASSERT_EQ(session(file, "a").end, DriverEnd::finished);
  for (const Adapted& round : rounds_of(events("adapted"))) {
    for (const Tried& tried : round.candidates) EXPECT_LE(tried.weights, 60U);
  }
  forget();
  const StudySpec greedy = parse_study(
      base::cat("name: small\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 4}]\n"
                "train: {epochs: 6}\nlimits: {weights: 40}\n",
                kSchedule),
      "small.yaml", folder_.path().string());
  try {
    (void)materialise(greedy, {}, {.input = nn::Shape::features(3), .outputs = 2});
    FAIL() << "the first widening does not fit";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::study);
    EXPECT_NE(std::string(error.what()).find("limits.weights is 40"), std::string::npos);
  }
}

TEST_F(Adapting, OneTrainingTellsItsRounds) {
  struct Listener : Observer {
    void trial_adapted(const TrialRow& trial, const Adapted& round) override {
      EXPECT_EQ(trial.inference_flops, round.accepted().inference_flops);
      ++rounds;
    }
    int rounds = 0;
  } listener;
  const StudySpec file = study(kSchedule);
  Params params;
  params.set("width", std::int64_t{8});
  const TrainResult result =
      train_once(file, params, {.folder = run(), .engine = Engine::sequential}, listener);
  EXPECT_EQ(result.ending, Ending::done);
  ASSERT_EQ(result.rounds.size(), 2U);
  EXPECT_EQ(listener.rounds, 2);
  EXPECT_EQ(result.rounds[1].accepted().shape, "3-13-2");
}

}  // namespace
}  // namespace hpo
