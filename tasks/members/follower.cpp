#include "tasks/members/follower.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"

namespace tasks {

namespace {

constexpr auto kPulse = std::chrono::milliseconds(250);
constexpr int kMostMissed = 3;  ///< places in a row

}  // namespace

Follower::Follower(const Channel& channel, Enter enter, const std::string& address)
    : channel_(channel), enter_(std::move(enter)) {
  if (address.size() >= kAddress)
    throw base::Error(base::Errc::internal, "the address of a member is too long");
  std::ranges::copy(address, address_.begin());
  say(Notice::Kind::here);
  pulse_ = std::thread([this] { say_alive(); });
}

Follower::~Follower() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ending_changed_.notify_all();
  pulse_.join();
}

void Follower::say_alive() {
  std::unique_lock lock(mutex_);
  while (!ending_changed_.wait_for(lock, kPulse, [this] { return ending_; }))
    (void)channel_.send(Notice{.kind = Notice::Kind::alive, .use = notes_.read()});
}

void Follower::say(Notice::Kind kind, std::int64_t done) const {
  const Notice notice{
      .kind = kind, .training = training_, .done = done, .use = notes_.read(), .address = address_};
  if (!channel_.send(notice)) throw FirstIsGone();
}

Channel::Received Follower::next_order() const {
  std::optional<Channel::Received> received = channel_.next_order();
  if (!received) throw FirstIsGone();
  return std::move(*received);
}

Channel::Received Follower::next_training() {
  while (true) {
    Channel::Received received = next_order();
    if (received.order.kind != Order::Kind::train) continue;
    training_ = received.order.training;
    return received;
  }
}

void Follower::end_training() { say(Notice::Kind::left); }

/// A place that is not there any more is one that the first process has left since.
std::unique_ptr<rt::net::sums::Links> Follower::enter(const Channel::Received& order) {
  try {
    auto links = enter_(order);
    missed_ = 0;
    return links;
  } catch (const base::Error& error) {
    if (error.kind() != base::Errc::storage || ++missed_ > kMostMissed) throw;
    throw rt::net::sums::LinkLost(0, error.what());
  }
}

std::optional<Members> Follower::next(std::int64_t done, const nn::StopPredicate& /*stopping*/) {
  say(Notice::Kind::ready, done);
  while (true) {
    const Channel::Received received = next_order();
    const Order& order = received.order;
    if (order.kind == Order::Kind::over) return std::nullopt;
    if (order.kind != Order::Kind::members) continue;
    Members members{.epoch = order.epoch,
                    .done = order.done,
                    .source = static_cast<int>(order.source),
                    .behind = {},
                    .stopping = order.stopping != 0,
                    .links = enter(received)};
    for (int i = 0; i < static_cast<int>(order.members); ++i)
      if (order.behind[static_cast<std::size_t>(i)]) members.behind.push_back(i);
    return members;
  }
}

bool Follower::leave() {
  while (true) {
    const Order order = next_order().order;
    if (order.kind == Order::Kind::over) return true;
    if (order.kind == Order::Kind::halt) return false;
  }
}

}  // namespace tasks
