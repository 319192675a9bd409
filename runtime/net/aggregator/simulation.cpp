#include "runtime/net/aggregator/simulation.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "runtime/net/aggregator/event_queue.h"

namespace rt::net::aggregator {
namespace {

using Direction = Links::Direction;

class Star {
 public:
  Star(const Simulated& simulated, const Layout& layout, std::span<const std::vector<float>> terms,
       int times)
      : limit_(base::Moment{} + simulated.limit),
        layout_(&layout),
        terms_(terms),
        links_(simulated.fabric, static_cast<unsigned>(terms.size()), simulated.seed),
        switch_(kJob, static_cast<unsigned>(terms.size()), simulated.slots, simulated.bitmap) {
    const auto workers = static_cast<unsigned>(terms.size());
    for (unsigned w = 0; w < workers; ++w) {
      Uplink& uplink = uplinks_.emplace_back();
      uplink.star = this;
      uplink.worker = w;
      nodes_.push_back({Worker({kJob, w, workers, simulated.slots}, simulated.patience, uplink),
                        times, base::Moment{INT64_MAX}, false});
      const double skew = links_.dice().uniform() * static_cast<double>(simulated.skew.count());
      events_.put(base::Moment{static_cast<std::int64_t>(skew)}, {Kind::begin, w, nullptr});
    }
    outcome_.sums.resize(workers);
  }

  Outcome run() {
    std::size_t unfinished = nodes_.size();
    while (unfinished > 0 && !events_.empty() && events_.next() <= limit_) {
      now_ = events_.next();
      const Event event = events_.take();
      if (event.kind == Kind::at_switch) {
        at_switch(*event.packet);
      } else if (at_worker(event)) {
        --unfinished;
      }
    }
    outcome_.done = unfinished == 0;
    outcome_.time = now_ - base::Moment{};
    outcome_.lost = links_.lost();
    for (const Node& node : nodes_) {
      outcome_.sent += node.worker.sent();
      outcome_.resent += node.worker.resent();
    }
    return std::move(outcome_);
  }

 private:
  static constexpr std::uint32_t kJob = 1;
  using Shared = std::shared_ptr<const Packet>;

  enum class Kind : std::uint8_t { begin, timer, at_worker, at_switch };
  struct Event {
    Kind kind;
    unsigned worker;
    Shared packet;
  };
  struct Uplink final : Wire {
    Star* star = nullptr;
    unsigned worker = 0;
    void send(const Packet& packet) override {
      star->carry(worker, Direction::to_switch, std::make_shared<const Packet>(packet));
    }
  };
  struct Node {
    Worker worker;
    int sums_left;
    base::Moment timer;  ///< the next event of its timers
    bool begun = false;
  };

  void carry(unsigned worker, Direction direction, const Shared& packet) {
    const Kind kind = direction == Direction::to_switch ? Kind::at_switch : Kind::at_worker;
    for (const base::Moment at : links_.send(worker, direction, byte_count(*packet), now_)) {
      events_.put(at, {kind, worker, packet});
    }
  }

  void at_switch(const Packet& term) {
    const Switch::Answer answer = switch_.receive(term);
    if (answer.to == Switch::To::nobody) return;
    const auto sum = std::make_shared<const Packet>(answer.sum);
    if (answer.to == Switch::To::sender) return carry(term.worker, Direction::from_switch, sum);
    for (unsigned w = 0; w < nodes_.size(); ++w) carry(w, Direction::from_switch, sum);
  }

  /// Returns true if the worker's last sum came with this event.
  bool at_worker(const Event& event) {
    Node& node = nodes_[event.worker];
    Worker& worker = node.worker;
    if (event.kind == Kind::begin) {
      worker.begin(*layout_, terms_[event.worker], now_);
      node.begun = true;
    }
    if (event.kind == Kind::at_worker) worker.receive(*event.packet, now_);
    if (event.kind == Kind::timer) {
      node.timer = base::Moment{INT64_MAX};
      worker.resend(now_);
    }
    const bool finished = keep_sums(event.worker);
    if (const auto due = worker.due(); due && *due < node.timer) {
      node.timer = *due;
      events_.put(*due, {Kind::timer, event.worker, nullptr});
    }
    return finished;
  }

  bool keep_sums(unsigned w) {
    Node& node = nodes_[w];
    while (node.begun && node.sums_left > 0 && node.worker.done()) {
      const std::span<const float> sum = node.worker.sum();
      outcome_.sums[w].insert(outcome_.sums[w].end(), sum.begin(), sum.end());
      if (--node.sums_left == 0) return true;
      node.worker.begin(*layout_, terms_[w], now_);
    }
    return false;
  }

  base::Moment limit_;
  const Layout* layout_;
  std::span<const std::vector<float>> terms_;
  Links links_;
  Switch switch_;
  std::deque<Uplink> uplinks_;  // workers keep their addresses
  std::vector<Node> nodes_;
  EventQueue<Event> events_;
  base::Moment now_;
  Outcome outcome_;
};

/// A packet of the ring, on its way to a worker.
struct Hop {
  unsigned to;
  unsigned step;
  std::size_t bytes;
  bool at_switch;  ///< on the first of its two links
};

}  // namespace

Outcome simulate(const Simulated& simulated, const Layout& layout,
                 std::span<const std::vector<float>> terms, int times) {
  return Star(simulated, layout, terms, times).run();
}

base::Duration simulate_ring(const Fabric& fabric, unsigned workers, std::size_t floats) {
  Links links(fabric, workers, 0);
  EventQueue<Hop> events;
  base::Moment now;
  const auto send = [&](unsigned from, Hop hop) {
    const Direction direction = hop.at_switch ? Direction::to_switch : Direction::from_switch;
    for (const base::Moment at : links.send(from, direction, hop.bytes, now)) events.put(at, hop);
  };
  const unsigned last_step = 2 * (workers - 1) - 1;
  for (unsigned w = 0; w < workers && workers > 1; ++w) {
    const std::size_t part = floats * (w + 1) / workers - floats * w / workers;
    for (std::size_t at = 0; at < part; at += kBlockFloats) {
      const std::size_t bytes = kHeaderBytes + 4 * std::min(kBlockFloats, part - at);
      send(w, {(w + 1) % workers, 0, bytes, true});
    }
  }
  while (!events.empty()) {
    now = events.next();
    Hop hop = events.take();
    if (hop.at_switch) {
      hop.at_switch = false;
      send(hop.to, hop);
    } else if (hop.step < last_step) {
      send(hop.to, {(hop.to + 1) % workers, hop.step + 1, hop.bytes, true});
    }
  }
  return now - base::Moment{};
}

}  // namespace rt::net::aggregator
