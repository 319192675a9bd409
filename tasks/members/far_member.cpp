#include "tasks/members/far_member.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "runtime/codec.h"
#include "runtime/net/hosts.h"
#include "tasks/gang.h"
#include "tasks/members/places.h"

namespace tasks {

namespace {

using rt::net::LinkId;

/// Carries between the first process, on another host, and a channel of this one.
class Carrier final : rt::net::Inbox {
 public:
  Carrier(rt::net::Network& network, const FarOrders& orders, const Sameness& same,
          rt::net::MemberDoor& door, base::File end)
      : greeting_{orders.token, same.build, same.arithmetic, orders.node},
        address_(orders.address),
        door_(door),
        end_(std::move(end)) {
    transport_ = network.connect(orders.identity, orders.first, *this);
    transport_->dial(orders.address);
    thread_ = std::thread([this] { carry(); });
  }
  ~Carrier() override {
    stop();
    transport_.reset();
  }
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  /// Throws base::Error, as be_far_member(), unless it has carried something and nobody minded.
  void stop_and_check() {
    stop();
    if (!turned_away_.empty())
      throw base::Error(
          base::Errc::no_device,
          base::cat("the first process of the gang does not take this member: ", turned_away_));
    if (failed_)
      throw base::Error(
          failed_->kind(),
          base::cat("what the first process of the gang sent cannot be taken: ", failed_->what()));
    if (!linked_)
      throw base::Error(base::Errc::cancelled, "no first process of a gang answers at " + address_);
  }

 private:
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.wake();
    if (thread_.joinable()) thread_.join();
  }

  struct Came {
    enum class Kind : std::uint8_t { opened, frame, closed } kind = Kind::frame;
    LinkId link = 0;
    base::Bytes frame{};
  };

  void opened(LinkId link) override { came({.kind = Came::Kind::opened, .link = link}); }
  void received(LinkId link, base::Bytes frame) override {
    came({.link = link, .frame = std::move(frame)});
  }
  void closed(LinkId link, std::string) override {
    came({.kind = Came::Kind::closed, .link = link});
  }
  void came(Came what) {
    {
      const std::lock_guard lock(mutex_);
      came_.push_back(std::move(what));
    }
    wake_.wake();
  }

  void carry() {
    while (true) {
      std::vector<pollfd> watched{{wake_.fd(), POLLIN, 0}};
      if (linked_) watched.push_back({end_.fd(), POLLIN, 0});
      (void)::poll(watched.data(), watched.size(), -1);
      wake_.reset();
      std::vector<Came> all;
      {
        const std::lock_guard lock(mutex_);
        if (ending_) return;
        all.swap(came_);
      }
      try {
        for (Came& one : all)
          if (!take(one)) return over();
        if (watched.size() > 1 && watched[1].revents != 0 && !take_notices()) return over();
      } catch (const base::Error& error) {
        failed_ = error;
        return over();
      }
    }
  }

  /// The first process is gone for the member: its channel ends, and nobody waits at the door.
  void over() {
    door_.cut();
    (void)end_.close();
  }

  /// Returns false at the end.
  bool take(Came& what) {
    switch (what.kind) {
      case Came::Kind::closed:
        return false;
      case Came::Kind::opened:
        link_ = what.link;
        linked_ = true;
        say(greeting_);
        return true;
      case Came::Kind::frame:
        break;
    }
    auto message = rt::decode<wire::FromFirst>(what.frame);
    if (const auto* const away = std::get_if<wire::TurnedAway>(&message)) {
      turned_away_ = away->why;
      return false;
    }
    if (const auto* const piece = std::get_if<wire::Piece>(&message)) {
      receiving_.take(*piece);
      say(wire::Taken{piece->bytes.size()});
    } else {
      receiving_.take(std::get<wire::OrderSent>(message));
    }
    const std::optional<Channel::Received> order = receiving_.whole();
    if (!order) return true;
    // Whoever waits for one that is lost, or for a first process that has stopped, has to hear it
    // here: the member itself reads no orders in the middle of a step.
    const Order::Kind kind = order->order.kind;
    if (kind == Order::Kind::halt || kind == Order::Kind::over) door_.cut();
    return Channel::send_to(end_, *order);
  }

  bool take_notices() {
    Notice notice;
    while (true) {
      switch (Channel::take_of(end_, notice)) {
        case Channel::Got::nothing:
          return true;
        case Channel::Got::end:
          return false;
        case Channel::Got::notice:
          say(wire::NoticeSent{wire::bytes_of(notice)});
      }
    }
  }

  void say(wire::FromMember message) {
    transport_->send(link_, rt::net::Channel::control, rt::encode(message));
  }

  const wire::Greeting greeting_;
  const std::string address_;
  rt::net::MemberDoor& door_;
  base::File end_;  ///< closed by the thread
  Waker wake_;
  wire::Receiving receiving_;
  LinkId link_ = 0;
  bool linked_ = false;
  std::string turned_away_;
  std::optional<base::Error> failed_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<Came> came_;
  bool ending_ = false;
  std::unique_ptr<rt::net::Transport> transport_;
  std::thread thread_;
};

}  // namespace

void be_far_member(rt::net::Network& network, const FarOrders& orders, const Sameness& same) {
  const std::string host = orders.address.substr(0, orders.address.rfind(':'));
  const std::unique_ptr<rt::net::MemberDoor> door = network.open_door(
      orders.identity, orders.at.empty() ? rt::net::address_towards({host}) : orders.at);
  auto [ours, theirs] = Channel::make();
  Carrier carrier(network, orders, same, *door, std::move(theirs));
  be_member(std::move(ours), enter_by(*door), door->address());
  carrier.stop_and_check();
}

}  // namespace tasks
