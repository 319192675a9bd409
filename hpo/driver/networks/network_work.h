#pragma once
// What a trial does when it trains a network: init, then train (and adapt) and evaluate up to each
// boundary, through tasks/.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "hpo/driver/networks/adapting.h"
#include "hpo/driver/networks/trial_plan.h"
#include "hpo/driver/trial_work.h"
#include "hpo/study/spec.h"
#include "hpo/study/trial_spec.h"
#include "nn/data/continued.h"
#include "nn/data/dataset.h"
#include "nn/model/slab.h"
#include "nn/training/train.h"
#include "runtime/instance.h"
#include "runtime/value.h"
#include "tasks/tasks.h"

namespace hpo {

/// The data of a study and what follows from it. One for each DataSpec that the space can produce;
/// most studies have one.
struct StudyData {
  rt::Value<nn::Dataset> value;
  DataInfo info;
  std::uint64_t train_rows = 0, valid_rows = 0, test_rows = 0;
  tasks::Seeds seeds;
  std::string content;  ///< hexadecimal name of the bytes, whatever file they lie in
  std::string
      file_content;  ///< the same of its own file; of a model that goes on `content` is more
  std::uint64_t replay_rows = 0;  ///< old rows that measure what is forgotten
  /// Of a model that goes on: its file, and what becomes of its inputs and outputs.
  std::string model;
  nn::Continuation how;
};

/// Loads the data that `params` ask for and waits for it. Needs a rt::Runtime.
[[nodiscard]] StudyData load_data(const StudySpec& study, const Params& params);
[[nodiscard]] StudyData load_data(const StudySpec& study, const nn::DataSpec& spec);

/// "valid.loss", "valid.accuracy"...: what a trial reports of a part.
[[nodiscard]] Metrics metrics_of(std::string_view part, const nn::Scores& scores);
/// One of them. Throws base::Error (study) where there is none of that name.
[[nodiscard]] double metric_value(const Metrics& metrics, const std::string& name);
/// Adds what is counted of a network, "weights" and "inference_flops", where the study names it.
void add_counted(Metrics& metrics, const StudySpec& study, const nn::ModelSpec& model);
/// The end of a trial whose loss is no number any more.
[[nodiscard]] TrialFailure diverged_before(std::int64_t epoch);

/// Throws base::Error (no_device) when a machine with so many workers and GPUs can never give a
/// trial what it asks for, naming both.
void require_resources(const TrialResources& asked, int workers, int gpus);
/// The same for the workers and GPUs of a runtime. Agents may have any number of workers.
void require_resources(const TrialResources& asked, const rt::Runtime& runtime);
/// The same for all cores and GPUs that this process may use.
void require_resources(const TrialResources& asked);

/// Makes ready for tasks on GPUs where a network may be for one (device_rule). Throws base::Error
/// (no_device) where that is not possible, and for more than one.
void prepare_gpu(const TrialResources& asked);

/// Throws base::Error (no_device) where a kind of device that a network may train on (device_rule)
/// lacks here what the precision needs.
void require_precision(kern::Precision precision, const TrialResources& asked);

/// Throws base::Error (no_device) where this process computes with another instruction set than
/// `resources.isa` says.
void require_isa(const StudySpec& study);

/// Epochs at which a trial that trains `epochs` reports: where the study's rule may decide; after
/// each epoch where it counts anything else or never decides; always the last one. A prefix of the
/// boundaries of every longer trial, but for its own end.
[[nodiscard]] std::vector<std::int64_t> report_boundaries(const StudySpec& study,
                                                          std::int64_t epochs);

/// Steps of a trial's optimizer up to the end of an epoch, where the rule counts them; else 0.
[[nodiscard]] std::int64_t counted_steps(const StudySpec& study, const StudyData& data,
                                         const TrialSpec& spec, std::int64_t epochs);

/// What the tasks of networks have counted in this process: epochs trained, data sets loaded,
/// seconds for trees, workers of other agents that joined a training and seconds that they
/// computed.
[[nodiscard]] std::vector<double> counted_by_tasks();

class Baselines;  // hpo/driver/networks/baselines.h
struct Winner;    // hpo/driver/networks/judging.h

class NetworkWork : public TrialWork {
 public:
  /// `study` is settled; it and `runtime` outlive this. Without a `model_file` the best network is
  /// not written. Without `sharing` each trial computes all
  /// of its own segments, even those that another trial computes, too; results are the same bits.
  NetworkWork(const StudySpec& study, const rt::Runtime& runtime, base::Path folder,
              std::string model_file, bool sharing = true);

  /// Takes over data that was loaded for `params` before the study was settled, so that it is not
  /// loaded again.
  void provide(const Params& params, StudyData data);
  /// A second file with the state of the optimizer is written beside the model, for a training that
  /// goes on from it.
  void write_optimizer(std::string file) { optimizer_file_ = std::move(file); }
  /// The network that is written is judged against these, which outlive this.
  void judge_against(const Baselines& baselines) { baselines_ = &baselines; }
  /// Networks stay on the kind of device of their birth: to compare with.
  void stay_as_born() { as_born_ = true; }

  [[nodiscard]] TrialFacts facts(const Params& params) override;
  /// Goes on from the newest of the trial's logged networks that the store has, also when another
  /// arithmetic made it: what was reported stays, later segments are computed with today's.
  [[nodiscard]] rt::Async<void> run(TrialContext& trial) override;
  /// The network is the logged one where the store has it, whatever arithmetic made it.
  [[nodiscard]] rt::Async<ExportedModel> finish(TrialRow best, Lineage lineage,
                                                const TrialTable& trials) override;
  [[nodiscard]] WorkCounters counters() const override;

 protected:
  [[nodiscard]] bool writes_models() const { return !model_file_.empty(); }
  /// Loaded where it is asked for first; valid as long as this.
  const StudyData& data_of(const nn::DataSpec& spec);
  const StudyData& data_of(const Params& params);
  [[nodiscard]] PlanPtr plan_of(const Params& params, const StudyData& data) const;
  /// Of the networks that are born in a trial, as tasks::init.
  [[nodiscard]] std::uint64_t apart(std::uint64_t trial) const { return sharing_ ? 0 : trial + 1; }
  /// A trial's network at its birth, and the one that it is born with.
  [[nodiscard]] AdaptingNetwork fresh(std::uint64_t trial, const TrialPlan& plan,
                                      const StudyData& data) const;
  [[nodiscard]] rt::Value<nn::ParamSlab> first_network(std::uint64_t trial, const TrialPlan& plan,
                                                       const StudyData& data) const;
  /// Of a model that goes on: what it was worth at its birth, and where there is a replay what it
  /// is worth on old rows before and now.
  [[nodiscard]] rt::Async<Metrics> replayed(rt::Value<nn::ParamSlab> net, nn::ModelSpec model,
                                            PlanPtr plan, const StudyData& data) const;
  /// Scores a network on the test part, judges it, and writes it.
  [[nodiscard]] rt::Async<ExportedModel> write(ExportedModel made, Winner winner,
                                               const TrialTable& trials);

  /// Writes the model's card; empty if nobody judges. The arguments outlive the coroutine.
  [[nodiscard]] rt::Async<std::string> describe(const ExportedModel& made, const Winner& winner);

  const StudySpec& study_;

 private:
  /// A network on its way, and after how many epochs it was found in the store; 0: nowhere.
  struct Grown {
    AdaptingNetwork network;
    std::int64_t epochs = 0;
  };

  /// What a trial's network is worth at a boundary.
  struct Validated {
    nn::Scores scores;  ///< none where it diverged
    double loss = 0;    ///< of the training since the boundary before
    bool diverged = false;
  };
  [[nodiscard]] rt::Async<Validated> validate(AdaptingNetwork& network, const TrialSpec& spec,
                                              const StudyData& data, rt::Flops scoring);

  // Where an attempt begins (network_past.cpp).
  [[nodiscard]] tasks::TrainingSetup setup_of(const TrialSpec& spec, const StudyData& data) const;
  [[nodiscard]] std::optional<AdaptingNetwork> stored(const Checkpoint& checkpoint,
                                                      const TrialPlan& plan, const StudyData& data,
                                                      const std::vector<Adapted>& rounds) const;
  /// The network at the end of one stage with the optimizer's options of the next.
  [[nodiscard]] AdaptingNetwork handed_on(const AdaptingNetwork& network, const Stage& from,
                                          const Stage& to, const StudyData& data) const;
  [[nodiscard]] rt::Async<void> reshape_copy(AdaptingNetwork& network, TrialContext& trial) const;
  /// The network that the whole of a past ends with.
  [[nodiscard]] rt::Async<Grown> grow(Lineage past);
  /// The network that an attempt begins with; `epochs` lie behind it.
  [[nodiscard]] rt::Async<Grown> begin(TrialContext& trial, PlanPtr plan, const StudyData& data);

  /// What was asked for last: a trial's beginning asks several times.
  struct Asked {
    Params params;
    const StudyData* data;
    PlanPtr plan;
  };

  const rt::Runtime& runtime_;
  base::Path folder_;
  std::string model_file_;
  bool sharing_;
  std::string optimizer_file_;            ///< empty: none
  const Baselines* baselines_ = nullptr;  ///< null: nobody judges
  bool as_born_ = false;
  bool data_varies_;  ///< with the params
  mutable std::optional<Asked> asked_;
  std::optional<std::pair<Params, const StudyData*>> asked_data_;
  std::vector<double> counted_before_;     ///< counted_by_tasks() when this was made
  std::map<std::string, StudyData> data_;  ///< by the bytes of the DataSpec
  /// The last network that reported, with its key, of a training that no store can answer.
  std::optional<std::pair<std::string, rt::Value<nn::ParamSlab>>> newest_;
};

}  // namespace hpo
