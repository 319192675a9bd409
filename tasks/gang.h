#pragma once
// A gang on one host: processes of this program that train a network together with this one.
//
// This process decides everything and has all results. The others get each training from it, run
// its steps, and forget the network. They end with this process.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash.h"
#include "nn/data/dataset.h"
#include "nn/model/slab.h"
#include "nn/training/train.h"
#include "runtime/net/sums/ring_links.h"
#include "tasks/gang_sums.h"
#include "tasks/member_use.h"

namespace tasks {

class Gang {
 public:
  /// Starts the other processes: `words` begins with the program's whole path, and the program
  /// calls be_member() with the two words that follow. Throws what base::start_process() does.
  Gang(int members, std::vector<std::string> words);
  /// Ends them.
  ~Gang();
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;

  /// Trains on the training part as nn::train_steps() does, with the same bits. Calls from several
  /// threads come one after another. Throws base::Error (cancelled) if a member is lost, now and
  /// from then on.
  [[nodiscard]] nn::TrainStats train(const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                                     nn::ParamSlab& net, const nn::Dataset& data,
                                     const nn::Hyper& hyper, const nn::Segment& segment,
                                     const nn::StopPredicate& stop);

  [[nodiscard]] int members() const noexcept { return links_.members(); }
  /// Says what became of a member that is lost; empty while all are there. Thread-safe.
  [[nodiscard]] std::string lost() const;
  /// One a member. Thread-safe.
  [[nodiscard]] std::vector<MemberUse> use() const;

 private:
  void await_members();
  void offer(const nn::Dataset& data);
  [[nodiscard]] std::string end_of(int member);

  std::shared_ptr<rt::net::sums::Segment> segment_;
  rt::net::sums::RingLinks links_;
  GangSums sums_;
  std::vector<pid_t> processes_;  ///< of the members from 1 on; -1: it has ended and was waited for
  base::Key data_;                ///< of the bytes in `data_file_`
  base::File data_file_;          ///< for the others to read
  bool all_there_ = false;
  std::mutex training_;       ///< held by one that trains
  mutable std::mutex mutex_;  ///< for what follows
  std::string lost_;
  std::vector<MemberUse> use_;
};

/// From now on the `train` task trains with a gang, which outlives all trainings. Null: alone. Not
/// while a task runs.
void train_with(Gang* gang);
[[nodiscard]] Gang* gang_of_training();

/// Has the `train` task compute the shards of a batch one after another, or side by side where
/// workers have nothing to do, as at first. Not while a task runs.
void train_serially(bool serially);
[[nodiscard]] bool trains_serially();

/// What a member's process does until the first one ends or needs it no more. Returns the exit
/// code. Throws base::Error (usage) for words that no Gang gave.
int be_member(const std::string& address, const std::string& member);

}  // namespace tasks
