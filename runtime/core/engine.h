// The graph of calls, from the call to the end of its task.
//
// Life of a node: a call makes it (calls.cpp); it is demanded at a flush or by who waits for one of
// its outputs (demand.cpp), where a pure one is looked up first; it is handed to the executor once
// its inputs allow (hand_over.cpp); a worker runs it (run.cpp); its end settles the outputs and so
// releases other nodes (finish.cpp).
//
// The driver thread alone makes nodes, looks up, merges and counts. Workers hand over what becomes
// ready, and end nodes. The two meet in atomic counters of nodes, versions and Progress, in the
// mailbox, and behind the mutexes of Answers, LazyNodes, Handles, Admission, Packs and
// IdleAccounting. Of these a thread holds one at a time; only Admission tells the accounting while
// it holds its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/config.h"
#include "runtime/core/admission.h"
#include "runtime/core/answers.h"
#include "runtime/core/backend.h"
#include "runtime/core/call_scope.h"
#include "runtime/core/coroutines.h"
#include "runtime/core/events.h"
#include "runtime/core/file_table.h"
#include "runtime/core/group_state.h"
#include "runtime/core/handles.h"
#include "runtime/core/idle_accounting.h"
#include "runtime/core/lazy_nodes.h"
#include "runtime/core/listeners.h"
#include "runtime/core/node.h"
#include "runtime/core/packs.h"
#include "runtime/core/progress.h"
#include "runtime/core/records.h"
#include "runtime/core/stuck.h"
#include "runtime/core/team.h"
#include "runtime/core/workers.h"
#include "runtime/summary.h"

namespace rt::inline v0::detail {

class Idler;
class PaceBook;
class Shipping;

/// Leads nodes through their life, and owns the parts that know about one side of it each.
class Engine {
 public:
  explicit Engine(const Config& config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Returns the engine of the runtime that there is; null if there is none. Any thread.
  [[nodiscard]] static Engine* current() noexcept;
  /// Returns the engine for an action of the driver. Throws base::Error (usage) naming `action`
  /// when there is none, when this is not the driver thread, or inside a body.
  [[nodiscard]] static Engine& for_driver(const char* action);

  // --- parts: any thread may ask for one; its methods say which may call them
  [[nodiscard]] const Config& config() const noexcept { return config_; }
  [[nodiscard]] Executor executor() const noexcept { return executor_; }
  [[nodiscard]] Backend& backend() const noexcept { return *backend_; }
  [[nodiscard]] const Workers& workers() const noexcept { return workers_; }
  [[nodiscard]] Mailbox& mailbox() noexcept { return mailbox_; }
  [[nodiscard]] Coroutines& coroutines() noexcept { return coroutines_; }
  [[nodiscard]] CallScope& scope() noexcept { return scope_; }
  [[nodiscard]] const CallScope& scope() const noexcept { return scope_; }
  [[nodiscard]] Records& records() noexcept { return records_; }
  [[nodiscard]] IdleAccounting& accounting() noexcept { return accounting_; }
  [[nodiscard]] Answers& answers() noexcept { return answers_; }
  [[nodiscard]] LazyNodes& lazy_nodes() noexcept { return lazy_nodes_; }
  [[nodiscard]] FileTable& files() noexcept { return files_; }
  [[nodiscard]] Handles& handles() noexcept { return handles_; }
  [[nodiscard]] const Admission& admission() const noexcept { return admission_; }
  [[nodiscard]] Teams& teams() noexcept { return teams_; }
  [[nodiscard]] Packs& packs() noexcept { return packs_; }
  [[nodiscard]] Listeners& listeners() noexcept { return listeners_; }
  /// Returns what lets other processes run calls; null if this one has no agents.
  [[nodiscard]] Shipping* shipping() const noexcept { return shipping_.get(); }

  // --- calls and demand: driver thread only

  /// Takes over a node whose arguments are bound. Waits while very many calls are in flight.
  void submit(Node* node);
  /// Starts the calls of tasks that are not pure, in their order.
  void flush();
  /// Asks for a version: what makes it, and what that needs, starts as soon as it can, unless it
  /// has an answer.
  void demand(Version* version);
  /// Asks for the outputs of a node that has not begun, as far as somebody holds them (and, if
  /// `asked`, asked for them before).
  void demand_outputs(Node* node, bool asked);
  /// Lets no further call join those that make the version together.
  void close(Version* version);
  /// Gives the inputs of an answered node back once nobody can ask for its other outputs.
  void settle_unneeded(Node* node);

  // --- hand-over and end: any thread

  /// Queues a ready node and hands the queue over in order, unless this thread is doing so already
  /// or holds a Batch, which then hands it over.
  void became_ready(Node* node) noexcept;
  /// Hands over this thread's queue of ready nodes.
  void drain_ready() noexcept;
  /// Ends a node that has begun: keeps and settles its outputs, and hands over who waited for them.
  /// `bytes`: where its buffers are on this worker's device, if the node has just run there.
  void finish(Node& node, Stage stage, Failure* failure,
              std::byte* const* bytes = nullptr) noexcept;
  /// Returns the group of all groups.
  [[nodiscard]] GroupState& root() const noexcept { return *root_.load(std::memory_order_acquire); }
  /// Returns the group of the node.
  [[nodiscard]] GroupState& group_of(const Node& node) const noexcept {
    return node.group != nullptr ? *node.group : root();
  }
  /// Returns the failure of a node whose group was cancelled, with a reference for the caller.
  [[nodiscard]] Failure* cancelled_failure(const Node& node) const;
  /// True if a worker finds the arguments of calls that wait for others.
  [[nodiscard]] bool packs_calls() const noexcept {
    return config_.packs && executor_ == Executor::starpu_cpu;
  }
  /// Runs the functions given to rt::on_worker_start in all workers that have not run them.
  void run_hooks();

  // --- waiting: driver thread only

  /// Asks for a version and all that a handle names, and waits for the version. Throws base::Error
  /// (usage) naming `action` when it will never come.
  void wait_for(Version* version, const char* action);
  /// Waits for all tasks of a group, and rethrows the error that cancelled it.
  void wait_group(GroupState& group);
  /// Waits for everything that was called, and rethrows the first error of a task with the policy
  /// `fail`.
  void wait_all();
  /// Waits until a coroutine can go on (true), a wake() (true) or the time-out.
  bool wait_event(std::optional<base::Duration> timeout);
  /// Resumes coroutines until none can go on; returns how many were resumed.
  std::size_t resume_ready();
  /// Handles what other threads have sent.
  void handle_events();
  /// Says that a group was cancelled. Any thread.
  void cancelled_group() noexcept;
  /// Handles events and sleeps until the condition does not hold any more. Throws base::Error
  /// (usage) naming a task and a promise when nothing is left that could end it.
  template <class Condition>
  void sleep_while(Condition condition, const Wait& wait) {
    while (true) {
      handle_events();
      if (!condition()) return;
      if (stands_still() && condition()) throw_stuck(wait);
      sleep_once(condition, kLookAgain);
    }
  }
  /// Handles events and sleeps once, for the time-out at most, if the condition holds.
  template <class Condition>
  void sleep_once(Condition condition, std::optional<base::Duration> timeout) {
    handle_events();
    mailbox_.sleep_once(*this, condition, timeout);
  }
  /// While the driver blocks it looks so often if anything runs at all.
  static constexpr base::Duration kLookAgain = std::chrono::milliseconds(20);

  // --- promises: driver thread only

  /// Makes a promised version complete; who waits for it goes on.
  void fulfil(Version& version, BoxRef content);
  /// Fails a version that no task will make any more; who waits for it is cancelled.
  void poison(Version& version, std::exception_ptr error);
  /// True if the executor has nothing, and nothing is on its way to the driver, so that only the
  /// driver can go on.
  [[nodiscard]] bool stands_still() const noexcept;
  /// Throws base::Error (usage) saying why the wait would never end.
  [[noreturn]] void throw_stuck(const Wait& wait);

  /// Returns what the runtime did with its time so far. Driver thread only.
  [[nodiscard]] Summary summary();

 private:
  // Driver thread:
  void start_impure(Node* node);
  void demand_held(const GroupState* inside = nullptr);
  bool step_pure(Node* node, Version* version, std::vector<Held>& stack);
  bool knows_key(Node* node);
  [[nodiscard]] bool await_input(Node& node, const Parameter& p, bool may_follow);
  void combine(Version* version, Open& open);
  void begin(Node* node);
  void start(Node* node);
  void throttle();
  void wait_everything();
  // Any thread:
  void hand_over(Node* node) noexcept;
  void submit_launch(Node& node);
  void launch(Node& node);
  /// Ends a node that was begun with the exception that is being handled.
  void end_failed(Node& node) noexcept;

  const Config config_;
  Executor executor_;
  std::unique_ptr<Backend> backend_;
  const base::Moment started_;  ///< by the executor's clock
  Mailbox mailbox_;
  Coroutines coroutines_;
  std::atomic<GroupState*> root_;  ///< another one after each wait_all() that ends by an error
  CallScope scope_;
  Records records_;
  const Workers workers_;
  Progress progress_;
  IdleAccounting accounting_;  ///< of the executor's workers
  Answers answers_;
  LazyNodes lazy_nodes_;
  FileTable files_;
  Handles handles_;
  Admission admission_;
  Teams teams_;
  Packs packs_;
  Listeners listeners_;
  std::unique_ptr<Idler> idler_;     ///< null: idle workers do not spin
  std::unique_ptr<PaceBook> paces_;  ///< null: not kept
  std::unique_ptr<Shipping> shipping_;
  std::atomic<bool> group_cancelled_{false};  ///< since the driver last looked
  // Driver thread:
  std::vector<Node*> pending_;  ///< calls of tasks that are not pure, one reference each
  std::uint32_t calls_ = 0;
  bool flushing_ = false;
  std::uint64_t held_back_ = 0;    ///< as last counted (count_held_back); 0 after a promise
  std::int64_t driver_nanos_ = 0;  ///< in calls and hand-overs
};

}  // namespace rt::inline v0::detail
