#pragma once
// The members of a gang on several hosts: those that `train --hosts` names, or the tasks of a step.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/sweep.h"
#include "runtime/net/hosts.h"
#include "tasks/members/far_member.h"
#include "tasks/members/far_members.h"
#include "tasks/members/places.h"
#include "tasks/members/roster.h"

namespace hpo {

/// What a member that the first process starts on a host reads from its standard input. Encodable.
struct MemberOrders {
  tasks::FarOrders far;
  kern::Precision precision = kern::Precision::f32;
};

/// What a member of a gang that trains with that precision has in common with this process.
[[nodiscard]] tasks::Sameness member_sameness(kern::Precision precision);

/// The words that start a member of a network of the study, which reads MemberOrders.
[[nodiscard]] std::vector<std::string> member_words(const StudySpec& study);

/// For the first process. It outlives the gang.
class GangHosts {
 public:
  /// Members on RunOptions::hosts in turn, or tasks of RunOptions::step, which find this process in
  /// the study's folder. Throws base::Error: no_device without the transport, storage.
  GangHosts(const StudySpec& study, const RunOptions& options);
  /// Members have a moment to end, then they are ended.
  ~GangHosts();
  GangHosts(const GangHosts&) = delete;
  GangHosts& operator=(const GangHosts&) = delete;

  /// See tasks::Gang. Valid as long as this is.
  [[nodiscard]] tasks::Roster::Start start();
  [[nodiscard]] std::unique_ptr<tasks::Place> place() const;

 private:
  void launch(int seat, std::uint64_t token);
  void abandon(std::uint64_t token);
  void look();

  const NetFolder folder_;
  const std::vector<std::string> hosts_;
  const std::vector<std::string> words_;  // of a member
  const kern::Precision precision_;
  rt::net::Network& network_;
  rt::net::Authority authority_;
  rt::net::Identity own_;
  std::string at_;  // this machine's address
  std::mutex mutex_;
  rt::net::HostProcesses processes_;               // guarded by mutex_
  std::map<std::string, std::uint64_t> launched_;  // guarded by mutex_: tokens of processes
  bool published_ = false;
  std::unique_ptr<tasks::FarMembers> far_;
  tasks::FarMembers* members_ = nullptr;  ///< the same, for its own thread until it has ended
};

/// A member that another process has started on this host. Throws as tasks::be_far_member(), and
/// base::Error (data) for orders that are none.
void be_member_by_orders();

/// A member that is a task of a step: comes back for as long as the first one runs, which `ended`
/// says. Returns an exit code: that of `cancelled` where the first one could not be reached for as
/// long as `alone`, since one that is killed says nothing.
[[nodiscard]] int be_member_in_step(const StudySpec& study, const base::Path& folder,
                                    const std::string& node, const std::function<bool()>& ended,
                                    base::Duration alone = std::chrono::seconds(120));

}  // namespace hpo
