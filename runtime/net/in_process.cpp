#include "runtime/net/in_process.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace rt::net {

InProcess::InProcess(std::uint64_t seed, std::size_t nodes)
    : dice_(seed, "network"),
      posts_(nodes),
      ends_(nodes, nullptr),
      lives_(nodes, 1),
      off_(nodes, false),
      frozen_(nodes),
      routes_(nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    posts_[i].network = this;
    posts_[i].node = static_cast<Node>(i);
  }
}

void InProcess::attach(Node node, EndPoint* end) {
  ends_[node] = end;
  ++lives_[node];
}

void InProcess::put(base::Moment at, Node node, std::uint64_t life,
                    std::function<void()> function) {
  queue_.push({at, ++happenings_, node, life, std::move(function)});
}

void InProcess::after(base::Duration delay, Node node, std::function<void()> function) {
  put(now_ + delay, node, lives_[node], std::move(function));
}

bool InProcess::step() {
  if (queue_.empty()) return false;
  Happening next = queue_.top();
  queue_.pop();
  now_ = std::max(now_, next.at);
  if (next.life != 0 && next.life != lives_[next.node]) return true;
  if (frozen_[next.node] > now_) {
    put(frozen_[next.node], next.node, next.life, std::move(next.function));
    return true;
  }
  next.function();
  return true;
}

std::size_t InProcess::add_cable(const Cable& cable) {
  cables_.push_back(cable);
  return cables_.size() - 1;
}

namespace {

base::Duration time_of(std::size_t bytes, double bandwidth) {
  return base::Duration(static_cast<std::int64_t>(1e9 * static_cast<double>(bytes) / bandwidth));
}

}  // namespace

base::Duration InProcess::delay(Node node) const {
  if (routes_[node].empty()) return weather_.delay;
  base::Duration all{};
  for (const std::size_t cable : routes_[node]) all += cables_[cable].delay;
  return all;
}

/// The first byte of a frame passes a cable while the last one is still on the cable before.
base::Moment InProcess::passed(Node from, Node to, Channel channel, std::size_t bytes) {
  const std::vector<std::size_t>& route = routes_[from == 0 ? to : from];
  const auto lane = static_cast<std::uint64_t>(channel);
  if (route.empty()) {
    base::Moment& free = free_[{from, to, lane}];
    return free = std::max(free, now_) + time_of(bytes, weather_.bandwidth);
  }
  base::Moment begins = now_;
  base::Moment last = now_;
  for (std::size_t i = 0; i < route.size(); ++i) {
    const std::size_t cable = to == 0 ? route[i] : route[route.size() - 1 - i];
    base::Moment& free = cable_free_[{cable, to == 0 ? 1U : 0U, lane}];
    begins = std::max(begins, free);
    free = begins + time_of(bytes, cables_[cable].bandwidth);
    last = std::max(last, free);
  }
  return last;
}

void InProcess::dial(Node node) {
  const base::Duration way = delay(node);
  after(way, node, [this, node, way] {
    if (ends_[0] == nullptr || separated(0, node)) {
      after(way, node, [this, node] { ends_[node]->closed(node); });
      return;
    }
    put(now_ + way, 0, lives_[0], [this, node] { ends_[0]->opened(node); });
    after(2 * way, node, [this, node] { ends_[node]->opened(node); });
  });
}

void InProcess::carry(Node from, Node to, LinkId link, Channel channel, base::Bytes frame) {
  ++frames_;
  if (separated(from, to) || dice_.uniform() < weather_.lose) return;
  const base::Moment here = passed(from, to, channel, frame.size()) + delay(from == 0 ? to : from);
  const auto bytes = std::make_shared<const base::Bytes>(std::move(frame));
  const auto arrive = [this, to, link, bytes] {
    if (ends_[to] != nullptr && !off_[to]) ends_[to]->received(link, *bytes);
  };
  const auto late = [&] {
    return base::Duration(static_cast<std::int64_t>(
        dice_.uniform() * static_cast<double>(weather_.lateness.count())));
  };
  const bool behind = dice_.uniform() < weather_.late;
  put(here + (behind ? late() : base::Duration(0)), to, 0, arrive);
  if (dice_.uniform() < weather_.repeat) put(here + late(), to, 0, arrive);
}

void InProcess::NodePost::send(LinkId link, Channel channel, base::Bytes frame) {
  const Node to = node == 0 ? static_cast<Node>(link) : 0;
  network->carry(node, to, link, channel, std::move(frame));
}

void InProcess::NodePost::close(LinkId link) {
  const Node to = node == 0 ? static_cast<Node>(link) : 0;
  if (network->separated(node, to)) return;
  InProcess& all = *network;
  base::Moment at = all.now_;
  for (std::uint64_t channel = 0; channel < kChannels; ++channel)
    at = std::max(at, all.passed(node, to, static_cast<Channel>(channel), 0));
  all.put(at + all.delay(node == 0 ? to : node), to, 0, [&all, to, link] {
    if (all.ends_[to] != nullptr && !all.off_[to]) all.ends_[to]->closed(link);
  });
}

}  // namespace rt::net
