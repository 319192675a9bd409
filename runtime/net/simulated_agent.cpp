#include "runtime/net/simulated_agent.h"

#include <algorithm>

#include "base/text.h"
#include "runtime/codec.h"

namespace rt::net {

Agent::Blob Zeros::of(std::uint64_t size) {
  constexpr std::size_t kKept = 8;
  const auto at =
      std::ranges::find_if(known_, [&](const Agent::Blob& blob) { return blob->size() == size; });
  Agent::Blob blob = at != known_.end()
                         ? *at
                         : std::make_shared<const base::Bytes>(static_cast<std::size_t>(size));
  if (at != known_.end()) known_.erase(at);
  known_.push_front(blob);
  if (known_.size() > kKept) known_.pop_back();
  return blob;
}

SimulatedAgent::SimulatedAgent(InProcess& network, InProcess::Node node, Size size, Zeros& zeros)
    : network_(network), node_(node), size_(size), zeros_(zeros), name_(base::cat("node ", node)) {}

SimulatedAgent::~SimulatedAgent() {
  if (alive()) network_.attach(node_, nullptr);
}

void SimulatedAgent::start() {
  network_.attach(node_, this);
  network_.cut(node_, false);
  free_workers_ = size_.workers;
  free_gpus_ = size_.gpus;
  Agent::Options options;
  options.hello.node = name_;
  options.hello.slots = static_cast<std::uint32_t>(size_.workers);
  options.hello.gpus = static_cast<std::uint32_t>(size_.gpus);
  options.seed = base::Hasher().add(std::uint64_t{node_}).add(++lives_).finish().lo;
  options.patience = options.beat = options.orphan = kNoSilence;
  agent_.emplace(std::move(options), network_.post(node_), static_cast<Agent::Work&>(*this),
                 network_.now());
  agent_->tick(network_.now());
}

double SimulatedAgent::lose() {
  double lost = 0;
  for (const auto& [id, calls] : parcels_) {
    for (const Running& running : calls) {
      if (running.state == Running::State::runs)
        lost += base::seconds(network_.now() - running.begun);
    }
  }
  network_.cut(node_, true);
  network_.attach(node_, nullptr);
  agent_.reset();
  parcels_.clear();
  kept_.clear();
  asked_.clear();
  return lost;
}

int SimulatedAgent::busy() const noexcept {
  return alive() ? slots() - counted(free_workers_, free_gpus_) : 0;
}

int SimulatedAgent::fetching() const noexcept {
  int waiting = 0;
  for (const auto& [id, calls] : parcels_) {
    waiting += static_cast<int>(std::ranges::any_of(calls, [&](const Running& running) {
      return running.state == Running::State::waits &&
             std::ranges::any_of(running.call.inputs,
                                 [&](const base::Key& key) { return asked_.contains(key); });
    }));
  }
  return std::min(waiting, counted(free_workers_, free_gpus_));
}

// --- the network

void SimulatedAgent::opened(LinkId link) { agent_->opened(link, network_.now()); }
void SimulatedAgent::received(LinkId link, std::span<const std::byte> frame) {
  agent_->received(link, frame, network_.now());
}
void SimulatedAgent::closed(LinkId link) { agent_->closed(link, network_.now()); }

// --- parcels

void SimulatedAgent::run(Parcel parcel) {
  std::vector<Running>& calls = parcels_[parcel.id];
  for (std::vector<Call>* part : {&parcel.sources, &parcel.calls}) {
    for (Call& call : *part) {
      SimulatedBody body = decode<SimulatedBody>(call.constants);
      calls.push_back({.call = std::move(call), .body = std::move(body), .order = ++arrivals_});
    }
  }
  for (const Content& content : parcel.contents) kept_[content.key] = content.bytes.size();
  std::set<base::Key> made;
  std::vector<base::Key> needed;
  for (const Running& running : calls) {
    for (const base::Key& key : running.call.inputs) {
      if (!made.contains(key) && !kept_.contains(key) && asked_.insert(key).second)
        needed.push_back(key);
    }
    made.insert(running.call.outputs.begin(), running.call.outputs.end());
  }
  for (const base::Key& key : needed) agent_->need(key);
  go_on();
}

void SimulatedAgent::cancel(ParcelId parcel) {
  const auto at = parcels_.find(parcel);
  if (at == parcels_.end()) return;
  for (const Running& running : at->second) {
    if (running.state != Running::State::runs) continue;
    if (running.body.stop <= 0) {
      give_back(running);
      continue;
    }
    network_.after(simulated_time(running.body.stop), node_,
                   [this, device = running.call.device, cpus = running.call.cpus] {
                     free_for(device) += cpus;
                     go_on();
                   });
  }
  parcels_.erase(at);
  go_on();
}

void SimulatedAgent::drop(const std::vector<base::Key>& keys) {
  for (const base::Key& key : keys) kept_.erase(key);
}

Agent::Blob SimulatedAgent::content(base::Key key) {
  const auto at = kept_.find(key);
  return at != kept_.end() ? zeros_.of(at->second) : nullptr;
}

void SimulatedAgent::arrived(base::Key key, const Agent::Blob& content) {
  asked_.erase(key);
  if (content) kept_[key] = content->size();
  go_on();
}

// --- workers

bool SimulatedAgent::has_inputs(const Running& running) const {
  return std::ranges::all_of(running.call.inputs,
                             [&](const base::Key& key) { return kept_.contains(key); });
}

bool SimulatedAgent::is_made(const Running& running) const {
  return std::ranges::all_of(running.call.outputs,
                             [&](const base::Key& key) { return kept_.contains(key); });
}

/// Whether another parcel's call makes the same, as a data set that two of them read.
bool SimulatedAgent::is_being_made(const Running& running) const {
  return std::ranges::any_of(parcels_, [&](const auto& parcel) {
    return std::ranges::any_of(parcel.second, [&](const Running& other) {
      return other.state == Running::State::runs &&
             other.call.outputs.back() == running.call.outputs.back();
    });
  });
}

int& SimulatedAgent::free_for(Device device) noexcept {
  return device == Device::cuda ? free_gpus_ : free_workers_;
}

void SimulatedAgent::go_on() {
  while (alive() && begin_next()) {
  }
}

/// Begins, or ends at once, the call that is next; false: none can begin.
bool SimulatedAgent::begin_next() {
  std::optional<std::pair<ParcelId, std::size_t>> best;
  const Running* chosen = nullptr;
  for (const auto& [id, calls] : parcels_) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Running& running = calls[i];
      if (running.state != Running::State::waits) continue;
      if (is_made(running)) return end(id, i, End::made), true;
      if (!has_inputs(running) || free_for(running.call.device) < running.call.cpus) continue;
      const bool better =
          chosen == nullptr || running.call.priority > chosen->call.priority ||
          (running.call.priority == chosen->call.priority && running.order < chosen->order);
      if (!better || is_being_made(running)) continue;
      best = {id, i};
      chosen = &running;
    }
  }
  if (!best) return false;
  begin(best->first, best->second);
  return true;
}

void SimulatedAgent::begin(ParcelId parcel, std::size_t index) {
  Running& running = parcels_.at(parcel)[index];
  running.state = Running::State::runs;
  running.begun = network_.now();
  free_for(running.call.device) -= running.call.cpus;
  const SimulatedBody& body = running.body;
  for (std::uint32_t i = 1; i <= body.tells; ++i) {
    network_.after(simulated_time(body.start + body.seconds * i / body.tells + body.told), node_,
                   [this, parcel, index, i] { tell(parcel, index, i); });
  }
  network_.after(simulated_time(body.start + body.seconds + body.stop), node_,
                 [this, parcel, index] {
                   const auto at = parcels_.find(parcel);
                   if (at != parcels_.end()) end(parcel, index, End::made);
                   go_on();
                 });
}

void SimulatedAgent::tell(ParcelId parcel, std::size_t index, std::uint32_t times) {
  const auto at = parcels_.find(parcel);
  if (at == parcels_.end()) return;
  agent_->tell(parcel, static_cast<std::uint32_t>(index), at->second[index].call.outputs.back(),
               std::to_string(times));
}

void SimulatedAgent::give_back(const Running& running) noexcept {
  free_for(running.call.device) += running.call.cpus;
}

void SimulatedAgent::end(ParcelId parcel, std::size_t index, End how) {
  std::vector<Running>& calls = parcels_.at(parcel);
  Running& running = calls[index];
  const double ran = running.state == Running::State::runs ? running.body.seconds : 0;
  if (running.state == Running::State::runs) give_back(running);
  running.state = Running::State::over;
  Outcome outcome;
  outcome.end = how;
  outcome.seconds = ran;
  for (std::size_t i = 0; i < running.call.outputs.size(); ++i) {
    const std::uint64_t size = running.body.sizes[i];
    kept_[running.call.outputs[i]] = size;
    const bool here = running.call.back[i] != 0 && size <= kSmall;
    outcome.outputs.push_back({here, here ? base::Bytes(size) : base::Bytes(), size});
  }
  const base::Key result = running.call.outputs.back();
  const bool over = std::ranges::all_of(
      calls, [](const Running& each) { return each.state == Running::State::over; });
  if (over) parcels_.erase(parcel);
  agent_->ended(parcel, static_cast<std::uint32_t>(index), result, std::move(outcome));
}

}  // namespace rt::net
