// The driver thread's waiting: values, groups, everything, and the coroutines that wait.
#include "runtime/core/waiting.h"

#include <memory>
#include <vector>

#include "runtime/core/engine.h"
#include "runtime/core/shipping.h"
#include "runtime/core/thread.h"
#include "runtime/group.h"
#include "runtime/loop.h"
#include "runtime/when.h"

namespace rt::inline v0 {
namespace detail {

/// In the list of a version until that settles, then in the mailbox, then among those that can go
/// on; freed by the driver. A record whose coroutine was destroyed goes the same way without a
/// caller.
struct WaitRecord : Waiter, Event {
  std::coroutine_handle<> caller;
  GroupPtr group;
  WaitRecord** owner;  ///< the awaiter's pointer to this record; null once that is gone
  Version* version;    ///< whose content it waits for, while there is a caller; or null

  WaitRecord(std::coroutine_handle<> suspended, WaitRecord** awaiter, Version* awaited = nullptr)
      : caller(suspended),
        group(Engine::current()->scope().group()),
        owner(awaiter),
        version(awaited) {
    *owner = this;
    Waiter::fire = [](Waiter* self) noexcept {
      auto* record = static_cast<WaitRecord*>(self);
      if (Engine* engine = Engine::current()) {
        engine->mailbox().send(record);
      } else {
        delete record;
      }
    };
    Event::handle = [](Event* self, Engine& engine) {
      auto* const record = static_cast<WaitRecord*>(self);
      const bool waits = record->caller && record->version != nullptr &&
                         engine.shipping() != nullptr &&
                         engine.shipping()->await_content(*record->version, *record);
      if (!waits) engine.coroutines().add_ready(record);
    };
  }
  WaitRecord(const WaitRecord&) = delete;
  WaitRecord& operator=(const WaitRecord&) = delete;
  ~WaitRecord() {
    if (owner != nullptr) *owner = nullptr;
  }
};

namespace {

/// A version's wake-up call for the driver, on its stack.
struct Signal : Waiter {
  Mailbox& mailbox;
  std::atomic<bool> fired{false};
  explicit Signal(Mailbox& box) : mailbox(box) {
    fire = [](Waiter* self) noexcept {
      auto* signal = static_cast<Signal*>(self);
      Mailbox& ring = signal->mailbox;  // the signal is gone as soon as it has fired
      signal->fired.store(true);
      ring.nudge();
    };
  }
};

/// Hands nothing over until it goes.
class Batch {
 public:
  explicit Batch(Engine& engine)
      : engine_(engine), before_(std::exchange(this_thread().handing_over, true)) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() {
    this_thread().handing_over = before_;
    if (!before_) engine_.drain_ready();
  }

 private:
  Engine& engine_;
  bool before_;
};

/// Puts the entered group back when it goes.
class GroupGuard {
 public:
  explicit GroupGuard(Engine& engine) : engine_(engine), before_(engine.scope().group()) {}
  GroupGuard(const GroupGuard&) = delete;
  GroupGuard& operator=(const GroupGuard&) = delete;
  ~GroupGuard() { engine_.scope().enter(std::move(before_)); }

 private:
  Engine& engine_;
  GroupPtr before_;
};

}  // namespace

bool start_await(Version* version) {
  Engine& engine = Engine::for_driver("co_await");
  if (version == nullptr) throw base::Error(base::Errc::usage, "co_await on an empty Value");
  engine.flush();
  engine.demand(version);
  engine.flush();
  return version->settled() && !is_away(*version);
}

void suspend_on(Version* version, std::coroutine_handle<> caller, WaitRecord** owner) {
  auto* record = new WaitRecord(caller, owner, version);
  if (!version->on_complete.add(record)) Engine::current()->mailbox().send(record);
}

void forget(WaitRecord* record) noexcept {
  if (record == nullptr) return;
  record->caller = nullptr;
  record->owner = nullptr;
}

void delete_record(WaitRecord* record) noexcept { delete record; }

const void* settled_object(Version* version) {
  static constexpr Nothing nothing;
  if (version->at() > Stage::ready) std::rethrow_exception(version->failure->error);
  if (!version->box) return &nothing;
  if (const Away* away = version->box->away; away != nullptr && away->failure != nullptr)
    std::rethrow_exception(away->failure->error);
  if (version->ops->buffer && !version->blank) {
    if (Engine* engine = Engine::current()) engine->handles().fetch(*version->box.get());
  }
  return version->box->object;
}

std::size_t Engine::resume_ready() {
  std::size_t resumed = 0;
  while (true) {
    flush();
    handle_events();
    std::unique_ptr<WaitRecord> next(coroutines_.take_ready());
    if (next == nullptr) return resumed;
    if (!next->caller) continue;
    const GroupGuard guard(*this);
    scope_.enter(std::move(next->group));
    const std::coroutine_handle<> caller = next->caller;
    next.reset();
    ++resumed;
    caller.resume();
  }
}

void Engine::throw_stuck(const Wait& wait) {
  progress_.wake_never();
  throw base::Error(base::Errc::usage,
                    std::string(wait.action) + ": it would never end: " + why_stuck(wait));
}

void Engine::wait_for(Version* version, const char* action) {
  flush();
  {
    // Everything is looked up before anything is handed over: equal calls are found while their
    // values are there.
    const Batch batch(*this);
    demand(version);
    if (!version->settled()) demand_held();
  }
  flush();
  const auto wait_in = [&](WaiterList& list, const auto& add) {
    Signal signal(mailbox_);
    if (!add(signal)) return;
    try {
      sleep_while([&] { return !signal.fired.load(); }, {action, version});
    } catch (...) {
      list.remove(&signal);
      throw;
    }
  };
  if (!version->settled())
    wait_in(version->on_complete,
            [&](Signal& signal) { return version->on_complete.add(&signal); });
  if (is_away(*version))
    wait_in(version->box->away->arrived,
            [&](Signal& signal) { return shipping_->await_content(*version, signal); });
}

void Engine::wait_group(GroupState& group) {
  flush();
  {
    const Batch batch(*this);
    demand_held(&group);
  }
  flush();
  sleep_while([&] { return group.unfinished.load() != 0 || lazy_nodes_.awaits_answers(group); },
              {.action = "Group::wait", .group = &group});
  const std::scoped_lock lock(group.mutex);
  if (group.failure != nullptr) std::rethrow_exception(group.failure->error);
}

void Engine::wait_everything() {
  do {
    flush();
    {
      const Batch batch(*this);
      demand_held();
    }
    flush();
    progress_.wake_at(0);
    const auto unfinished = [&] {
      progress_.wake_at(0);
      return progress_.in_flight() != 0;
    };
    sleep_while(unfinished, {"rt::wait_all"});
    progress_.wake_never();
    handle_events();
  } while (progress_.in_flight() != 0 || !pending_.empty() || !mailbox_.empty());
}

void Engine::wait_all() {
  wait_everything();
  GroupState* old = root_.load();
  if (!old->cancelled.load()) return;
  root_.store(new GroupState("", nullptr));
  const std::exception_ptr error = old->failure != nullptr ? old->failure->error : nullptr;
  old->unref();
  if (error) std::rethrow_exception(error);
}

bool Engine::wait_event(std::optional<base::Duration> timeout) {
  flush();
  handle_events();
  if (coroutines_.any_ready() || mailbox_.take_wake()) return true;
  const base::Moment begin = base::now();
  while (true) {
    std::optional<base::Duration> left;
    if (timeout) {
      left = *timeout - (base::now() - begin);
      if (left->count() <= 0) return false;
    }
    sleep_once([&] { return !coroutines_.any_ready(); }, left);
    handle_events();
    if (coroutines_.any_ready() || mailbox_.take_wake()) return true;
  }
}

void wait_progress(const Version* awaited) {
  Engine& engine = Engine::for_driver("rt::run");
  engine.flush();
  engine.handle_events();
  if (engine.coroutines().any_ready() || awaited->settled()) return;
  if (engine.stands_still()) engine.throw_stuck({"rt::run", awaited, nullptr, true});
  engine.sleep_once([&] { return !engine.coroutines().any_ready(); }, Engine::kLookAgain);
}

// --- spawned coroutines

void Detached::enlist(std::coroutine_handle<> frame) {
  Engine::for_driver("spawn").coroutines().add_spawned(frame);
}

void Detached::delist(std::coroutine_handle<> frame) noexcept {
  if (Engine* engine = Engine::current()) engine->coroutines().remove_spawned(frame);
}

void start_detached(std::coroutine_handle<> frame) {
  const GroupGuard guard(*Engine::current());
  frame.resume();
}

void report_unheard(const Held& version, std::exception_ptr error) {
  Engine::current()->coroutines().add_error(version, std::move(error));
}

// --- several values

struct Arrivals::State {
  std::vector<std::size_t> settled;
  std::size_t watched = 0;
  std::size_t taken = 0;
  std::unique_ptr<WaitRecord> waiting;
};

namespace {

struct Arrival : Waiter, Event {
  std::shared_ptr<void> owner;
  std::size_t index = 0;
  void (*note)(void* state, std::size_t index, Engine& engine) = nullptr;
  Held version;
  Arrival() {
    Waiter::fire = [](Waiter* self) noexcept {
      auto* arrival = static_cast<Arrival*>(self);
      if (Engine* engine = Engine::current()) {
        engine->mailbox().send(arrival);
      } else {
        delete arrival;
      }
    };
    Event::handle = [](Event* self, Engine& engine) {
      const std::unique_ptr<Arrival> arrival(static_cast<Arrival*>(self));
      arrival->note(arrival->owner.get(), arrival->index, engine);
    };
  }
};

}  // namespace

Arrivals::Arrivals() : state_(std::make_shared<State>()) {}
Arrivals::~Arrivals() {
  if (state_) state_->waiting.reset();
}
Arrivals::Arrivals(Arrivals&&) noexcept = default;
Arrivals& Arrivals::operator=(Arrivals&&) noexcept = default;

void Arrivals::watch(const Held& version) {
  Engine& engine = Engine::for_driver("as_completed");
  engine.flush();
  auto arrival = std::make_unique<Arrival>();
  arrival->owner = state_;
  arrival->index = state_->watched++;
  arrival->version = version;
  arrival->note = [](void* owner, std::size_t index, Engine& at) {
    auto& state = *static_cast<State*>(owner);
    state.settled.push_back(index);
    if (state.waiting) at.coroutines().add_ready(state.waiting.release());
  };
  if (version->on_complete.add(arrival.get())) {
    (void)arrival.release();
  } else {
    engine.mailbox().send(arrival.release());
  }
}

std::optional<std::size_t> Arrivals::take() {
  Engine::for_driver("as_completed").handle_events();
  if (state_->taken == state_->settled.size()) return std::nullopt;
  return state_->settled[state_->taken++];
}

bool Arrivals::exhausted() const noexcept { return state_->taken == state_->watched; }

void Arrivals::block() {
  Engine& engine = Engine::for_driver("as_completed");
  engine.flush();
  engine.sleep_while([&] { return state_->taken == state_->settled.size(); }, {"rt::as_completed"});
}

void Arrivals::suspend(std::coroutine_handle<> caller, WaitRecord** owner) {
  state_->waiting = std::make_unique<WaitRecord>(caller, owner);
}

}  // namespace detail

// --- the public loop

std::size_t poll() {
  detail::Engine& engine = detail::Engine::for_driver("rt::poll");
  const std::size_t resumed = engine.resume_ready();
  engine.coroutines().throw_unheard();
  return resumed;
}

bool wait_event(std::optional<base::Duration> timeout) {
  return detail::Engine::for_driver("rt::wait_event").wait_event(timeout);
}

void wake() noexcept {
  if (detail::Engine* engine = detail::Engine::current()) engine->mailbox().wake();
}

void wait_all() { detail::Engine::for_driver("rt::wait_all").wait_all(); }

}  // namespace rt::inline v0
