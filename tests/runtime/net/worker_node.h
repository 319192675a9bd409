// An agent of the in-process network whose calls take random times and make what the model says.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/net/agent.h"
#include "runtime/net/in_process.h"
#include "tests/runtime/net/model.h"

namespace rt::net {

class WorkerNode final : public EndPoint, public Agent::Work {
 public:
  /// `lies`: the share of its answers that come twice, and of those that it gives to another call.
  WorkerNode(InProcess& network, InProcess::Node node, double lies, std::uint32_t slots = 2)
      : network_(network), node_(node), lies_(lies), slots_(slots) {}

  [[nodiscard]] std::string name() const { return "node " + std::to_string(node_); }
  [[nodiscard]] bool alive() const noexcept { return agent_ != nullptr; }

  void start() {
    network_.attach(node_, this);
    Agent::Options options;
    options.hello.node = name();
    options.hello.slots = slots_;
    options.seed = network_.dice().u64();
    agent_ = std::make_unique<Agent>(options, network_.post(node_), *this, network_.now());
    tick();
  }
  /// Everything that it had is gone. `loud`: its system closes the link.
  void crash(bool loud) {
    if (loud) network_.post(node_).close(node_);
    network_.attach(node_, nullptr);
    agent_.reset();
    parcels_.clear();
    kept_.clear();
    lent.clear();
  }
  /// It could use so many workers of others.
  void wish(std::uint32_t least, std::uint32_t most, base::Bytes terms = base::Bytes(3)) {
    std::vector<Wish> wishes;
    if (most > 0)
      wishes.push_back({.number = 7, .least = least, .most = most, .terms = std::move(terms)});
    agent_->wish(std::move(wishes));
  }
  /// What a worker was lent for ends by itself.
  void end_loan(std::uint64_t loan) {
    lent.erase(loan);
    agent_->loan_over(loan);
  }
  /// It is told to, or after that time again.
  void leave(base::Duration after = {}) { agent_->leave(network_.now() + after); }
  /// Forgets one content that it keeps, to make room.
  void evict() {
    if (!agent_ || kept_.empty()) return;
    auto at = kept_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(network_.dice().below(kept_.size())));
    const base::Key key = at->first;
    kept_.erase(at);
    agent_->lost(key);
    for (const auto& [id, running] : parcels_) {
      for (const Call& call : running.calls) {
        if (std::count(call.inputs.begin(), call.inputs.end(), key) != 0) return agent_->need(key);
      }
    }
  }

  // --- the network
  void opened(LinkId link) override { agent_->opened(link, network_.now()); }
  void received(LinkId link, std::span<const std::byte> frame) override {
    agent_->received(link, frame, network_.now());
  }
  void closed(LinkId link) override { agent_->closed(link, network_.now()); }

  // --- the agent
  void run(Parcel parcel) override {
    begun.push_back(parcel.id);
    // Loans are over before a parcel needs the worker.
    crowded =
        crowded || (lies_ == 0 && !lent.empty() && parcels_.size() + 1 + lent.size() > slots_);
    Running& running = parcels_[parcel.id];
    running.calls = parcel.sources;
    running.calls.insert(running.calls.end(), parcel.calls.begin(), parcel.calls.end());
    running.state.assign(running.calls.size(), Running::waits);
    for (Content& content : parcel.contents)
      keep(content.key, std::make_shared<const base::Bytes>(std::move(content.bytes)));
    std::set<base::Key> made;
    for (const Call& call : running.calls) {
      for (const base::Key& key : call.inputs) {
        if (!made.contains(key) && !kept_.contains(key)) agent_->need(key);
      }
      made.insert(call.outputs.begin(), call.outputs.end());
    }
    go_on(parcel.id);
  }
  void cancel(ParcelId parcel) override { parcels_.erase(parcel); }
  void drop(const std::vector<base::Key>& keys) override {
    for (const base::Key& key : keys) kept_.erase(key);
  }
  Agent::Blob content(base::Key key) override {
    const auto at = kept_.find(key);
    return at != kept_.end() ? at->second : nullptr;
  }
  void arrived(base::Key key, const Agent::Blob& content) override {
    if (content) {
      keep(key, content);
    } else {
      unavailable_.insert(key);
    }
    go_on_all();
    unavailable_.erase(key);
  }
  std::vector<std::pair<base::Key, std::uint64_t>> holds() override {
    std::vector<std::pair<base::Key, std::uint64_t>> all;
    for (const auto& [key, blob] : kept_) all.emplace_back(key, blob->size());
    return all;
  }
  void lend(std::uint64_t loan, base::Bytes terms) override {
    crowded = crowded || (lies_ == 0 && parcels_.size() + lent.size() >= slots_);
    lent[loan] = std::move(terms);
    ++loans;
  }
  void take_back(std::uint64_t loan) override { lent.erase(loan); }
  void dial() override { network_.dial(node_); }
  void welcomed(std::uint32_t, std::uint64_t) override {}
  void dismissed(Dismissal why, const std::string&) override { dismissal = why; }

  std::optional<Dismissal> dismissal;
  std::uint64_t executed = 0;
  std::vector<ParcelId> begun;                ///< the numbers of parcels, in their order
  std::map<std::uint64_t, base::Bytes> lent;  ///< terms of loans
  std::uint64_t loans = 0;                    ///< so far
  bool crowded = false;                       ///< a worker was lent and had a parcel

 private:
  struct Running {
    enum State : std::uint8_t { waits, runs, over };
    std::vector<Call> calls;
    std::vector<State> state;
  };

  void tick() {
    agent_->tick(network_.now());
    network_.after(std::chrono::milliseconds(500), node_, [this] { tick(); });
  }
  void keep(base::Key key, Agent::Blob blob) { kept_.try_emplace(key, std::move(blob)); }

  void go_on_all() {
    std::vector<ParcelId> all;
    for (const auto& [id, running] : parcels_) all.push_back(id);
    for (const ParcelId id : all) go_on(id);
  }
  /// Begins the calls whose inputs are here, and gives those up whose inputs never will be.
  void go_on(ParcelId id) {
    for (std::size_t i = 0; parcels_.contains(id) && i < parcels_[id].calls.size(); ++i) {
      Running& running = parcels_[id];
      if (running.state[i] != Running::waits) continue;
      bool ready = true;
      bool never = false;
      for (const base::Key& key : running.calls[i].inputs) {
        ready = ready && kept_.contains(key);
        never = never || unavailable_.contains(key);
      }
      if (never) {
        end(id, i, End::cancelled);
      } else if (ready) {
        running.state[i] = Running::runs;
        const base::Duration takes(1'000'000 +
                                   static_cast<std::int64_t>(network_.dice().below(400'000'000)));
        network_.after(takes, node_, [this, id, i] { compute(id, i); });
      }
    }
  }
  void compute(ParcelId id, std::size_t i) {
    const auto at = parcels_.find(id);
    if (at == parcels_.end() || at->second.state[i] != Running::runs) return;
    const Call call = at->second.calls[i];
    ++executed;
    std::vector<base::Key> read;
    for (const base::Key& key : call.inputs) {
      if (!kept_.contains(key)) {  // evicted meanwhile
        at->second.state[i] = Running::waits;
        agent_->need(key);
        return;
      }
      read.push_back(base::hash_bytes(*kept_.at(key)));
    }
    agent_->tell(id, static_cast<std::uint32_t>(i), call.outputs.back(), call.outputs.back().hex());
    if (throws(call)) return end(id, i, End::failed);
    for (std::size_t output = 0; output < call.outputs.size(); ++output)
      keep(call.outputs[output],
           std::make_shared<const base::Bytes>(content_of(call, output, read)));
    end(id, i, End::made);
    go_on_all();
  }
  void end(ParcelId id, std::size_t i, End how) {
    const Call call = parcels_.at(id).calls[i];
    parcels_.at(id).state[i] = Running::over;
    Outcome outcome;
    outcome.end = how;
    if (how == End::made) {
      for (std::size_t output = 0; output < call.outputs.size(); ++output) {
        const base::Bytes& bytes = *kept_.at(call.outputs[output]);
        const bool here = call.back.at(output) != 0 && bytes.size() <= kSmall;
        outcome.outputs.push_back({here, here ? bytes : base::Bytes(), bytes.size()});
      }
    } else {
      for (const base::Key& key : call.outputs) unavailable_.insert(key);
    }
    agent_->ended(id, static_cast<std::uint32_t>(i), call.outputs.back(), outcome);
    if (network_.dice().uniform() < lies_)
      agent_->ended(id, static_cast<std::uint32_t>(i), call.outputs.back(), outcome);
    if (parcels_.size() > 1 && network_.dice().uniform() < lies_) {
      auto other = parcels_.begin();
      while (other->first == id) ++other;
      agent_->ended(other->first, 0, call.outputs.back(), outcome);
    }
    if (how != End::made) {
      go_on(id);
      for (const base::Key& key : call.outputs) unavailable_.erase(key);
    }
    finish(id);
  }
  void finish(ParcelId id) {
    const auto at = parcels_.find(id);
    if (at == parcels_.end()) return;
    for (const Running::State state : at->second.state) {
      if (state != Running::over) return;
    }
    parcels_.erase(at);
  }

  InProcess& network_;
  InProcess::Node node_;
  double lies_;
  std::uint32_t slots_;
  std::unique_ptr<Agent> agent_;
  std::map<ParcelId, Running> parcels_;
  std::map<base::Key, Agent::Blob> kept_;
  std::set<base::Key> unavailable_;
};

}  // namespace rt::net
