// One network without a search: the work of a single trial under a context that lets it run to its
// end.

#include <filesystem>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "hpo/driver/networks/arrival_file.h"
#include "hpo/driver/networks/baselines.h"
#include "hpo/driver/networks/checkpoints.h"
#include "hpo/driver/networks/execution.h"
#include "hpo/driver/networks/folded_work.h"
#include "hpo/driver/networks/front_files.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/run_config.h"
#include "hpo/driver/sweep.h"
#include "hpo/log/study_lock.h"
#include "hpo/log/trial_table.h"
#include "hpo/search/search.h"
#include "nn/adapt/policy.h"
#include "nn/data/kept_tables.h"
#include "runtime/async.h"
#include "runtime/group.h"
#include "runtime/loop.h"
#include "runtime/value.h"

namespace hpo {

namespace {

constexpr const char* kTrainedModelFile = "model.safetensors";
constexpr const char* kOptimizerFile = "model-optimizer.safetensors";
constexpr base::Duration kTrainTick = std::chrono::milliseconds(250);

/// A trial that nobody stops: its reports go to the observer.
class LoneTrial final : public TrialContext {
 public:
  LoneTrial(Params params, Objective objective, Observer& observer)
      : table_(objective), observer_(observer) {
    happens(Created{.params = std::move(params)});
  }

  std::uint64_t trial() const override { return 0; }
  const Params& params() const override { return row().params; }
  const Lineage& lineage() const override { return table_.lineage(0); }
  std::span<const Reported> logged() const override { return {}; }
  void go_on_behind(std::size_t) override {}
  void segment(double flops) override { flops_ += flops; }
  bool in_past() const override { return false; }
  const Adapted* logged_round() const override { return nullptr; }
  std::vector<Adapted> rounds_before(std::size_t) const override { return {}; }
  void adapted(Adapted round) override {
    happens(round);
    observer_.trial_adapted(row(), round);
  }
  bool replayed() override { return false; }
  bool pauses(std::int64_t) const override { return false; }
  void note(std::string line) override { observer_.note(line); }

  rt::Async<Decision> report(Report report) override {
    Reported reported = event_of(std::move(report), flops_);
    if (const auto key = base::Key::from_hex(reported.checkpoint)) {
      if (newest_.size() == kKept) newest_.erase(newest_.begin());
      newest_.push_back(*key);
    }
    happens(std::move(reported));
    observer_.trial_reported(row());
    co_return Decision::go;
  }

  void happens(EventBody body) {
    table_.apply({.vtime = flops_, .trial = 0, .body = std::move(body)});
  }

  [[nodiscard]] const TrialTable& table() const { return table_; }
  [[nodiscard]] const TrialRow& row() const { return table_.row(0); }
  /// The networks of its last two reports, and the one that its metrics are of.
  [[nodiscard]] std::vector<base::Key> kept() const {
    std::vector<base::Key> keys = newest_;
    if (const auto shown = base::Key::from_hex(table_.lineage(0).back().network.key))
      keys.push_back(*shown);
    return keys;
  }
  [[nodiscard]] const std::vector<Adapted>& rounds() const { return table_.rounds(0); }

 private:
  static constexpr std::size_t kKept = 2;

  TrialTable table_;
  std::vector<base::Key> newest_;
  Observer& observer_;
  double flops_ = 0;
};

/// Nothing is written when the training failed.
rt::Async<ExportedModel> train_and_write(NetworkWork& work, LoneTrial& trial) {
  Ended end;
  try {
    co_await work.run(trial);
  } catch (const TrialFailure& failure) {
    end = {TrialState::failed, failure.cause(), failure.what()};
  }
  trial.happens(end);
  if (end.state == TrialState::failed) co_return ExportedModel{};
  rt::Async<ExportedModel> finish = work.finish(trial.row(), trial.lineage(), trial.table());
  co_return co_await std::move(finish);
}

/// The network's size after its rounds, or as `born` says.
void take_shape(TrainResult& result, const nn::ModelSpec& born) {
  if (result.rounds.empty()) {
    result.shape = nn::shape_text(born);
    result.weights = nn::weight_count(born);
    result.inference_flops = static_cast<double>(nn::flops_per_row(born).forward);
  } else {
    const Tried& last = result.rounds.back().accepted();
    result.shape = last.shape;
    result.weights = last.weights;
    result.inference_flops = last.inference_flops;
  }
}

void take_result(TrainResult& result, const ExportedModel& made, const base::Path& folder) {
  if (result.trial.state == TrialState::failed) {
    result.ending = Ending::nothing_usable;
    return;
  }
  for (const auto& metric : made.metrics) result.trial.metrics.push_back(metric);
  result.model = folder / made.file;
  result.verdict = made.verdict;
  result.calibration = made.calibration;
}

}  // namespace

TrainResult train_once(const StudySpec& study, const Params& params, const RunOptions& options,
                       Observer& observer) {
  base::make_folder(options.folder);
  StudyLock lock(options.folder, kTrainLock);
  if (lock.state() == StudyLock::State::held) throw StudyLock::refusal(options.folder, kTrainLock);
  base::require_writable(options.folder);
  // Without sharing nothing is taken from a run before, not even from one that was stopped.
  std::error_code nothing_there;
  if (!options.sharing) std::filesystem::remove_all(private_store(options), nothing_there);
  require_isa(study);
  tasks::setup_process();
  // Both outlive the runtime, whose tasks use them.
  Execution execution;
  std::optional<ByArrival> by_arrival;
  const rt::Config config = config_of(options, study);
  rt::Runtime runtime(config);
  Checkpoints checkpoints(config.store, options.folder.string());
  base::Moment begun = base::now();
  std::optional<nn::KeptTables> kept(std::in_place);
  LoadedStudy loaded = load_settled(study, params);
  for (const char* file : {kTrainedModelFile, kOptimizerFile})
    require_other_model(loaded, options.folder / file);
  settle_threshold(loaded, runtime.workers(), runtime.gpus());
  for (const std::string& note : loaded.notes) observer.note(note);
  TrainResult result;
  result.metric = loaded.study.metric.name;
  const TrialSpec spec = materialise(loaded.study, params, loaded.data.info);
  result.epochs = spec.epochs;
  if (const std::string chosen =
          execution.begin(loaded.study, spec, params, options, runtime.workers(), runtime.gpus());
      !chosen.empty())
    observer.note(chosen);
  by_arrival.emplace(loaded, spec, options, runtime.gpus());
  result.arrivals = by_arrival->file();
  execution.start_members(loaded.study, options);
  const std::unique_ptr<NetworkWork> work =
      network_work(loaded.study, runtime, options.folder, kTrainedModelFile, options.sharing);
  work->provide(params, loaded.data);
  work->write_optimizer(kOptimizerFile);
  const Baselines baselines(loaded, trees_of_training(loaded));
  kept.reset();
  work->judge_against(baselines);
  LoneTrial trial(params, objective_of(loaded.study), observer);
  observer.train_started(loaded.study.metric, result.epochs);
  const auto show_progress = [&] {
    observer.progress(
        {.counts = {.running = 1}, .trial_limit = 1, .seconds = base::seconds_since(begun)});
  };
  const auto say_news = [&] {
    for (const std::string& line : execution.take_news()) observer.note(line);
  };
  rt::Group group("train");
  {
    auto scope = group.enter();
    rt::Value<ExportedModel> written = rt::spawn(train_and_write(*work, trial));
    while (rt::poll() != 0 || !written.ready()) {
      say_news();
      if (options.interrupts && options.interrupts->load() > 0) {
        group.cancel();
        result.ending = Ending::interrupted;
        break;
      }
      show_progress();
      checkpoints.keep(trial.kept());
      checkpoints.tick();
      if (!written.ready()) rt::wait_event(kTrainTick);
    }
    show_progress();
    say_news();
    execution.take(result);
    result.trial = trial.row();
    result.rounds = trial.rounds();
    take_shape(result, spec.model);
    write_front(options.folder, trial.table(), "model-");
    if (result.ending == Ending::done) {
      checkpoints.keep({});
      take_result(result, written.get(), options.folder);
    } else {
      result.trial.state = TrialState::waiting;
    }
  }
  result.seconds = base::seconds_since(begun);
  return result;
}

}  // namespace hpo
