#include "hpo/driver/device_use.h"

#include <array>
#include <cmath>
#include <numeric>

#include "base/clock.h"
#include "base/text.h"
#include "runtime/nodes.h"

namespace hpo {

std::vector<WorkerInfo> worker_infos(const rt::Summary& summary) {
  std::vector<WorkerInfo> infos;
  for (const rt::WorkerSummary& worker : summary.workers) {
    const char* kind = worker.id.kind == rt::Device::cpu ? "cpu " : "cuda ";
    WorkerInfo& info = infos.emplace_back();
    info.name = base::cat(kind, worker.id.index);
    info.gpu = worker.gpu;
    info.tasks = static_cast<std::int64_t>(worker.tasks);
    info.busy = worker.busy;
    info.waiting = worker.waiting;
    info.moving = worker.moving;
    for (std::size_t i = 0; i < rt::kIdleCauses; ++i)
      info.idle.emplace_back(rt::idle_cause_name(static_cast<rt::IdleCause>(i)), worker.idle[i]);
  }
  return infos;
}

namespace {

/// Shares of a bucket's time, whose last one may have begun only.
void add_shares(std::vector<double>& shares, const rt::WorkerTimes& times) {
  const double whole =
      std::accumulate(times.idle.begin(), times.idle.end(), times.busy + times.moving);
  const auto share = [&](double part) { shares.push_back(whole > 0 ? part / whole : 0); };
  share(times.busy);
  share(times.moving);
  for (const double idle : times.idle) share(idle);
}

}  // namespace

SessionUse session_use(const rt::UseSeries& series, const std::vector<WorkerInfo>& workers) {
  SessionUse use{.began = base::wall_micros() - std::llround(series.seconds * 1e6),
                 .width = series.width,
                 .seconds = series.seconds,
                 .states = {"busy", "moving"},
                 .workers = {}};
  for (std::size_t i = 0; i < rt::kIdleCauses; ++i)
    use.states.emplace_back(rt::idle_cause_name(static_cast<rt::IdleCause>(i)));
  for (std::size_t i = 0; i < workers.size(); ++i) {
    WorkerUse& worker = use.workers.emplace_back();
    worker.name = workers[i].name;
    worker.gpu = workers[i].gpu;
    for (const rt::WorkerTimes& times : series.workers.at(i)) add_shares(worker.shares, times);
  }
  return use;
}

std::vector<NodeInfo> node_infos() {
  constexpr std::array kStates{"working", "leaving", "lost", "left"};
  std::vector<NodeInfo> nodes;
  for (const rt::net::AgentView& agent : rt::agents()) {
    const bool gone =
        agent.state == rt::net::AgentState::lost || agent.state == rt::net::AgentState::left;
    nodes.push_back({.node = agent.node,
                     .state = kStates.at(static_cast<std::size_t>(agent.state)),
                     .workers = agent.slots,
                     .gpus = agent.gpus,
                     .parcels = static_cast<std::int64_t>(agent.parcels),
                     .lent = agent.lent,
                     .done = static_cast<std::int64_t>(agent.done),
                     .bytes_in = static_cast<std::int64_t>(agent.bytes_in),
                     .bytes_out = static_cast<std::int64_t>(agent.bytes_out),
                     .heard = base::seconds_since(agent.heard),
                     .there = base::seconds((gone ? agent.went : base::now()) - agent.came),
                     .busy = agent.busy});
  }
  return nodes;
}

}  // namespace hpo
