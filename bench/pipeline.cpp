// `bench pipeline`: a deep network in two stages on two workers and on two processes, beside one
// worker and beside the law of pipelines; and in virtual time in four and eight stages.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/executable.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/layer_times.h"
#include "bench/measure.h"
#include "bench/pictures.h"
#include "bench/step_case.h"
#include "nn/training/pipeline.h"
#include "runtime/instance.h"
#include "runtime/key.h"
#include "runtime/value.h"
#include "tasks/gang.h"
#include "tasks/tasks.h"

namespace bench {

namespace {

constexpr int kStagedBatch = 512, kStagedShards = 8, kStages = 2, kStagedUnits = 1024;
constexpr double kStagedGain = 1.6,
                 kStagedLaw = 1.15;  // the promises that the figures are held against

/// 784-1024x8-10.
nn::ModelSpec staged_net(int layers = 8) {
  nn::ModelSpec spec{.input = nn::Shape::image(Pictures::kSide, Pictures::kSide, 1), .layers = {}};
  spec.layers.push_back({"flatten", "", {}});
  for (int i = 0; i < layers; ++i)
    spec.layers.push_back({"dense", "", {{"units", std::int64_t{kStagedUnits}}}});
  return nn::complete(nn::with_output(spec, Pictures::kClasses));
}

/// How the shards of a batch are run.
struct StagedWay {
  const char* name;
  int workers = 1, stages = 1;
  nn::StageOrder order = nn::StageOrder::one_forward_one_backward;
  int processes = 1;  ///< 1, or one a stage
};

/// Trains epoch after epoch in one way.
class StagedTraining {
 public:
  StagedTraining(const Pictures& pictures, const StagedWay& way)
      : runtime_({.workers = way.workers, .gpus = 0}),
        data_(tasks::load(pictures.spec())),
        steps_(static_cast<double>(data_.get().header().train_rows) / kStagedBatch),
        net_(tasks::init(staged_net(), hyper_.optimizer, 1)) {
    tasks::train_in_stages(way.stages, way.order);
    if (way.processes > 1)
      gang_.emplace(
          way.processes,
          std::vector<std::string>{base::beside_this_program("trellis-engine").string(), "member"},
          tasks::Divided::layers);
    tasks::train_with(gang_ ? &*gang_ : nullptr);
    (void)step_seconds();
  }
  ~StagedTraining() {
    tasks::train_in_stages(1);
    tasks::train_with(nullptr);
  }
  StagedTraining(const StagedTraining&) = delete;
  StagedTraining& operator=(const StagedTraining&) = delete;

  /// Seconds of a step, over an epoch.
  double step_seconds() {
    const nn::Segment segment{epoch_, epoch_ + 1};
    ++epoch_;
    const base::Moment begin = base::now();
    (void)tasks::train(net_, data_, hyper_, segment, {}).get();
    return base::seconds_since(begin) / steps_;
  }
  [[nodiscard]] base::Key network() const {
    const auto weights = net_.get().weights();
    return rt::key_of(std::vector<float>(weights.begin(), weights.end()));
  }

 private:
  rt::Runtime runtime_;
  rt::Value<nn::Dataset> data_;
  nn::Hyper hyper_{.loss = {"cross_entropy", {}},
                   .optimizer = {"sgd", {{"lr", 0.01}}},
                   .batch = kStagedBatch,
                   .shards = kStagedShards};
  double steps_;
  rt::Value<nn::ParamSlab> net_;
  std::int64_t epoch_ = 0;
  std::optional<tasks::Gang> gang_;
};

Sample staged_step(const Pictures& pictures, const StagedWay& way, int repetitions,
                   base::Key& network) {
  StagedTraining training(pictures, way);
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) seconds.push_back(training.step_seconds());
  const base::Key now = training.network();
  if (network != base::Key() && now != network)
    throw base::Error(base::Errc::internal,
                      base::cat("pipeline: other bits than one worker: ", way.name));
  network = now;
  return sample_of(seconds);
}

/// Seconds of each stage for all shards of a batch, when nothing else runs.
std::vector<double> stages_alone(const nn::ModelSpec& spec, int stages) {
  const std::vector<LayerSeconds> layers =
      layers_alone(spec, kStagedBatch / kStagedShards, kStagedShards);
  std::vector<double> seconds;
  for (const nn::StageLayers& stage : nn::stages_of(spec, stages)) {
    seconds.push_back(0);
    for (std::size_t i = stage.first; i < stage.last; ++i)
      seconds.back() += layers[i].forward + layers[i].backward;
  }
  return seconds;
}

/// (shards + stages - 1) / shards times the slowest stage.
double law_of_stages(double slowest, int stages, int shards) {
  return slowest * (shards + stages - 1) / shards;
}

Case staged_case(std::string name, const Sample& ours, std::string rival, double seconds,
                 double ratio) {
  Case made = step_case(std::move(name), ours, std::move(rival), seconds);
  made.ratio = ratio;
  return made;
}

/// The order of a pipeline's work played in virtual time, for stages of counted FLOPs.
Case played_stages(int stages, int shards) {
  constexpr double kFlopsPerSecond = 100e9;
  constexpr int kLayers = 32;
  std::vector<nn::StageSeconds> seconds;
  double slowest = 0;
  for (const nn::StageLayers& stage : nn::stages_of(staged_net(kLayers), stages)) {
    const double all =
        static_cast<double>(stage.flops) * kStagedBatch / kStagedShards / kFlopsPerSecond;
    seconds.push_back({.forward = all / 3, .backward = 2 * all / 3});
    slowest = std::max(slowest, all * shards);
  }
  const double took =
      nn::pipeline_seconds(seconds, shards, nn::StageOrder::one_forward_one_backward);
  const double expected = law_of_stages(slowest, stages, shards);
  return staged_case(base::cat("simulated: ", stages, " stages, ", shards, " shards"),
                     {.median = took, .spread = 0}, "the law", expected, expected / took);
}

}  // namespace

std::vector<Case> run_pipeline(const Options& options) {
  tasks::setup_process();
  const Pictures pictures(options.quick ? 2 * kStagedBatch : 8 * kStagedBatch);
  const int repetitions = options.quick ? 1 : 7;
  base::Key network;
  const auto time = [&](const StagedWay& way) {
    return staged_step(pictures, way, repetitions, network);
  };
  const Sample one = time({"one worker"});
  const Sample staged = time({"1F1B", kStages, kStages});
  const Sample gpipe = time({"GPipe", kStages, kStages, nn::StageOrder::all_forward_first});
  const Sample apart = time({.name = "processes", .stages = kStages, .processes = kStages});
  const Sample shards = time({"shards", kStages});
  const std::vector<double> alone = stages_alone(staged_net(), kStages);
  double passes = 0;
  for (const double seconds : alone) passes += seconds;
  // The update of the weights is shared by the workers, and has no bubble.
  const double update = std::max(0.0, one.median - passes) / kStages;
  const double expected =
      law_of_stages(*std::ranges::max_element(alone), kStages, kStagedShards) + update;
  const std::string name = base::cat("784-1024x8-10, batch 512, 8 shards, ", kStages, " stages");
  return {
      staged_case(name + ": 1F1B", staged, "one worker", one.median, one.median / staged.median),
      {.name = "its speed-up",
       .ours = one.median / staged.median,
       .unit = "x one",
       .rival = "at least",
       .rival_value = kStagedGain,
       .ratio = one.median / staged.median / kStagedGain},
      staged_case("the same", staged, "1.15 x the law", kStagedLaw * expected,
                  kStagedLaw * expected / staged.median),
      staged_case(name + ": GPipe", gpipe, "the law", expected, expected / gpipe.median),
      staged_case(base::cat(name, " in ", kStages, " processes: 1F1B"), apart, "one worker",
                  one.median, one.median / apart.median),
      staged_case(base::cat("its shards side by side on ", kStages, " workers"), shards,
                  "one worker", one.median, one.median / shards.median),
      played_stages(4, 8),
      played_stages(8, 8),
      played_stages(4, 32),
      played_stages(8, 32)};
}

}  // namespace bench
