#include "runtime/net/sums/ring_links.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <thread>
#include <utility>

#include "base/text.h"

namespace rt::net::sums {

namespace {

/// The other side takes what is there while the rest is written.
constexpr std::size_t kCommitted = 32 << 10;
/// Turns of looking before the kernel is asked to wake us, about 20 us: half of what sleeping and
/// being woken takes.
constexpr int kLooks = 400;
/// A process that was killed rings no bell.
constexpr base::Duration kLookAround = std::chrono::milliseconds(20);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

void wake(Seat& seat) noexcept {
  seat.bell += 1;
  (void)::syscall(SYS_futex, &seat.bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void sleep_on(std::atomic<std::uint32_t>& bell, std::uint32_t seen, base::Duration most) {
  const timespec limit{.tv_sec = static_cast<time_t>(most.count() / 1'000'000'000),
                       .tv_nsec = static_cast<long>(most.count() % 1'000'000'000)};
  (void)::syscall(SYS_futex, &bell, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

}  // namespace

void vacate(Segment& segment, int member) noexcept {
  segment.seat(member).state = Seat::kLeft;
  for (int peer = 0; peer < segment.members(); ++peer) wake(segment.seat(peer));
}

RingLinks::RingLinks(std::shared_ptr<Segment> segment, int own)
    : segment_(std::move(segment)),
      own_(own),
      spins_(static_cast<int>(std::thread::hardware_concurrency()) >= segment_->members()),
      processes_(static_cast<std::size_t>(segment_->members())) {
  std::uint32_t absent = Seat::kAbsent;
  if (own < 0 || own >= segment_->members())
    throw base::Error(base::Errc::internal, base::cat("no member ", own, " in this gang"));
  Seat& seat = segment_->seat(own);
  const bool taken = !seat.state.compare_exchange_strong(absent, Seat::kComing);
  if (taken && absent == Seat::kLeft) throw LinkLost(own, "the others go on without it");
  if (taken)
    throw base::Error(base::Errc::internal, base::cat("member ", own, " is there already"));
  seat.process = static_cast<std::int32_t>(::getpid());
  seat.state = Seat::kHere;
  for (int peer = 0; peer < members(); ++peer) ring(peer);
}

RingLinks::~RingLinks() { vacate(*segment_, own_); }

std::size_t RingLinks::room(int peer) const {
  const RingEnds& ends = segment_->ends(own_, peer);
  const std::uint64_t used = ends.written.load(std::memory_order_relaxed) - ends.taken.load();
  if (used > segment_->capacity()) throw LinkLost(peer, "its ring buffer is damaged");
  return segment_->capacity() - static_cast<std::size_t>(used);
}

/// Writes what there is room for. The caller rings the bell.
std::size_t RingLinks::write(int peer, std::span<const std::byte> bytes) {
  RingEnds& ends = segment_->ends(own_, peer);
  std::byte* const ring = segment_->bytes(own_, peer);
  const std::uint64_t written = ends.written.load(std::memory_order_relaxed);
  const std::size_t count = std::min(bytes.size(), room(peer));
  const std::size_t at = static_cast<std::size_t>(written) & (segment_->capacity() - 1);
  const std::size_t first = std::min(count, segment_->capacity() - at);
  if (count == 0) return 0;
  std::memcpy(ring + at, bytes.data(), first);
  std::memcpy(ring, bytes.data() + first, count - first);
  ends.written = written + count;
  return count;
}

std::size_t RingLinks::send(int peer, std::span<const std::byte> head,
                            std::span<const std::byte> body) {
  std::size_t sent = write(peer, head);
  if (sent == head.size()) {
    while (!body.empty()) {
      const std::size_t now = write(peer, body.first(std::min(body.size(), kCommitted)));
      if (now == 0) break;
      sent += now;
      body = body.subspan(now);
      if (!body.empty()) ring(peer);
    }
  }
  if (sent > 0)
    ring(peer);
  else
    check(peer);
  return sent;
}

std::span<const std::byte> RingLinks::incoming(int peer) {
  const RingEnds& ends = segment_->ends(peer, own_);
  const std::uint64_t taken = ends.taken.load(std::memory_order_relaxed);
  std::size_t count = static_cast<std::size_t>(ends.written.load() - taken);
  if (count == 0) {
    check(peer);
    count = static_cast<std::size_t>(ends.written.load() - taken);  // it may have left just now
  }
  if (count > segment_->capacity()) throw LinkLost(peer, "its ring buffer is damaged");
  const std::size_t at = static_cast<std::size_t>(taken) & (segment_->capacity() - 1);
  return {segment_->bytes(peer, own_) + at, std::min(count, segment_->capacity() - at)};
}

void RingLinks::take(int peer, std::size_t bytes) {
  RingEnds& ends = segment_->ends(peer, own_);
  ends.taken = ends.taken.load(std::memory_order_relaxed) + bytes;
  ring(peer);
}

bool RingLinks::is_ready(std::span<const int> from, std::span<const int> to) const {
  const auto left = [&](int peer) { return segment_->seat(peer).state.load() == Seat::kLeft; };
  return std::any_of(from.begin(), from.end(),
                     [&](int peer) {
                       const RingEnds& ends = segment_->ends(peer, own_);
                       return ends.written.load() != ends.taken.load() || left(peer);
                     }) ||
         std::any_of(to.begin(), to.end(), [&](int peer) { return room(peer) > 0 || left(peer); });
}

void RingLinks::wait(std::span<const int> from, std::span<const int> to, base::Duration most) {
  for (int i = 0; spins_ && i < kLooks; ++i) {
    if (is_ready(from, to)) return;
    relax();
  }
  // Either the peer sees that this one sleeps, or this one sees what the peer did: all of these
  // accesses have one order.
  Seat& seat = segment_->seat(own_);
  const std::uint32_t seen = seat.bell;
  seat.asleep = 1;
  const bool ready = is_ready(from, to);
  if (!ready) sleep_on(seat.bell, seen, std::min(most, kLookAround));
  seat.asleep = 0;
  if (ready || seat.bell != seen) return;
  for (const int peer : from) (void)is_dead(peer);
  for (const int peer : to) (void)is_dead(peer);
}

void RingLinks::ring(int peer) const {
  Seat& seat = segment_->seat(peer);
  if (seat.asleep != 0) wake(seat);
}

void RingLinks::check(int peer) {
  const RingEnds& ends = segment_->ends(peer, own_);
  if (segment_->seat(peer).state.load() != Seat::kLeft) return;
  if (ends.written.load() == ends.taken.load()) throw LinkLost(peer, "it has left");
}

/// Looks whether the peer's process has ended, and then takes its seat away.
bool RingLinks::is_dead(int peer) {
  Seat& seat = segment_->seat(peer);
  if (seat.state.load() != Seat::kHere) return false;
  base::File& process = processes_[static_cast<std::size_t>(peer)];
  if (!process) {
    process = base::File(static_cast<int>(::syscall(SYS_pidfd_open, seat.process.load(), 0)));
    if (!process && errno != ESRCH) return false;
  }
  pollfd ended{process.fd(), POLLIN, 0};
  if (process && ::poll(&ended, 1, 0) <= 0) return false;
  seat.state = Seat::kLeft;
  return true;
}

}  // namespace rt::net::sums
