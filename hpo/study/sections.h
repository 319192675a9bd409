#pragma once
// The sections of a study file as plain values. Each member has one row in the table of fields
// (fields*.cpp), which binds to it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/space/trial_state.h"
#include "hpo/study/tree.h"
#include "nn/data/data_spec.h"
#include "nn/training/hyper.h"

namespace hpo {

enum class Goal : std::uint8_t { minimize, maximize };

/// The report that is a trial's value.
enum class Take : std::uint8_t { last, best };

/// The order in which the driver hands events to sampler and rule.
enum class Order : std::uint8_t { virtual_time, arrival };

/// What a program prints into.
enum class OutputKind : std::uint8_t {
  lines,     ///< a pipe, by lines where the output is read
  terminal,  ///< a terminal of its own
  pipe,      ///< a pipe, as the program buffers it
};

/// The library by which a program gets its parameters and reports.
enum class Library : std::uint8_t {
  none,   ///< its arguments, and the file of reports
  wandb,  ///< W&B's
};

/// Whether the end of a sweep writes the report.
enum class WriteReport : std::uint8_t { off, on };

/// A number that is searched for.
struct Metric {
  std::string name = {};  ///< valid.loss, or another of nn/metrics; of a command, its own name;
                          ///< empty until `settle` when the file leaves it to the data
  std::optional<Goal> goal = {};  ///< none until `settle` when the file leaves it to the data
  Take take = Take::last;
  std::string regex = {};  ///< of a command: finds the metric in its output; empty: nothing does
  std::optional<double> reference = {};  ///< of several: where the hypervolume begins to count
  bool operator==(const Metric&) const = default;
};

/// None: no limit. Times are real seconds; they are what can make two runs of a study differ.
struct Limits {
  std::optional<std::int64_t> trials;  ///< always set, except for a grid, which ends by itself,
                                       ///< and where trials are asked for
  std::optional<double> time;          ///< of the study, over all sessions
  std::optional<double> trial_time;    ///< in which tasks of one attempt of a trial ran
  std::optional<std::int64_t> failed;  ///< this many failed trials end the study
  std::optional<double> target = {};   ///< a complete trial as good as this ends the study
  std::optional<std::int64_t> patience = {};  ///< so do this many in a row that are no new best
  std::optional<std::int64_t> weights;        ///< of a network that changes its size
  std::optional<double> no_progress = {};     ///< of a command: neither output nor a report
  double grace = 10;                          ///< of a command: between SIGTERM and SIGKILL
  std::uint64_t log = 10'000'000;             ///< of a command: bytes of its output that are kept
  bool operator==(const Limits&) const = default;
};

struct Retry {
  std::int64_t max = 2;   ///< attempts after the first
  std::vector<Cause> on;  ///< the causes that are tried again; never Cause::none
  bool operator==(const Retry&) const = default;
};

struct CheckpointLimits {
  double overhead = 0.035;  ///< share of the time that checkpoints may take
};

struct StoreLimits {
  std::uint64_t budget = 16'000'000'000;  ///< bytes on disk that studies share
};

/// A trained network that goes on.
struct From {
  /// `automatic`: the optimizer's state goes on where the model has that of the trial's kind.
  enum class Optimizer : std::uint8_t { automatic, keep, anew };

  std::string model;   ///< absolute path
  std::string replay;  ///< absolute path of old rows; empty: none
  Optimizer optimizer = Optimizer::automatic;
};

namespace study {

struct ArrayFiles {
  std::string x, y;
};

/// Of nn::SkipSpec.
struct SkipRows {
  std::optional<std::int64_t> lines;
  std::string comment;
  std::optional<std::int64_t> after_header, footer;
};

struct SplitRows {
  double valid = 0.2, test = 0.2;  ///< shares of the rows
  std::uint64_t seed = 0;
  std::string group, time;  ///< columns; empty: none
};

/// The section `data`. Paths are absolute in a study that was loaded.
struct DataRows {
  std::optional<std::vector<std::string>> csv, idx;  ///< of several, the first that exists
  std::vector<std::string> unread;                   ///< of these lists, those that exist, too
  std::optional<ArrayFiles> npy;
  std::optional<std::vector<std::string>> safetensors;
  std::string test;  ///< a second table; empty: none
  std::vector<std::string> target;
  nn::HeaderRow header = nn::HeaderRow::guess;
  std::optional<SkipRows> skip;
  std::vector<std::string> ignore, keep, categories, missing, classes;
  std::optional<Expr<std::int64_t>> rows;
  nn::LearningTask task = nn::LearningTask::guess;
  Expr<nn::Scale> scale;
  SplitRows split;
  std::optional<std::int64_t> folds;  ///< 0: auto

  /// Returns the key that names the files: "csv"...; empty where there is none.
  [[nodiscard]] std::string_view source() const;
  /// True if trials may differ in their rows.
  [[nodiscard]] bool varies() const { return (rows && rows->varies()) || scale.varies(); }
};

struct AugmentRows {
  Expr<std::int64_t> shift;
  Expr<nn::Flip> flip;
};

/// How the rate follows the batch size (rate_rule.h).
enum class RateRule : std::uint8_t { none, linear, sqrt };

/// Delays of replicas, `train.staleness.jitter`.
struct JitterRows {
  double factor = 1;
  double probability = 0;
};

/// Replicas, `train.staleness`.
struct StalenessRows {
  std::int64_t bound = 0;
  std::int64_t replicas = 1;
  std::optional<Order> order;  ///< none: virtual time
  std::optional<JitterRows> jitter;

  [[nodiscard]] bool by_arrival() const { return order == Order::arrival; }
};

/// The section `train`.
struct TrainRows {
  Tree loss;  ///< empty until `settle` when the file leaves it to the data
  Tree optimizer;
  Tree schedule;
  Expr<std::int64_t> batch, epochs;
  Expr<std::int64_t> shards;  ///< 0: auto
  Expr<double> clip;          ///< 0: none
  std::optional<Expr<RateRule>> rate_rule;
  std::optional<Expr<std::int64_t>> base_batch;  ///< present exactly if rate_rule is
  std::optional<std::int64_t> late;              ///< steps that a gradient waits, 0 or 1
  std::optional<StalenessRows> staleness;        ///< none: each step applies its own gradient
  AugmentRows augment;
};

/// GPUs of a trial.
struct GpuShare {
  double share = 0;      ///< GPUs, or a part of one
  bool is_auto = false;  ///< one that others may have too, if there is one
};

/// Instruction sets that a study can be held to.
enum class Isa : std::uint8_t { any, avx2, avx512 };

/// The section `resources`.
struct NeedRows {
  Expr<std::int64_t> cpus = 1;
  Expr<GpuShare> gpus;
  std::optional<double> gpu_from;             ///< FLOPs of a step; none: not chosen yet
  std::optional<Expr<std::uint64_t>> memory;  ///< bytes
  Isa isa = Isa::any;                         ///< any: the best that each processor has
  /// Most processes that train one network together; 0: no bound.
  std::optional<std::int64_t> members;
};

}  // namespace study

}  // namespace hpo
