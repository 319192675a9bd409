// Histories of a driver and its agents over a network that misbehaves, each checked against the
// model: no call lost, none ended twice, every content the right one, and an end to everything once
// the weather is fair again.
//
// TRELLIS_HISTORIES=N tries N seeds; TRELLIS_HISTORY=SEED only that one.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "base/text.h"
#include "runtime/net/dispatcher.h"
#include "tests/runtime/net/model.h"
#include "tests/runtime/net/worker_node.h"

namespace rt::net {
namespace {

using std::chrono::milliseconds;

base::Bytes constants_of(std::uint64_t seed, std::uint64_t number) {
  const base::Key key = base::Hasher().add(seed).add(number).finish();
  base::Bytes bytes(16);
  for (std::size_t i = 0; i < 16; ++i)
    bytes[i] = static_cast<std::byte>((i < 8 ? key.hi : key.lo) >> (i % 8 * 8));
  return bytes;
}

/// What a program would have its tasks do: random calls, each of which reads what others make.
struct Plan {
  std::vector<Submission> sources;
  std::vector<std::vector<Submission>> parcels;
  std::map<base::Key, base::Bytes> given;  ///< constants and files

  Plan(std::uint64_t seed, base::Stream& dice) {
    std::uint64_t names = 0;
    const auto name = [&] { return base::Hasher().add(seed).add("key").add(++names).finish(); };
    const auto add_given = [&](std::size_t size) {
      const base::Key key = name();
      given[key] = constants_of(seed, names);
      given[key].resize(size);
      return key;
    };
    std::vector<base::Key> readable{add_given(40), add_given(30'000)};
    for (int i = 0; i < 2; ++i) {
      const base::Key file = add_given(20'000);
      Submission source;
      source.call.task = "load";
      source.call.constants = constants_of(seed, ++names);
      source.call.inputs = {file};
      source.call.outputs = {name()};
      source.call.back = {0};
      source.files = {{file, "data.csv"}};
      readable.push_back(source.call.outputs[0]);
      sources.push_back(source);
    }
    const std::uint64_t count = 8 + dice.below(24);
    std::uint64_t id = 0;
    for (std::uint64_t parcel = 0; parcel < count; ++parcel) {
      std::vector<Submission> calls;
      const std::uint64_t length = 1 + dice.below(3);
      for (std::uint64_t i = 0; i < length; ++i) {
        Submission each;
        each.id = ++id;
        each.call.task = dice.below(40) == 0 ? "throws" : "works";
        each.call.constants = constants_of(seed, ++names);
        each.call.priority = static_cast<std::int32_t>(dice.below(3));
        if (!calls.empty()) each.call.inputs.push_back(calls.back().call.outputs[0]);
        if (calls.empty() || dice.below(2) == 0)
          each.call.inputs.push_back(readable[dice.below(readable.size())]);
        for (std::uint64_t output = 0; output < 1 + dice.below(2); ++output) {
          each.call.outputs.push_back(name());
          each.call.back.push_back(static_cast<std::uint8_t>(dice.below(2)));
        }
        calls.push_back(each);
      }
      for (const Submission& each : calls) readable.push_back(each.call.outputs.back());
      parcels.push_back(std::move(calls));
    }
  }
};

/// The driver's node: submits the plan, cancels, asks for contents, dies and comes back.
class DriverNode final : public EndPoint, public Dispatcher::Client {
 public:
  DriverNode(InProcess& network, const Plan& plan) : network_(network), plan_(plan), post_(*this) {
    for (const auto& [key, bytes] : plan.given) model_.given(key, bytes);
    for (const Submission& source : plan.sources) model_.know(source.call);
    for (const auto& parcel : plan.parcels) {
      for (const Submission& each : parcel) {
        model_.know(each.call);
        states_[each.id] = {};
        for (const base::Key& key : each.call.outputs) maker_[key] = each.id;
      }
    }
  }

  void start() {
    network_.attach(0, this);
    Dispatcher::Options options;
    options.epoch = ++epoch_;
    dispatcher_ = std::make_unique<Dispatcher>(options, post_, *this);
    agent_at_.clear();
    stale_ = 0;
    for (const auto& [key, bytes] : plan_.given) dispatcher_->offer(key, bytes.size());
    for (const auto& [key, bytes] : plan_.given) dispatcher_->retain(key);
    for (const Submission& source : plan_.sources) {
      dispatcher_->remember(source, true);
      dispatcher_->retain(source.call.outputs[0]);
    }
    tick();
    // What was submitted under a driver before is known from its log: how it is made, and what of
    // it has ended.
    for (const auto& parcel : plan_.parcels) {
      for (const Submission& each : parcel) {
        State& state = states_[each.id];
        if (!state.ever) continue;
        dispatcher_->remember(each, false);
        for (const base::Key& key : each.call.outputs) dispatcher_->retain(key);
        state.submitted = state.ended || state.cancelled;
      }
    }
    for (std::size_t i = 0; i < plan_.parcels.size(); ++i) {
      const base::Duration when(static_cast<std::int64_t>(network_.dice().below(5'000'000'000)));
      network_.after(when, 0, [this, i] { submit(i); });
    }
    for (const auto& [key, asked] : wanted_) {
      if (asked) want(key);
    }
  }
  void crash() {
    network_.attach(0, nullptr);
    dispatcher_.reset();
  }

  /// Everything that can end has ended, and every content that was asked for has come.
  [[nodiscard]] bool done() const {
    if (!dispatcher_) return false;
    for (const auto& [id, state] : states_) {
      if (!state.ended && !state.cancelled && !state.skipped) return false;
    }
    for (const auto& [key, asked] : wanted_) {
      if (asked) return false;
    }
    return true;
  }
  void check_end() {
    for (const auto& [id, state] : states_) {
      if (!state.ended && !state.cancelled && !state.skipped)
        differ("call " + std::to_string(id) + " never ended");
    }
    for (const auto& [key, asked] : wanted_) {
      if (asked) differ("a content never came");
    }
    if (!dispatcher_) return differ("there is no driver");
    if (differences.empty() && dispatcher_->unfinished() != 0)
      differ("calls are left in the dispatcher");
    if (dispatcher_->stale() != stale_) differ("a frame of another epoch or agent was taken");
  }

  // --- the network
  void opened(LinkId link) override { dispatcher_->opened(link, network_.now()); }
  void received(LinkId link, std::span<const std::byte> bytes) override {
    const Frame frame = decode_frame(bytes);
    const bool ours = frame.epoch == epoch_ && frame.agent == agent_at_[link];
    if (frame.agent != 0 && !ours) ++stale_;
    dispatcher_->received(link, bytes, network_.now());
  }
  void closed(LinkId link) override { dispatcher_->closed(link, "closed", network_.now()); }

  // --- the dispatcher
  void ended(std::uint64_t call, Outcome outcome) override {
    State& state = states_.at(call);
    if (state.ended) return differ("call " + std::to_string(call) + " ended twice");
    if (state.cancelled)
      return differ("call " + std::to_string(call) + " ended, but was cancelled");
    const Call& what = call_of(call);
    if (const std::string wrong = model_.judge(what, outcome); !wrong.empty())
      differ("call " + std::to_string(call) + ": " + wrong);
    ++ends[static_cast<std::size_t>(outcome.end)];
    state.ended = true;
    state.made = outcome.end == End::made;
    if (!state.made) return;
    for (const base::Key& key : what.outputs) {
      dispatcher_->retain(key);
      if (network_.dice().below(4) == 0)
        network_.after(milliseconds(network_.dice().below(3000)), 0, [this, key] { want(key); });
    }
  }
  void told(std::uint64_t call, const std::string& text) override {
    const State& state = states_.at(call);
    if (state.ended || state.cancelled) differ("a call that is over said something");
    if (text != call_of(call).outputs.back().hex()) differ("another call said that");
  }
  void arrived(base::Key key, const Dispatcher::Blob& content) override {
    if (!wanted_[key]) return differ("a content came that nobody asked for");
    wanted_[key] = false;
    if (!content) {
      if (!model_.may_be_lost(call_of(maker_.at(key)))) differ("a content did not come");
    } else if (base::hash_bytes(*content) != model_.content(key)) {
      differ("another content came");
    } else {
      ++contents;
    }
  }
  Dispatcher::Blob content(base::Key key) override {
    const auto at = plan_.given.find(key);
    return at != plan_.given.end() ? std::make_shared<const base::Bytes>(at->second) : nullptr;
  }
  void unneeded(base::Key) override {}
  void changed(const AgentView& agent, std::size_t) override {
    if (agent.state == AgentState::lost) {
      std::erase_if(agent_at_, [&](const auto& one) { return one.second == agent.number; });
      model_.lost(agent.node);
      ++losses;
    }
  }
  void fenced(std::uint64_t) override { differ("fenced"); }

  std::vector<std::string> differences;
  std::uint64_t losses = 0;
  std::array<std::uint64_t, 4> ends{};  ///< calls by how they ended
  std::uint64_t contents = 0;           ///< that came

 private:
  struct State {
    bool ever = false;  ///< submitted, under whatever driver
    bool submitted = false, ended = false, made = false, cancelled = false, skipped = false;
  };
  /// Writes down who is told to run what.
  struct Recorder final : Post {
    DriverNode& driver;
    explicit Recorder(DriverNode& owner) : driver(owner) {}
    void send(LinkId link, Channel channel, base::Bytes bytes) override {
      const Frame frame = decode_frame(bytes);
      if (const auto* welcome = std::get_if<Welcome>(&frame.message))
        driver.agent_at_[link] = welcome->agent;
      if (const auto* run = std::get_if<Run>(&frame.message)) {
        for (const Call& call : run->parcel.calls)
          driver.model_.told("node " + std::to_string(link), call);
      }
      driver.network_.post(0).send(link, channel, std::move(bytes));
    }
    void close(LinkId link) override { driver.network_.post(0).close(link); }
  };

  void differ(std::string what) { differences.push_back(std::move(what)); }
  const Call& call_of(std::uint64_t id) const {
    for (const auto& parcel : plan_.parcels) {
      for (const Submission& each : parcel) {
        if (each.id == id) return each.call;
      }
    }
    throw std::out_of_range("call");
  }
  void tick() {
    dispatcher_->tick(network_.now());
    network_.after(milliseconds(500), 0, [this] { tick(); });
  }
  /// Submits what is left of a parcel once everything that it reads has been submitted.
  void submit(std::size_t i) {
    std::vector<Submission> calls;
    for (const Submission& each : plan_.parcels[i]) {
      State& state = states_[each.id];
      if (state.submitted || state.ended || state.cancelled || state.skipped) continue;
      bool later = false;
      for (const base::Key& key : each.call.inputs) {
        const auto at = maker_.find(key);
        if (at == maker_.end()) continue;
        const State& made_by = states_[at->second];
        const bool mine = std::any_of(calls.begin(), calls.end(),
                                      [&](const Submission& one) { return one.id == at->second; });
        state.skipped = state.skipped || made_by.skipped || made_by.cancelled ||
                        (made_by.ended && !made_by.made);
        later = later || !(mine || made_by.submitted || made_by.made);
      }
      if (state.skipped) continue;
      if (later) {
        network_.after(milliseconds(300), 0, [this, i] { submit(i); });
        break;
      }
      calls.push_back(each);
    }
    for (const Submission& each : calls) {
      states_[each.id].ever = states_[each.id].submitted = true;
      if (network_.dice().below(20) == 0)
        network_.after(milliseconds(network_.dice().below(4000)), 0,
                       [this, id = each.id] { cancel(id); });
    }
    dispatcher_->submit(std::move(calls), network_.now());
  }
  void cancel(std::uint64_t id) {
    State& state = states_[id];
    if (state.ended || !state.submitted) return;
    state.cancelled = true;
    dispatcher_->cancel({id}, network_.now());
  }
  void want(base::Key key) {
    wanted_[key] = true;
    dispatcher_->want(key, network_.now());
  }

  InProcess& network_;
  const Plan& plan_;
  Recorder post_;
  Model model_;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::map<std::uint64_t, State> states_;
  std::map<base::Key, std::uint64_t> maker_;
  std::map<base::Key, bool> wanted_;
  std::map<LinkId, std::uint32_t> agent_at_;  ///< as the driver said
  std::uint64_t stale_ = 0;                   ///< frames that came from others
};

struct Totals {
  std::uint64_t calls = 0, executed = 0, losses = 0, contents = 0, frames = 0, loans = 0;
  std::array<std::uint64_t, 4> ends{};
};

Weather bad_weather(base::Stream& dice) {
  Weather weather;
  weather.lose = dice.below(2) == 0 ? 0 : 0.02 * dice.uniform();
  weather.repeat = dice.below(2) == 0 ? 0 : 0.1 * dice.uniform();
  weather.late = dice.below(2) == 0 ? 0 : 0.1 * dice.uniform();
  weather.lateness = milliseconds(1 + dice.below(dice.below(2) == 0 ? 100 : 5000));
  weather.delay = std::chrono::microseconds(50 + dice.below(20'000));
  weather.bandwidth = dice.below(4) == 0 ? 2e6 : 1e9;
  return weather;
}

/// One history: a while of bad weather and accidents, then fair weather until everything has ended.
class Life {
 public:
  explicit Life(std::uint64_t seed)
      : dice_(seed, "history"),
        nodes_(2 + dice_.below(4)),
        network_(seed, nodes_ + 2),
        plan_(seed, dice_),
        driver_(network_, plan_) {
    network_.set_weather(bad_weather(dice_));
    const double lies = dice_.below(5) == 0 ? 0.02 : 0;
    for (std::size_t i = 0; i < nodes_; ++i)
      workers_.push_back(std::make_unique<WorkerNode>(network_, node(i), lies));
  }

  /// What is wrong with it.
  std::vector<std::string> live(Totals& totals) {
    look_on();
    driver_.start();
    for (auto& worker : workers_) worker->start();
    const base::Moment fair = network_.now() + std::chrono::seconds(15);
    const base::Moment end = network_.now() + std::chrono::seconds(300);
    while (network_.now() < fair && network_.step()) {
      revive(network_.now());
      if (network_.now() >= next_accident_) accident();
    }
    revive(end);
    network_.set_weather({});
    while (network_.now() < end && !driver_.done() && network_.step()) {
    }
    driver_.check_end();
    count(totals);
    return driver_.differences;
  }

 private:
  [[nodiscard]] static InProcess::Node node(std::size_t worker) {
    return static_cast<InProcess::Node>(worker + 1);
  }
  /// Somebody whom nothing happens to, so that time goes on.
  void look_on() {
    network_.after(milliseconds(100), node(nodes_), [this] { look_on(); });
  }
  /// Brings those back who were to be back by then.
  void revive(base::Moment until) {
    for (auto at = back_.begin(); at != back_.end();) {
      if (at->second > until) {
        ++at;
        continue;
      }
      network_.cut(node(at->first), false);
      if (!workers_[at->first]->alive()) workers_[at->first]->start();
      at = back_.erase(at);
    }
    if (driver_back_ && *driver_back_ <= until) {
      driver_.start();
      driver_back_.reset();
    }
  }
  void accident() {
    next_accident_ = network_.now() + milliseconds(200 + dice_.below(4000));
    if (dead_ + 1 < nodes_ && dice_.below(8) == 0) {
      workers_[dead_]->crash(false);
      back_.erase(dead_++);
    }
    const std::size_t who = dead_ + dice_.below(nodes_ - dead_);
    const base::Moment until = network_.now() + milliseconds(100 + dice_.below(6000));
    if (back_.contains(who)) return;
    switch (dice_.below(6)) {
      case 0:
      case 1:
        workers_[who]->crash(dice_.below(2) == 0);
        back_[who] = until;
        break;
      case 2:
        network_.freeze(node(who), until);
        break;
      case 3:
        network_.cut(node(who), true);
        back_[who] = until;
        break;
      case 4:
        workers_[who]->evict();
        // Wishes and loans come between everything else.
        if (workers_[who]->alive())
          workers_[who]->wish(1, static_cast<std::uint32_t>(dice_.below(9)));
        break;
      default:
        if (driver_back_ || dice_.below(2) == 0) break;
        driver_.crash();
        driver_back_ = network_.now() + milliseconds(100 + dice_.below(2000));
        break;
    }
  }
  void count(Totals& totals) {
    for (const auto& worker : workers_) {
      totals.executed += worker->executed;
      totals.loans += worker->loans;
      if (worker->dismissal) driver_.differences.push_back("an agent gave up");
      if (worker->crowded) driver_.differences.push_back("a lent worker had a parcel");
    }
    for (const auto& parcel : plan_.parcels) totals.calls += parcel.size();
    totals.losses += driver_.losses;
    totals.contents += driver_.contents;
    for (std::size_t i = 0; i < totals.ends.size(); ++i) totals.ends[i] += driver_.ends[i];
    totals.frames += network_.frames();
  }

  base::Stream dice_;
  std::size_t nodes_;
  InProcess network_;
  Plan plan_;
  DriverNode driver_;
  std::vector<std::unique_ptr<WorkerNode>> workers_;
  base::Moment next_accident_;
  std::map<std::size_t, base::Moment> back_;
  std::optional<base::Moment> driver_back_;
  std::size_t dead_ = 0;  ///< nodes that never come back: the first ones
};

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(History, IsWhatTheModelSays) {
  const std::uint64_t only = number_of("TRELLIS_HISTORY", 0);
  const std::uint64_t last = only != 0 ? only : number_of("TRELLIS_HISTORIES", 1000);
  Totals totals;
  std::uint64_t wrong = 0;
  for (std::uint64_t seed = only != 0 ? only : 1; seed <= last && wrong < 3; ++seed) {
    const std::vector<std::string> differences = Life(seed).live(totals);
    if (differences.empty()) continue;
    ++wrong;
    ADD_FAILURE() << "seed " << seed << ": " << differences.front() << " (" << differences.size()
                  << " differences)";
  }
  std::cout << base::cat(last, " histories: ", totals.calls, " calls (", totals.ends[0], " made, ",
                         totals.ends[1], " failed, ", totals.ends[2], " cancelled, ",
                         totals.ends[3], " lost), run ", totals.executed, " times, ",
                         totals.contents, " contents, ", totals.losses, " agents lost, ",
                         totals.loans, " workers lent, ", totals.frames, " frames\n");
  if (only != 0) return;
  EXPECT_GT(totals.losses, last) << "the network behaves too well";
  EXPECT_GT(totals.loans, 0U);
  for (const std::uint64_t ends : totals.ends) EXPECT_GT(ends, 0U);
}

}  // namespace
}  // namespace rt::net
