#pragma once
// A gang: processes of this program that train a network together with this one.
//
// This process decides everything and has all results. The others get each training from it, run
// its steps, and forget the network. One that is killed or falls silent is replaced while the rest
// go on (members/roster.h). They end with this process. A gang of visitors starts nobody: others
// come and go as they like, and while none is there it trains as a process without a gang does.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "nn/data/dataset.h"
#include "nn/model/slab.h"
#include "nn/training/train.h"
#include "tasks/member_use.h"
#include "tasks/members/roster.h"

namespace tasks {

/// What the members of a gang divide among them: the shards of a batch, or the layers of the
/// network, of which each has a stage (nn/training/stage_member.h).
enum class Divided : std::uint8_t { shards, layers };

class Gang {
 public:
  /// Starts the other processes: `words` begins with the program's whole path, and the program
  /// calls be_member(). Throws what base::start_process() does.
  Gang(int members, const std::vector<std::string>& words, Divided divided = Divided::shards);
  /// Has the others started by `start`, and meet at that place.
  Gang(int members, Roster::Start start, std::unique_ptr<Place> place,
       Divided divided = Divided::shards);
  /// Starts nobody: at most members - 1 visitors come by admit(), and meet at that place.
  Gang(int members, std::unique_ptr<Place> place);
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;

  /// Trains on the training part as nn::train_steps() does, with the same bits, whoever is lost
  /// meanwhile. Calls from several threads come one after another. Throws base::Error (no_device)
  /// if so many members are lost for good that the others have no room for their shards.
  [[nodiscard]] nn::TrainStats train(const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                                     nn::ParamSlab& net, const nn::Dataset& data,
                                     const nn::Hyper& hyper, const nn::Segment& segment,
                                     const nn::StopPredicate& stop);
  /// The same with visitors, and alone while none is ready: then the shards run side by side on
  /// `parallel`, and nothing is copied. One member has room for all shards.
  [[nodiscard]] nn::TrainStats train_with_visitors(const kern::Kernels<float>& kernels,
                                                   nn::Workspace& workspace, nn::ParamSlab& net,
                                                   const nn::Dataset& data, const nn::Hyper& hyper,
                                                   const nn::Segment& segment,
                                                   const nn::StopPredicate& stop,
                                                   nn::Parallel* parallel);

  /// Takes a visitor in. Returns false if there is no seat for it. Thread-safe.
  [[nodiscard]] bool admit(StartedMember visitor) { return roster_.join(std::move(visitor)); }
  /// Returns true if a visitor is here. Thread-safe.
  [[nodiscard]] bool visited() const noexcept { return roster_.visited(); }
  [[nodiscard]] int members() const noexcept { return roster_.members(); }
  [[nodiscard]] Divided divided() const noexcept { return divided_; }
  /// One a member. Thread-safe.
  [[nodiscard]] std::vector<MemberUse> use() const;
  /// Thread-safe.
  [[nodiscard]] GangChanges changes() const { return roster_.changes(); }
  /// Takes what happened to members since the last call, a line each. Thread-safe.
  [[nodiscard]] std::vector<std::string> take_news() { return roster_.take_news(); }

 private:
  class Training;
  void offer(const nn::Dataset& data);

  Roster roster_;
  const Divided divided_;
  UseNotes notes_;        ///< of this process
  base::Key data_;        ///< of the bytes in `data_file_`
  base::File data_file_;  ///< for the others to read
  std::mutex training_;   ///< held by one that trains
};

/// From now on the `train` task trains with a gang, which outlives all trainings. Null: alone. Not
/// while a task runs.
void train_with(Gang* gang);
[[nodiscard]] Gang* gang_of_training();

/// Has the `train` task compute the shards of a batch one after another, or side by side where
/// workers have nothing to do, as at first. Not while a task runs.
void train_serially(bool serially);
[[nodiscard]] bool trains_serially();

/// Has it send the shards of a batch through that many stages of the network, on workers that have
/// nothing to do; 1, as at first: none. Not while a task runs.
void train_in_stages(int stages, nn::StageOrder order = nn::StageOrder::one_forward_one_backward);
[[nodiscard]] nn::Stages stages_of_training();

/// The descriptor of a member's process that is its channel to the first one.
inline constexpr int kMemberChannel = 3;

/// What a member does until the first process ends or needs it no more. `channel`: its end.
/// `address`: of its door, if it has one.
void be_member(base::File channel, const Enter& enter = enter_shared,
               const std::string& address = {});

}  // namespace tasks
