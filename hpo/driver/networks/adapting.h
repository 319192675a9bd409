#pragma once
// A network on its way through a trial: trained from boundary to boundary, and where its trial
// adapts, raced and reshaped in between.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hpo/driver/networks/trial_plan.h"
#include "hpo/driver/trial_work.h"
#include "hpo/study/trial_spec.h"
#include "nn/adapt/policy.h"
#include "nn/model/slab.h"
#include "nn/training/train.h"
#include "runtime/async.h"
#include "runtime/on.h"
#include "runtime/value.h"
#include "tasks/race.h"

namespace hpo {

/// One trial's network. What it becomes is a function of the trial's spec, the data and, where the
/// log has rounds, of those. Lives on the driver's thread.
class AdaptingNetwork {
 public:
  /// `net` at its birth.
  AdaptingNetwork(const TrialPlan& plan, tasks::TrainingSetup setup, rt::Value<nn::ParamSlab> net);

  /// Where `net` was trained for `epochs` and `rounds` came before. Only a policy that looks at no
  /// losses can go on from there (see goes_on_anywhere).
  AdaptingNetwork(const TrialPlan& plan, tasks::TrainingSetup setup, rt::Value<nn::ParamSlab> net,
                  std::int64_t epochs, const std::vector<Adapted>& rounds);

  /// Where `net` of that shape was trained for `epochs` under another trial's params, and goes on
  /// with those of `plan`, which has no policy.
  AdaptingNetwork(const TrialPlan& plan, tasks::TrainingSetup setup, rt::Value<nn::ParamSlab> net,
                  nn::ModelSpec model, std::int64_t epochs);

  /// Of several networks of its trial, that of a fold, from 1 on: the log has their rounds
  /// together.
  void belong_to(std::int64_t fold) { fold_ = fold; }

  /// Whether a training can go on from any checkpoint: without a policy, or with one whose state
  /// follows from its rounds alone.
  [[nodiscard]] static bool goes_on_anywhere(const TrialSpec& spec);

  /// Trains up to the end of `epoch` - 1, the turns of its policy included, and tells `trial` what
  /// that costs and what came of each turn.
  /// Where the log has rounds they are repeated. Throws what an operation throws that can't be
  /// done.
  [[nodiscard]] rt::Async<void> advance(std::int64_t epoch, TrialContext& trial);

  /// Goes through `operations` now, between two epochs, and tells `trial` as of a turn. Where the
  /// log has what came of it, that is repeated. What there is no room for, in the network or under
  /// `max_weights` (0: no bound), is left out, with a note.
  [[nodiscard]] rt::Async<void> reshape(nn::Operations operations, std::uint64_t max_weights,
                                        TrialContext& trial);

  [[nodiscard]] const rt::Value<nn::ParamSlab>& net() const { return net_; }
  [[nodiscard]] const nn::ModelSpec& model() const { return model_; }
  [[nodiscard]] const nn::Flops& flops_per_row() const { return row_; }
  [[nodiscard]] bool adapts() const { return policy_ != nullptr; }

  /// Of what advance() did last, all pieces together; `diverged` when one did.
  [[nodiscard]] rt::Async<nn::TrainStats> stats() const;

 private:
  void train(std::int64_t to, TrialContext& trial);
  /// What one look at the validation rows costs at a turn, and one at the units.
  [[nodiscard]] rt::Flops scoring() const;
  [[nodiscard]] rt::Flops looking_at_units() const;
  [[nodiscard]] rt::Value<nn::Scores> look(rt::Flops cost) const;
  [[nodiscard]] rt::Async<void> take_turn(TrialContext& trial);
  /// The next round of the log where it is one of this network.
  /// Calls are for the kind of device that the network has as it is.
  [[nodiscard]] rt::On device_now() const {
    return rt::On(setup_.devices.kind_for(model_, setup_.hyper));
  }
  [[nodiscard]] const Adapted* logged_round(const TrialContext& trial) const;
  [[nodiscard]] rt::Async<void> repeat(Adapted logged, TrialContext& trial);
  /// What the policy measured at its turns before boundary `until`, most of which came to nothing
  /// and are not in the log: it was paid for all the same.
  void count_looks(std::int64_t until, TrialContext& trial) const;
  /// NaN where numbers are predicted.
  [[nodiscard]] double accuracy_of(const nn::Scores& scores) const;
  [[nodiscard]] rt::Async<nn::Situation> situation(TrialContext& trial);
  [[nodiscard]] rt::Async<nn::Turn> ask(nn::Situation now, std::string question,
                                        TrialContext& trial);
  [[nodiscard]] rt::Async<nn::Round> apply(nn::Turn turn, TrialContext& trial);
  [[nodiscard]] rt::Async<nn::Round> race(nn::Turn turn, TrialContext& trial);
  /// Trains one that belongs to no report, and counts that.
  void train_guest(tasks::Guest& guest, const nn::Segment& segment) const;
  /// Another network at its birth: drawn, or made of the trial's first one.
  [[nodiscard]] rt::Value<nn::ParamSlab> birth_of(const nn::Operations& operations,
                                                  const nn::ModelSpec& spec) const;
  /// Another network from its birth on, trained up to the boundary where a race begins.
  [[nodiscard]] tasks::Guest guest(nn::Birth birth, std::int64_t boundary) const;
  /// Where it stands behind a race; the next one goes on from there.
  void keep_guest(nn::Birth birth, rt::Value<nn::ParamSlab> net, std::int64_t boundary);
  /// What a pull of the policy's measure is for this training's rates.
  [[nodiscard]] nn::UnitPenalty penalty_of(double pull) const;
  void told(const nn::Round& round);
  void becomes(nn::ModelSpec model);

  tasks::TrainingSetup setup_;
  nn::Adaptation adaptation_;
  std::int64_t cpus_ = 1;
  std::unique_ptr<nn::Policy> policy_;  ///< null: nothing changes its size while it trains
  std::int64_t grid_ = 1;
  std::int64_t now_ = 0;  ///< boundary of the grid
  std::int64_t fold_ = 0;
  rt::Value<nn::ParamSlab> net_;
  nn::ModelSpec model_;
  nn::Flops row_;  ///< of model_
  struct Other {
    nn::Birth birth;
    rt::Value<nn::ParamSlab> net;
    std::int64_t boundary = 0;  ///< up to which it is trained
  };
  nn::ParamSlab::Header born_;
  std::vector<Other> others_;                      ///< that raced
  std::vector<rt::Value<nn::TrainStats>> pieces_;  ///< since advance() began
  std::vector<rt::Value<nn::TrainStats>> window_;  ///< since the last round
  std::vector<double> losses_;                     ///< of window_
  std::vector<nn::UnitNorms> norms_;               ///< of net_ at the last turn that wanted them
  std::vector<nn::UnitStatistics> units_;          ///< the same
};

}  // namespace hpo
