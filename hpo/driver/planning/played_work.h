#pragma once
// What trials do on simulated nodes: parcels that take time and compute nothing. The driver, its
// sampler, rule and log are the real ones.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/planning/forecast.h"
#include "hpo/driver/trial_work.h"
#include "runtime/net/simulated_nodes.h"
#include "runtime/place/device_model.h"
#include "runtime/value.h"

namespace hpo {

/// How long the program of a trial runs: the same for all, or as a parameter says.
struct ProgramTime {
  double seconds = 0;
  std::string parameter = {};  ///< empty: `seconds` holds
};

/// Shares of the time of all slots, which add up to 1 with the rest, for `parallel`.
struct SlotTime {
  double slots = 0;      ///< seconds of all slots
  double busy = 0;       ///< of these, in calls
  double transfers = 0;  ///< waiting for contents, parcels or answers on their way
  double rule = 0;       ///< trials waited for a decision, or for their turn in virtual time
  double end = 0;        ///< fewer trials than slots of the search were left: the last ones ran
  double parallel = 0;   ///< all slots of the search had work
  double lost = 0;       ///< of nodes that were gone
};

/// What a study plays on.
struct PlayedOn {
  rt::Platform platform;  ///< with nodes
  std::uint64_t seed = 0;
  std::uint64_t draw = 0;  ///< of the values that trials report
  double gpu_from = 0;     ///< FLOPs of a step from which on a network is for a GPU
  /// Kinds of device that the study uses.
  bool uses_cores = true, uses_gpus = false;
  ProgramTime program = {};
  double most_seconds = 1e15;  ///< of a study that ends
};

/// Its time is that of its nodes. Not thread-safe.
class PlayedWork final : public TrialWork {
 public:
  /// `loaded` is null where trials run programs; it and `study` outlive this.
  PlayedWork(const StudySpec& study, const LoadedStudy* loaded, const PlayedOn& on);
  ~PlayedWork() override;

  [[nodiscard]] TrialFacts facts(const Params& params) override;
  [[nodiscard]] rt::Async<void> run(TrialContext& trial) override;
  [[nodiscard]] rt::Async<ExportedModel> finish(TrialRow best, Lineage lineage,
                                                const TrialTable& trials) override;

  /// Lets time pass until a trial has something to do, or for half a second. `running`: trials that
  /// have a slot of the search. Throws base::Error (no_device) where nothing will ever happen,
  /// because all nodes are lost for good, or the study does not end in PlayedOn::most_seconds.
  void pass_time(std::size_t running);
  [[nodiscard]] base::Moment now() const noexcept { return nodes_->now(); }
  [[nodiscard]] const SlotTime& use() const noexcept { return use_; }
  /// Reports of all trials so far.
  [[nodiscard]] std::uint64_t reports() const noexcept { return reports_; }
  [[nodiscard]] std::size_t losses() const noexcept { return nodes_->losses(); }

 private:
  struct Attempt;
  using AttemptPtr = std::shared_ptr<Attempt>;
  /// A call that an attempt waits for. Equal work of several trials is one call.
  struct Piece {
    std::uint64_t call = 0;
    bool over = false;
    bool lost = false;
    std::uint32_t told = 0;
    std::vector<AttemptPtr> waiting{};
  };

  [[nodiscard]] rt::Async<void> run_program(TrialContext& trial, AttemptPtr attempt);
  [[nodiscard]] rt::Async<void> run_network(TrialContext& trial, AttemptPtr attempt);
  [[nodiscard]] rt::Async<void> something(AttemptPtr attempt);
  [[nodiscard]] rt::Async<void> all_over(AttemptPtr attempt);
  [[nodiscard]] Report report_of(const TrialContext& trial, std::int64_t step);
  /// Submits the pieces of a segment that nobody has asked for yet.
  void call_for(const AttemptPtr& attempt, const std::vector<Work>& works, int networks,
                std::int64_t cpus);
  void wait_for(const AttemptPtr& attempt, const base::Key& key);
  void give_up(Attempt& attempt);
  [[nodiscard]] rt::net::Submission call_of(const Work& work, std::vector<base::Key> inputs,
                                            std::int64_t cpus);
  [[nodiscard]] double seconds_of(const Work& work, rt::Device kind) const;
  [[nodiscard]] double program_seconds(const Params& params) const;
  void remember_data();
  void count(const rt::net::SimulatedNodes::Use& use, double seconds, std::size_t running);

  const StudySpec& study_;
  const LoadedStudy* loaded_;
  PlayedOn on_;
  std::unique_ptr<rt::net::SimulatedNodes> nodes_;
  std::map<base::Key, Piece> pieces_;
  std::map<std::uint64_t, base::Key> calls_;  ///< of pieces, by the name of the call
  std::uint64_t last_call_ = 0;
  std::uint64_t reports_ = 0;
  int in_flight_ = 0;  ///< slots of trials that wait for a call
  bool stirred_ = false;
  base::Key data_;
  SlotTime use_;
};

}  // namespace hpo
