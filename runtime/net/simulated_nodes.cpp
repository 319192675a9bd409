#include "runtime/net/simulated_nodes.h"

#include <algorithm>
#include <utility>

#include "runtime/codec.h"

namespace rt::net {

namespace {

constexpr base::Duration kTick = std::chrono::milliseconds(250);  ///< as of a real driver
/// A tick of a long run may come later, by that share of the time so far: what it looks after, idle
/// agents, is not worth more.
constexpr int kTicksOfARun = 2000;
constexpr double kLargest = 64 << 20;  ///< bytes of a content in this process's memory

}  // namespace

SimulatedNodes::SimulatedNodes(const Options& options, Listener listener)
    : options_(options),
      listener_(std::move(listener)),
      scale_(std::max(1.0, static_cast<double>(options.largest) / kLargest)),
      // The last node is whoever plays the losses.
      network_(options.seed, static_cast<std::size_t>(options.platform.nodes.count) + 2),
      chance_(options.seed, "losses") {
  const Platform& platform = options_.platform;
  network_.set_weather({.delay = std::chrono::microseconds(1)});
  lay_cables(platform.nodes);
  network_.attach(0, this);
  Dispatcher::Options its;
  its.patience = its.beat = kNoSilence;
  its.bandwidth /= scale_;
  dispatcher_ = std::make_unique<Dispatcher>(std::move(its), network_.post(0),
                                             static_cast<Dispatcher::Client&>(*this));
  const SimulatedAgent::Size size{.workers = platform.cpu.count,
                                  .gpus = platform.gpu.count,
                                  .counts_workers = options.uses_workers,
                                  .counts_gpus = options.uses_gpus};
  for (int i = 1; i <= platform.nodes.count; ++i) {
    agents_.push_back(
        std::make_unique<SimulatedAgent>(network_, static_cast<InProcess::Node>(i), size, zeros_));
    agents_.back()->start();
  }
  // A study begins when all of its agents are there.
  while (dispatcher_->agents().size() < agents_.size() && network_.step()) {
  }
  tick();
  if (platform.nodes.losses > 0) expect_loss(chance_.uniform());
}

SimulatedNodes::~SimulatedNodes() {
  network_.attach(0, nullptr);
  agents_.clear();
}

/// The driver's link, each node's, and one for each group of a level that the driver is not in.
void SimulatedNodes::lay_cables(const NodesModel& nodes) {
  const auto cable = [&](const LinkModel& link, double share) {
    return network_.add_cable({.delay = simulated_time(share * link.latency),
                               .bandwidth = std::max(link.bandwidth / scale_, 1e-3)});
  };
  const std::size_t drivers = cable(nodes.link, 0.5);
  std::map<std::pair<std::size_t, int>, std::size_t> uplinks;  // by level and group
  for (int i = 0; i < nodes.count; ++i) {
    std::vector<std::size_t> route{cable(nodes.link, 0.5)};
    std::vector<std::size_t> down;
    for (std::size_t level = 0; level < nodes.levels.size(); ++level) {
      const int group = i / nodes.levels[level].nodes;
      if (group == 0) continue;
      for (const int side : {group, 0}) {
        const auto [at, added] = uplinks.try_emplace({level, side}, 0);
        if (added) at->second = cable(nodes.levels[level].link, 0.5);
        (side == 0 ? down : route).push_back(at->second);
      }
    }
    route.insert(route.end(), down.rbegin(), down.rend());
    route.push_back(drivers);
    network_.set_route(static_cast<InProcess::Node>(i + 1), std::move(route));
  }
}

std::uint64_t SimulatedNodes::scaled(std::uint64_t bytes) const noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) / scale_);
}

Submission SimulatedNodes::submission(std::uint64_t id, Call call, SimulatedBody body) const {
  for (std::uint64_t& size : body.sizes) size = scaled(size);
  call.task = "simulated";
  call.constants = encode(body);
  return {.id = id, .call = std::move(call), .files = {}};
}

void SimulatedNodes::remember_source(Submission source, base::Key file, std::uint64_t bytes) {
  files_[file] = scaled(bytes);
  source.files = {{file, "data"}};
  dispatcher_->remember(source, true);
  for (const base::Key& key : source.call.outputs) dispatcher_->retain(key);
}

void SimulatedNodes::submit(std::vector<Submission> calls) {
  dispatcher_->submit(std::move(calls), now());
  // The driver works for that long, and what comes meanwhile waits.
  busy_until_ = std::max(busy_until_, now()) + simulated_time(options_.platform.runtime.parcel);
  network_.freeze(0, busy_until_);
}

void SimulatedNodes::cancel(const std::vector<std::uint64_t>& calls) {
  dispatcher_->cancel(calls, now());
}

bool SimulatedNodes::step() {
  const bool gone = std::ranges::none_of(agents_, [](const auto& agent) { return agent->alive(); });
  return !(gone && coming_ == 0) && network_.step();
}

SimulatedNodes::Use SimulatedNodes::use() const noexcept {
  Use use;
  for (const auto& agent : agents_) {
    use.slots += agent->slots();
    use.busy += agent->busy();
    if (agent->alive())
      use.fetching += agent->fetching();
    else
      use.lost += agent->slots();
  }
  return use;
}

void SimulatedNodes::tick() {
  dispatcher_->tick(now());
  network_.after(std::max(kTick, (now() - base::Moment{}) / kTicksOfARun), 0, [this] { tick(); });
}

// --- losses

/// So many mean intervals from now. At even intervals, a study could go round in circles: what one
/// node loses is begun anew on the one that is lost next, every time.
void SimulatedNodes::expect_loss(double intervals) {
  network_.after(simulated_time(intervals / options_.platform.nodes.losses),
                 static_cast<InProcess::Node>(agents_.size() + 1), [this] { lose_one(); });
}

void SimulatedNodes::lose_one() {
  const NodesModel& nodes = options_.platform.nodes;
  const auto fate = static_cast<InProcess::Node>(agents_.size() + 1);
  expect_loss(0.5 + chance_.uniform());
  std::vector<std::size_t> alive;
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    if (agents_[i]->alive()) alive.push_back(i);
  }
  if (alive.empty()) return;
  const std::size_t index = alive[chance_.below(alive.size())];
  ++losses_;
  wasted_ += agents_[index]->lose();
  const LinkId link = index + 1;
  // The driver finds out at a tick after its patience; a node that is back before says so itself.
  const base::Duration back = simulated_time(nodes.back);
  if (nodes.back == 0 || back > options_.patience + kTick)
    network_.after(options_.patience + kTick / 2, fate,
                   [this, link] { dispatcher_->closed(link, "nothing was heard of it", now()); });
  if (nodes.back == 0) return;
  ++coming_;
  network_.after(back, fate, [this, index] {
    --coming_;
    agents_[index]->start();
  });
}

// --- the dispatcher

void SimulatedNodes::ended(std::uint64_t call, Outcome outcome) {
  listener_.ended(call, outcome.end);
}

void SimulatedNodes::told(std::uint64_t call, const std::string& text) {
  listener_.told(call, static_cast<std::uint32_t>(std::stoul(text)));
}

Dispatcher::Blob SimulatedNodes::content(base::Key key) {
  const auto at = files_.find(key);
  return at != files_.end() ? zeros_.of(at->second) : nullptr;
}

}  // namespace rt::net
