#include "tasks/members/far_members.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "runtime/codec.h"

namespace tasks {

namespace {

constexpr int kLook = 100;  ///< milliseconds

}  // namespace

std::uint64_t new_token() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) | 1;
}

/// What the roster has of a member that is not here.
class FarProcess final : public MemberProcess {
 public:
  FarProcess(FarMembers& all, std::uint64_t token) : all_(all), token_(token) {}
  ~FarProcess() override {
    const std::lock_guard lock(all_.mutex_);
    const auto at = all_.seats_.find(token_);
    if (at == all_.seats_.end()) return;
    all_.give_up(at->second, {});
    all_.seats_.erase(at);
  }
  FarProcess(const FarProcess&) = delete;
  FarProcess& operator=(const FarProcess&) = delete;

  void kill() noexcept override {
    {
      const std::lock_guard lock(all_.mutex_);
      FarMembers::Seat& seat = all_.seats_[token_];
      all_.give_up(seat, seat.link == 0 ? "no process came in time" : "it stopped responding");
    }
    all_.abandon_(token_);
  }
  [[nodiscard]] std::string end() override {
    const std::lock_guard lock(all_.mutex_);
    FarMembers::Seat& seat = all_.seats_[token_];
    all_.give_up(seat, "it has left");
    return seat.node.empty() ? seat.why : base::cat("on ", seat.node, ", ", seat.why);
  }
  [[nodiscard]] bool may_be_replaced() const override {
    const std::lock_guard lock(all_.mutex_);
    return all_.seats_[token_].may_be_replaced;
  }

 private:
  FarMembers& all_;
  const std::uint64_t token_;
};

FarMembers::FarMembers(rt::net::Network& network, const rt::net::Identity& own,
                       const std::string& at, Sameness same, Launch launch, Abandon abandon,
                       std::function<void()> look)
    : same_(std::move(same)),
      launch_(std::move(launch)),
      abandon_(std::move(abandon)),
      look_(std::move(look)) {
  transport_ = network.listen(own, at, *this);
  carrier_ = std::thread([this] { carry(); });
}

FarMembers::~FarMembers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.wake();
  carrier_.join();
  visitors_.clear();
  transport_.reset();
}

StartedMember FarMembers::start(int seat) {
  auto [ours, theirs] = Channel::make();
  const std::uint64_t token = new_token();
  {
    const std::lock_guard lock(mutex_);
    seats_[token].end = std::move(theirs);
  }
  auto process = std::make_unique<FarProcess>(*this, token);
  launch_(seat, token);
  wake_.wake();
  return {.process = std::move(process), .channel = std::move(ours)};
}

void FarMembers::open(std::uint64_t token, Admit admit) {
  const std::lock_guard lock(mutex_);
  open_[token] = std::move(admit);
}

void FarMembers::ended(std::uint64_t token, const std::string& how) {
  const std::lock_guard lock(mutex_);
  const auto at = seats_.find(token);
  if (at != seats_.end()) give_up(at->second, how);
}

/// The roster hears of it by the end of the channel.
void FarMembers::give_up(Seat& seat, const std::string& why) {
  if (!seat.end) return;
  seat.why = why;
  (void)seat.end.close();
  if (seat.link == 0) return;
  transport_->close(seat.link);
  tokens_.erase(seat.link);
}

// --- on the transport's threads, which may not call it

void FarMembers::received(rt::net::LinkId link, base::Bytes frame) {
  came({.link = link, .frame = std::move(frame), .why = {}});
}

void FarMembers::closed(rt::net::LinkId link, std::string why) {
  came({.link = link, .frame = {}, .over = true, .why = std::move(why)});
}

void FarMembers::came(Came what) {
  {
    const std::lock_guard lock(came_mutex_);
    came_.push_back(std::move(what));
  }
  wake_.wake();
}

// --- on the carrier's thread

void FarMembers::carry() {
  while (true) {
    std::vector<pollfd> watched{{wake_.fd(), POLLIN, 0}};
    std::vector<std::uint64_t> of{0};
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      for (const auto& [token, seat] : seats_) {
        if (!seat.end) continue;
        watched.push_back({seat.end.fd(), POLLIN, 0});
        of.push_back(token);
      }
    }
    (void)::poll(watched.data(), watched.size(), kLook);
    wake_.reset();
    if (look_) look_();
    std::vector<Came> all;
    {
      const std::lock_guard lock(came_mutex_);
      all.swap(came_);
    }
    std::vector<std::pair<Admit, StartedMember>> visitors;
    {
      const std::lock_guard lock(mutex_);
      for (const Came& one : all) take(one);
      visitors.swap(visitors_);
    }
    // A roster calls this with a lock of its own.
    for (auto& [admit, visitor] : visitors) (void)admit(std::move(visitor));
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < watched.size(); ++i) {
      const auto at = seats_.find(of[i]);
      if (watched[i].revents != 0 && at != seats_.end() && at->second.end) take_orders(at->second);
    }
    for (auto& [token, seat] : seats_)
      if (seat.end && seat.link != 0) send_all(seat);
  }
}

/// One order a look, so that no read waits.
void FarMembers::take_orders(Seat& seat) {
  std::optional<Channel::Received> order = Channel::next_of(seat.end);
  if (!order) return give_up(seat, "it is no longer needed");
  seat.sending.add(std::move(*order));
}

void FarMembers::send_all(Seat& seat) {
  try {
    while (const std::optional<wire::FromFirst> message = seat.sending.next())
      transport_->send(seat.link, rt::net::Channel::control, rt::encode(*message));
  } catch (const base::Error& error) {
    give_up(seat, error.what());
  }
}

void FarMembers::take(const Came& what) {
  const auto token = tokens_.find(what.link);
  Seat* const seat = token == tokens_.end() ? nullptr : &seats_[token->second];
  if (what.over) {
    if (seat != nullptr) give_up(*seat, what.why);
    return;
  }
  try {
    auto message = rt::decode<wire::FromMember>(what.frame);
    if (const auto* const greeting = std::get_if<wire::Greeting>(&message))
      return seat == nullptr ? greet(what.link, *greeting)
                             : give_up(*seat, "it introduced itself twice");
    if (seat == nullptr) return transport_->close(what.link);
    if (const auto* const taken = std::get_if<wire::Taken>(&message))
      return seat->sending.taken(taken->bytes);
    if (!Channel::send_to(seat->end, wire::notice_of(std::get<wire::NoticeSent>(message))))
      give_up(*seat, "it is no longer needed");
  } catch (const base::Error& error) {
    if (seat != nullptr) return give_up(*seat, error.what());
    transport_->close(what.link);
  }
}

/// Makes a seat for a visitor, whom a roster gets behind the lock. Returns its own token.
std::uint64_t FarMembers::seat_visitor(std::uint64_t token) {
  auto [ours, theirs] = Channel::make();
  const std::uint64_t own = new_token();
  seats_[own].end = std::move(theirs);
  visitors_.emplace_back(open_.at(token),
                         StartedMember{.process = std::make_unique<FarProcess>(*this, own),
                                       .channel = std::move(ours)});
  return own;
}

void FarMembers::greet(rt::net::LinkId link, const wire::Greeting& greeting) {
  const auto is_free = [](const Seat& seat) { return seat.end && seat.link == 0; };
  auto at = seats_.find(greeting.token);
  if (greeting.token == 0)
    at = std::find_if(seats_.begin(), seats_.end(),
                      [&](const auto& one) { return is_free(one.second); });
  if (at == seats_.end() && open_.contains(greeting.token))
    at = seats_.find(seat_visitor(greeting.token));
  if (at == seats_.end() || !is_free(at->second)) return transport_->close(link);
  Seat& seat = at->second;
  seat.node = base::printable(greeting.node, 60);
  std::string why;
  if (greeting.build != same_.build) {
    why = "its program is another build";
  } else if (greeting.arithmetic != same_.arithmetic) {
    why = base::cat("its arithmetic is '", base::printable(greeting.arithmetic, 200),
                    "', and that of the first process '", same_.arithmetic, "'");
  }
  if (!why.empty()) {
    transport_->send(link, rt::net::Channel::control,
                     rt::encode(wire::FromFirst(wire::TurnedAway{why})));
    transport_->close(link);
    seat.may_be_replaced = false;
    return give_up(seat, why);
  }
  seat.link = link;
  tokens_[link] = at->first;
}

}  // namespace tasks
