#pragma once
// What can happen in a study. The ordered list of events is the study: everything else is computed
// from it.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hpo/log/replica_update.h"
#include "hpo/log/trial_row.h"
#include "hpo/stopping/rule.h"

namespace base {
class Json;
}

namespace hpo {

/// A driver took up the study. What differs between sessions, for records; `arithmetic` is the
/// fingerprint that equality of results is promised for.
struct Opened {
  std::string host;
  std::int64_t pid = 0;
  std::string build;
  std::string arithmetic;
  int workers = 0;
};

/// A key of the study file that may change between sessions did: limits.trials, parallel...
struct Changed {
  std::string key;
  std::string from;
  std::string to;
};

/// A trial was created with this proposal.
struct Created {
  Params params;
  double inference_flops = 0;  ///< one row forward
  std::optional<std::uint64_t> parent;
  std::string ticket = {};  ///< what whoever asked for the trial calls the asking, or empty
};

/// A trial reported and was answered by a decision.
struct Reported {
  std::int64_t step = 0;
  std::int64_t epochs = 0;
  double value = 0;  ///< the objective as the study file names it
  double flops = 0;  ///< counted, of training, since the trial's beginning
  Metrics metrics;
  Decision decision = Decision::go;
  std::string
      checkpoint;  ///< the key under which the store has the network after this segment, or empty
  std::string shape;           ///< sizes of the layers of a network that adapts, or empty
  std::uint64_t weights = 0;   ///< of a network that adapts
  double inference_flops = 0;  ///< the same: counted, one row forward
  double used = 0;      ///< of what the rule counts in, where that is neither epochs nor FLOPs
  bool over = false;    ///< not logged: the trial has ended by itself, no rule stops it any more
  bool unseen = false;  ///< not logged: the rule does not see it, as at a step nobody asked about
  /// What made the network since the report before, where replicas' updates count as they arrive: a
  /// repetition that applies them in this order ends with the same bits. No part of the payload.
  std::vector<ReplicaUpdate> updates = {};
};

/// A trial that waits goes on with the network of another one, as of the step at which both wait.
struct Replaced {
  std::uint64_t source = 0;
  std::int64_t step = 0;
  Params params;                  ///< the trial's from here on
  std::string operations = "[]";  ///< that the copy goes through first, as in Tried
};

/// A trial that paused takes up a slot again and goes on.
struct Resumed {};

/// An attempt of a trial failed and another one begins.
struct Retried {
  Cause cause = Cause::none;
  std::string message;
};

/// A trial ended.
struct Ended {
  TrialState state = TrialState::complete;
  Cause cause = Cause::none;
  std::string message;
  bool for_good = false;  ///< another attempt would end the same way; not in the log
};

/// A failed trial runs again as soon as it has a slot: number, params and what it reported stay.
/// For sampler, rule and limits it has not ended.
struct Reopened {
  Cause cause = Cause::none;  ///< as it had failed
  std::int64_t attempts = 0;  ///< that count on; 0: they are counted anew
};

/// What is said of trials that ran when the first one failed: the study ended with it. The next
/// session opens them again.
inline constexpr std::string_view kEndedWithFirst = "the study ended with its first trial";

/// Why a study ended.
enum class Finish : std::uint8_t {
  trials,     ///< limits.trials trials ended
  exhausted,  ///< the sampler has no point left
  time,       ///< limits.time: caused by real time
  failed,     ///< limits.failed trials failed
  first,      ///< the first trial to end failed before any report
  target,     ///< a complete trial is as good as limits.target
  patience,   ///< limits.patience trials ended without a new best
};
[[nodiscard]] std::string_view name_of(Finish finish) noexcept;

/// The study ended; a raised limit lets it go on after a Changed.
struct Finished {
  Finish why = Finish::trials;
  std::string message;  ///< one line for people
};

/// What a network took for what.
struct ConfusionTable {
  std::string part;                               ///< "test", or "valid" where there is no test
  std::vector<std::string> classes;               ///< empty: there is no table
  std::vector<std::vector<std::int64_t>> counts;  ///< row by true class, column by given one
};

/// The best trial's network was evaluated on the test part and written.
struct Exported {
  std::string file;  ///< relative to the study's folder
  Metrics metrics;   ///< of the test part
  ConfusionTable confusion;
};

/// Something that a reader of the log should know: what was computed again because it was lost.
/// Decides nothing.
struct Noted {
  std::string message;  ///< one line for people
};

/// One thing that was tried at a turn of an adapting network, and what came of it.
struct Tried {
  std::string operations;  ///< a JSON list: [{"widen": {"layer": "fc1", "by": 16}}]
  std::string change;      ///< for people: "widen fc1 by 16"; "keep"
  std::string shape;       ///< sizes of its layers: "784-64-10"
  std::uint64_t weights = 0;
  double inference_flops = 0;  ///< counted, one row forward
  double cost = 0;             ///< as the policy counts it
  double flops = 0;            ///< counted, spent on it
  double train_loss = 0;       ///< NaN: it was not trained for it
  double loss = 0;             ///< on the validation rows that all share; NaN: not measured
  double accuracy = 0;         ///< the same; NaN: not measured
  /// Another network, born with what the operations make of the birth's sizes: how strongly its
  /// units are pulled to 0.
  std::optional<double> pull;
  double gain = std::numeric_limits<double>::quiet_NaN();  ///< its loss below the kept network's,
                                                           ///< row by row; NaN: not measured
  double gain_error = std::numeric_limits<double>::quiet_NaN();  ///< the standard error of that
  bool accepted = false;
  std::string why;  ///< one line for people
};

/// A trial's network changed its shape, or was raced against others. Boundaries are 1/grid epochs.
struct Adapted {
  std::int64_t grid = 1;
  std::int64_t from = 0;
  std::int64_t until = 0;
  std::int64_t rows = 0;          ///< validation rows compared; 0: it does not matter to the policy
  std::int64_t fold = 0;          ///< from 1 on: of the trial's networks, that of this fold
  std::vector<Tried> candidates;  ///< exactly one is accepted
  [[nodiscard]] const Tried& accepted() const;
};

using EventBody = std::variant<Opened, Changed, Created, Reported, Retried, Ended, Finished,
                               Exported, Noted, Adapted, Replaced, Resumed, Reopened>;

/// What of an event differs from run to run. It never decides.
struct Real {
  double took = 0;           ///< seconds of the trial's tasks since its event before
  std::int64_t at = 0;       ///< when it happened: wall clock, microseconds since 1970; 0: now
  std::int64_t began = 0;    ///< when the attempt began that brought it; 0: no attempt did
  std::uint64_t memory = 0;  ///< bytes, the most that the attempt has taken by then; 0: unknown
};

/// One event. `vtime` is virtual time: counted FLOPs since the study's beginning, the same on every
/// machine.
struct Event {
  double vtime = 0;
  std::optional<std::uint64_t> trial;  ///< none: about the study
  EventBody body;

  Real real = {};
  /// Of a replayed event: seconds since it happened; 0 where the clock was set back. Only limits of
  /// real time look at it.
  double age = 0;
};

/// Whether a study that had finished goes on with it.
[[nodiscard]] bool goes_on(const Event& event) noexcept;

/// The word of an event's kind in the log: "opened", "created", "reported"...
[[nodiscard]] std::string_view kind_of(const EventBody& body) noexcept;
/// The same by the kind's place in EventBody. Files have that place: new kinds come last.
[[nodiscard]] std::string_view kind_name(std::size_t place) noexcept;

/// The body as a JSON object on one line, without anything that differs between two equal runs (but
/// for Opened).
[[nodiscard]] std::string payload_of(const EventBody& body);

/// The inverse. Throws base::Error (storage) on an unknown kind or a damaged payload.
[[nodiscard]] EventBody body_of(std::string_view kind, std::string_view payload);

/// {"part": "test", "classes": [...], "counts": [[...], ...]}.
[[nodiscard]] std::string json_of(const ConfusionTable& table);

/// {"valid.accuracy": 0.91, ...} and back.
[[nodiscard]] std::string json_of(const Metrics& metrics);
[[nodiscard]] Metrics metrics_from_json(std::string_view text);
[[nodiscard]] Metrics metrics_from_json(const base::Json& json);

}  // namespace hpo
