#include "runtime/net/sums/exchange.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/text.h"

namespace rt::net::sums {

namespace {

/// Sending and receiving take turns after so many bytes, which stay in a core's cache between the
/// two.
constexpr std::size_t kTurn = 256 << 10;

/// Bytes that are worth another turn, or another read, for who has something else to do: taking
/// them is much quicker than any network brings them.
constexpr std::size_t kWorthATurn = 64 << 10, kWorthARead = 8 << 10;
/// Turns that are not, at a time: a short message may come in some pieces.
constexpr int kSmallTurns = 4;

}  // namespace

LinkLost::LinkLost(int peer, const std::string& why)
    : base::Error(base::Errc::no_device, base::cat("member ", peer, " of the gang is lost: ", why)),
      peer_(peer) {}

bool Exchange::Running::sends_more() const {
  if (!outgoing.empty()) return true;
  const auto& rounds = sum.schedule->rounds;
  return std::any_of(
      rounds.begin() + static_cast<std::ptrdiff_t>(std::min(round + 1, rounds.size())),
      rounds.end(), [](const Round& one) { return !one.sends.empty(); });
}

void Exchange::begin(Sum sum) { sums_.push_back({.sum = std::move(sum)}); }

bool Exchange::advance() { return run(kWorthATurn); }

bool Exchange::run(std::size_t least) {
  bool moved = false;
  int small_turns = kSmallTurns;
  while (!sums_.empty()) {
    Running& first = sums_.front();
    if (!first.open) open(first);
    while (!first.is_over()) {
      const std::size_t bytes = send_some(first) + receive_some() + send_ahead();
      moved = moved || bytes > 0;
      if (!first.outgoing.empty() || !first.incoming.empty()) {
        if (bytes == 0 || (bytes < least && --small_turns == 0)) return moved;
        continue;
      }
      close_round(first);
      moved = true;
    }
    if (first.sum.after) first.sum.after();
    sums_.pop_front();
    moved = true;
  }
  return moved;
}

void Exchange::finish(std::size_t pending, base::Duration patience) {
  base::Moment heard = base::now();
  std::vector<int> from, to;
  while (true) {
    if (run(1)) heard = base::now();
    if (sums_.size() <= pending) return;
    from.clear();
    to.clear();
    for (const Incoming& one : sums_.front().incoming) from.push_back(one.receive.peer);
    for (const Outgoing& one : sums_.front().outgoing) to.push_back(one.send.peer);
    const base::Moment begun = base::now();
    const base::Duration left = heard + patience - begun;
    if (left <= base::Duration::zero())
      throw LinkLost(from.empty() ? to.front() : from.front(),
                     base::cat("nothing came for ", base::seconds(patience), " s"));
    links_.wait(from, to, left);
    waited_ += base::now() - begun;
  }
}

void Exchange::open(Running& running) {
  const auto members = static_cast<std::size_t>(links_.members());
  if (running.sum.before) running.sum.before();
  running.open = true;
  running.sent_to.assign(members, 0);
  running.received_from.assign(members, 0);
  scratch_.resize(std::max(scratch_.size(), running.sum.schedule->scratch));
  open_round(running);
}

void Exchange::open_round(Running& running) {
  if (running.is_over()) return;
  const Tag& tag = running.sum.tag;
  const Round& round = running.sum.schedule->rounds[running.round];
  for (const Send& send : round.sends)
    running.outgoing.push_back(
        {send,
         {tag.epoch, tag.step, tag.bucket, running.sent_to[static_cast<std::size_t>(send.peer)]++,
          send.from.count * kElement}});
  for (const Receive& receive : round.receives)
    running.incoming.push_back(
        {receive, running.received_from[static_cast<std::size_t>(receive.peer)]++});
}

/// And opens the next one.
void Exchange::close_round(Running& running) {
  const Sum& sum = running.sum;
  for (const Add& add : sum.schedule->rounds[running.round].adds) {
    if (add.right.count == 0)
      std::memcpy(at(sum, add.to), at(sum, add.left), add.to.count * kElement);
    else
      combine(sum.arithmetic, add.to.count, at(sum, add.left), at(sum, add.right), at(sum, add.to));
  }
  ++running.round;
  open_round(running);
}

/// Messages to a member keep their order, so the first sum must have sent its last one.
std::size_t Exchange::send_ahead() {
  if (sums_.size() < 2 || sums_.front().sends_more()) return 0;
  Running& next = sums_[1];
  // The scratch is the first one's.
  if (!next.sum.is_ready || next.sum.schedule->scratch > 0) return 0;
  if (!next.open) {
    open(next);
    // Its own shards.
    while (!next.is_over() && next.outgoing.empty() && next.incoming.empty()) close_round(next);
  }
  return send_some(next);
}

std::size_t Exchange::send_some(Running& running) {
  std::size_t moved = 0;
  int blocked = -1;  // messages to a peer lie side by side and keep their order
  for (Outgoing& one : running.outgoing) {
    if (one.send.peer == blocked || one.done == sizeof(Header) + one.header.bytes) continue;
    const auto header = std::as_bytes(std::span(&one.header, 1));
    const auto head = header.subspan(std::min(one.done, header.size()));
    const auto rest =
        bytes_of(running.sum, one.send.from).subspan(one.done - std::min(one.done, header.size()));
    const std::size_t sent =
        links_.send(one.send.peer, head, rest.first(std::min(rest.size(), kTurn)));
    one.done += sent;
    sent_ += sent;
    moved += sent;
    if (sent < head.size() + rest.size()) blocked = one.send.peer;
  }
  std::erase_if(running.outgoing, [&](const Outgoing& one) {
    return one.done == sizeof(Header) + one.header.bytes && links_.flush(one.send.peer);
  });
  return moved;
}

std::size_t Exchange::receive_some() {
  std::size_t moved = 0;
  int blocked = -1;
  std::vector<Incoming>& incoming = sums_.front().incoming;
  for (Incoming& one : incoming) {
    if (one.receive.peer == blocked) continue;
    moved += receive(one);
    if (one.done < one.receive.to.count) blocked = one.receive.peer;
  }
  std::erase_if(incoming, [](const Incoming& one) { return one.done == one.receive.to.count; });
  return moved;
}

/// Takes up to a turn's bytes of a message.
std::size_t Exchange::receive(Incoming& incoming) {
  const int peer = incoming.receive.peer;
  Reading& reading = reading_[static_cast<std::size_t>(peer)];
  const Sum& sum = sums_.front().sum;
  std::size_t moved = 0;
  for (std::size_t taken = 0; taken < kTurn && incoming.done < incoming.receive.to.count;) {
    if (reading.have < sizeof(Header)) {
      const std::size_t read = read_header(incoming, reading);
      if (read == 0) return moved;
      moved += read;
      continue;
    }
    const std::span<const std::byte> come = links_.incoming(peer);
    const std::size_t count =
        std::min(come.size() / kElement, incoming.receive.to.count - incoming.done);
    if (count == 0) return moved;
    std::byte* const to = at(sum, incoming.receive.to) + incoming.done * kElement;
    if (incoming.receive.adds)
      combine(sum.arithmetic, count, to, come.data(), to);
    else
      std::memcpy(to, come.data(), count * kElement);
    links_.take(peer, count * kElement);
    incoming.done += count;
    taken += count * kElement;
    moved += count * kElement;
    if (incoming.done == incoming.receive.to.count) reading.have = 0;
    if (count * kElement < kWorthARead) return moved;
  }
  return moved;
}

/// Reads towards the header that `incoming` waits for.
std::size_t Exchange::read_header(const Incoming& incoming, Reading& reading) {
  const int peer = incoming.receive.peer;
  if (reading.skipped > 0) return skip(peer, reading);
  const std::span<const std::byte> come = links_.incoming(peer);
  const std::size_t more = std::min(come.size(), sizeof(Header) - reading.have);
  if (more == 0) return 0;
  std::memcpy(reading.header.data() + reading.have, come.data(), more);
  links_.take(peer, more);
  reading.have += more;
  if (reading.have < sizeof(Header)) return more;

  Header header;
  std::memcpy(&header, reading.header.data(), sizeof header);
  const Tag& due = sums_.front().sum.tag;
  if (header.bytes % kElement != 0) throw LinkLost(peer, "what it sends is no message of a sum");
  if (std::tuple(header.epoch, header.step) < std::tuple(due.epoch, due.step)) {
    reading = {.header = {}, .have = 0, .skipped = header.bytes};
    ++dropped_;
    return more;
  }
  const std::size_t bytes = incoming.receive.to.count * kElement;
  if (Tag{header.epoch, header.step, header.bucket} != due || header.number != incoming.number ||
      header.bytes != bytes)
    throw LinkLost(
        peer, base::cat("it sent message ", header.number, " of bucket ", header.bucket, ", step ",
                        header.step, ", epoch ", header.epoch, " with ", header.bytes,
                        " bytes, where message ", incoming.number, " of bucket ", due.bucket,
                        ", step ", due.step, ", epoch ", due.epoch, " with ", bytes, " was due"));
  return more;
}

std::size_t Exchange::skip(int peer, Reading& reading) {
  const std::size_t there = links_.incoming(peer).size();
  const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(there, reading.skipped));
  links_.take(peer, now);
  reading.skipped -= now;
  return now;
}

std::byte* Exchange::at(const Sum& sum, const Piece& piece) {
  std::byte* const buffer = piece.buffer == Piece::kScratch
                                ? reinterpret_cast<std::byte*>(scratch_.data())
                                : sum.buffers[static_cast<std::size_t>(piece.buffer)];
  return buffer + piece.offset * kElement;
}

std::span<const std::byte> Exchange::bytes_of(const Sum& sum, const Piece& piece) {
  return {at(sum, piece), piece.count * kElement};
}

}  // namespace rt::net::sums
