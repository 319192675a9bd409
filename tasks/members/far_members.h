#pragma once
// Members of a gang on other hosts, as the first process sees them: each has a channel as a process
// of this host has, and a thread carries what goes over it to the other host (far_member.h).

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "runtime/net/transport.h"
#include "tasks/members/process.h"
#include "tasks/members/waker.h"
#include "tasks/members/wire.h"

namespace tasks {

/// Has a process started that greets with that token. Throws base::Error where it cannot be.
using Launch = std::function<void(int seat, std::uint64_t token)>;
/// Ends a process that does not respond. Called on the roster's thread, without a lock of
/// FarMembers.
using Abandon = std::function<void(std::uint64_t token)>;
/// Returns a number that nobody can guess; never 0.
[[nodiscard]] std::uint64_t new_token();

/// Takes a visitor in. Returns false if there is no seat for it. Called on the thread of
/// FarMembers, without a lock of it.
using Admit = std::function<bool(StartedMember visitor)>;

/// The first process's side. It outlives the rosters that start() and open() are for.
class FarMembers final : rt::net::Inbox {
 public:
  /// Listens at that address of this machine. `look` is called ten times a second, on a thread of
  /// its own. Throws as rt::net::Network::listen().
  FarMembers(rt::net::Network& network, const rt::net::Identity& own, const std::string& at,
             Sameness same, Launch launch, Abandon abandon, std::function<void()> look);
  ~FarMembers() override;
  FarMembers(const FarMembers&) = delete;
  FarMembers& operator=(const FarMembers&) = delete;

  /// "host:port".
  [[nodiscard]] std::string address() const { return transport_->address(); }
  /// As Roster::Start. Thread-safe.
  [[nodiscard]] StartedMember start(int seat);
  /// Lets visitors come who greet with that token, which is not 0. Thread-safe.
  void open(std::uint64_t token, Admit admit);
  /// What was launched for a token has ended without more words. Thread-safe.
  void ended(std::uint64_t token, const std::string& how);

 private:
  friend class FarProcess;

  struct Seat {
    base::File end;            ///< ours of its channel; none: it is given up
    rt::net::LinkId link = 0;  ///< 0: nobody has come
    std::string node;
    wire::Sending sending;
    std::string why;  ///< it is given up
    bool may_be_replaced = true;
  };
  struct Came {
    rt::net::LinkId link = 0;
    base::Bytes frame;
    bool over = false;  ///< in place of a frame: it is closed
    std::string why;
  };

  void opened(rt::net::LinkId) override {}
  void received(rt::net::LinkId link, base::Bytes frame) override;
  void closed(rt::net::LinkId link, std::string why) override;
  void came(Came what);

  void carry();
  void take(const Came& what);
  void greet(rt::net::LinkId link, const wire::Greeting& greeting);
  [[nodiscard]] std::uint64_t seat_visitor(std::uint64_t token);
  void take_orders(Seat& seat);
  void send_all(Seat& seat);
  void give_up(Seat& seat, const std::string& why);

  const Sameness same_;
  const Launch launch_;
  const Abandon abandon_;
  const std::function<void()> look_;
  std::mutex came_mutex_;
  std::vector<Came> came_;  ///< guarded by it
  std::mutex mutex_;        ///< guards the rest
  std::map<std::uint64_t, Seat> seats_;
  std::map<rt::net::LinkId, std::uint64_t> tokens_;
  std::map<std::uint64_t, Admit> open_;
  std::vector<std::pair<Admit, StartedMember>> visitors_;  ///< that have come, for the carrier
  bool ending_ = false;
  Waker wake_;
  std::unique_ptr<rt::net::Transport> transport_;
  std::thread carrier_;
};

}  // namespace tasks
