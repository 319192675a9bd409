#pragma once
// Policies: when and how a network changes its shape while it trains.
//
// A policy is a state machine without arithmetic, clock or chance. It names the next moment at
// which it wants its turn; there it is shown how training stands and answers with operations, to be
// applied at once or to be raced against each other; whatever came of it is told as a Round. Its
// state follows from the rounds it was told, so whoever has the rounds has the policy: a restarted
// trial feeds them from the log instead of racing again. Adding a kind: README.md of this folder.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/fields.h"
#include "nn/model/spec.h"
#include "nn/reshape/operation.h"
#include "nn/reshape/statistics.h"
#include "nn/training/hyper.h"
#include "nn/training/unit_norms.h"

namespace nn {

/// An operation that a timetable sets for a moment, in epochs since the network's birth.
struct Planned {
  double epoch = 0;
  Operation operation;
  auto operator<=>(const Planned&) const = default;
};

/// How a network adapts, as a study file says it. Encodable plain aggregate.
struct Adaptation {
  Choice policy;                     ///< one of policy_kinds()
  std::vector<Planned> at;           ///< for policies that follow a timetable
  std::vector<std::string> command;  ///< for policies that ask a program: its words
  std::string folder = {};           ///< where it runs, absolute
  double timeout = 60;               ///< seconds that it may take for an answer
  std::string plugin = {};           ///< for policies from a file: its absolute path
  std::string content = {};          ///< the file's content, as plugin_content() says it
  std::uint64_t max_weights = 0;     ///< nothing grows beyond so many weights; 0: no bound
  bool continued = false;            ///< the network was trained before, with other data
  auto operator<=>(const Adaptation&) const = default;
};

/// Operations that are applied one after another; none: the network is kept as it is.
using Operations = std::vector<Operation>;

/// "widen fc1 by 16, shrink fc2 by 8"; "keep" for none.
[[nodiscard]] std::string describe(const Operations& operations);

/// A network that is born with the sizes which operations make of the trial's at its birth; they
/// must be sizes that the spec tells. Its units are pulled to 0 by `pull` as Policy::penalty()
/// says.
struct Birth {
  Operations operations;
  double pull = 0;
  bool operator==(const Birth&) const = default;
};

/// One thing that was tried at a turn, and what came of it.
struct Candidate {
  Operations operations;
  std::string shape;  ///< shape_text() of its spec
  std::uint64_t weights = 0;
  std::uint64_t inference_flops = 0;  ///< counted, one row forward
  double cost = 0;                    ///< what the policy's `cost` counts of it
  double flops = 0;                   ///< spent on it: reshape, training, scoring
  double train_loss = 0;              ///< mean over its segment; NaN: none was run
  double loss = 0;      ///< on the validation rows that all candidates share; NaN: not measured
  double accuracy = 0;  ///< the same; NaN for numbers, or not measured
  std::optional<double> pull = {};  ///< of a Birth: it is another network, and pulled so
  /// By how much its loss is below that of the network as it is, and that difference's standard
  /// error, from the two losses of each row; NaN: not measured.
  double gain = std::numeric_limits<double>::quiet_NaN();
  double gain_error = std::numeric_limits<double>::quiet_NaN();
  bool accepted = false;
  std::string why;  ///< one line for people: why it was accepted, or was not
};

/// The spec after operations, one after another; nothing where they can't be done to it.
[[nodiscard]] std::optional<ModelSpec> spec_after(ModelSpec spec, const Operations& operations);

/// Sizes of a network's layers, for people: "784-64-32-10".
[[nodiscard]] std::string shape_text(const ModelSpec& spec);

/// A turn that changed or could have changed the network. Boundaries are of the policy's grid.
struct Round {
  std::int64_t from = 0;
  std::int64_t until = 0;             ///< `from` when nothing was trained for it
  std::int64_t rows = 0;              ///< validation rows compared, where gains are measured
  std::vector<Candidate> candidates;  ///< exactly one is accepted
  [[nodiscard]] const Candidate& accepted() const;
};

/// What a policy answers at its turn.
struct Turn {
  /// None: go on as before, and nothing is logged. An empty one that is applied is a round that
  /// keeps the network as it is.
  std::vector<Operations> candidates = {};
  /// Set: train the network as it is and each candidate up to this boundary, on the same batches,
  /// and judge. None: the one candidate is applied.
  std::optional<std::int64_t> race_until = {};
  /// Of a race: other networks. They catch up first, from their birth or from where they were in an
  /// earlier race.
  std::vector<Birth> births = {};
  std::string why = {};  ///< of a candidate that is applied: one line for people
  std::string ask = {};  ///< text for the program; its answer comes by Policy::answered
};

/// What a policy needs to know at its turns. Scoring costs, so nothing is measured unasked.
struct Wants {
  bool losses = false;  ///< the mean training loss between each two boundaries of the grid
  bool scores = false;  ///< loss and accuracy on validation rows at the turn
  bool norms = false;   ///< the norms of all units that can be removed, at the turn
  bool units = false;   ///< their statistics on training rows, at the turn; costs several passes
  bool births = false;  ///< its races have networks from their birth on (Turn::births)
  bool gains = false;   ///< Candidate::gain in races
  /// Whether what a turn comes to is open until something was measured.
  [[nodiscard]] bool any() const { return losses || scores || norms || units || gains; }
};

/// How training stands at a turn.
struct Situation {
  std::int64_t now = 0;                       ///< boundary of the policy's grid
  const ModelSpec& spec;                      ///< of the network as it is
  std::span<const double> losses;             ///< of segments since the last round, oldest first
  double valid_loss = 0, valid_accuracy = 0;  ///< the accuracy NaN for numbers
  std::span<const UnitNorms> norms = {};
  std::span<const UnitStatistics> units = {};
};

/// What a policy is made for.
struct PolicySetup {
  const Adaptation& adaptation;  ///< complete
  const ModelSpec& spec;         ///< of the network at its birth
  std::int64_t epochs = 0;       ///< that it trains at most
};

class Policy {
 public:
  virtual ~Policy() = default;

  /// Boundaries an epoch of the grid that its moments lie on.
  [[nodiscard]] virtual std::int64_t grid() const = 0;
  [[nodiscard]] virtual Wants wants() const { return {}; }
  /// What pulls units to 0 while networks of this policy train; its strength is for a training
  /// whose highest learning rate is 1, so the caller divides it by the highest rate that there is.
  [[nodiscard]] virtual UnitPenalty penalty() const { return {}; }
  /// Validation rows that candidates are compared on.
  [[nodiscard]] virtual std::int64_t rows() const { return 0; }
  /// The first boundary at or after `now` at which it wants a turn; nothing: never again. A turn
  /// that was had is not wanted again.
  [[nodiscard]] virtual std::optional<std::int64_t> next(std::int64_t now) const = 0;
  /// Its turn at the boundary that next() named.
  [[nodiscard]] virtual Turn turn(const Situation& situation) = 0;
  /// Goes on from Turn::ask. Throws base::Error (data, study) for an answer that makes no sense.
  [[nodiscard]] virtual Turn answered(const Situation& situation, std::string_view text);
  /// What a turn might do to a spec, for estimates before anything is measured: each alone.
  /// Nothing: anything.
  [[nodiscard]] virtual std::optional<std::vector<Operations>> options(const ModelSpec& spec) const;
  /// What a spec costs, as the candidates of a race are compared.
  [[nodiscard]] virtual double cost(const ModelSpec& spec) const;
  /// Decides a race: candidates.front() is the network as it was. Sets `accepted` and `why`.
  virtual void judge(Round& round) const;
  /// What came of a turn. Rounds come in order.
  virtual void told(const Round& round) = 0;
};

/// A kind of policy: one object per kind, listed in registry.cpp.
struct PolicyKind {
  KindInfo info;
  /// The network that a trial is born with in place of the one that the study file gives; null:
  /// that one.
  ModelSpec (*birth)(const Adaptation&, const ModelSpec&) = nullptr;
  bool timetable = false;  ///< reads Adaptation::at
  bool program = false;    ///< reads Adaptation::command, folder and timeout
  /// Of a kind that stands for others: the one that an adaptation means, whose fields are beside
  /// this one's. Throws base::Error where there is none. Null: this one.
  const PolicyKind& (*behind)(const Adaptation&) = nullptr;
  /// Throws SpecError where the policy can never do anything for that network, or would ask for
  /// what can't be done to it.
  std::unique_ptr<Policy> (*make)(const PolicySetup&) = nullptr;
};

[[nodiscard]] std::span<const PolicyKind> policies();
/// Throws SpecError naming the nearest known kind.
[[nodiscard]] const PolicyKind& policy_of(std::string_view kind);
/// The kind that decides for an adaptation. Throws as policy_of and PolicyKind::behind do.
[[nodiscard]] const PolicyKind& policy_of(const Adaptation& adaptation);

/// With every field of policy and operations present and checked; throws SpecError.
[[nodiscard]] Adaptation complete(const Adaptation& adaptation);

/// The network that a trial of this adaptation begins with where the study file gives `model`. What
/// it gave once stays as it is when it is given, and so does a network that was trained before.
[[nodiscard]] ModelSpec born_with(const Adaptation& adaptation, ModelSpec model);

/// The policy of a network's adaptation. Throws SpecError with the reason when it can't work for
/// that network: asked before anything runs.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PolicySetup& setup);

}  // namespace nn
