// The graph of calls, from the call to the end of its task.
//
// Life of a node: a call makes it (calls.cpp); it is demanded at a flush or by who waits for one of
// its outputs (demand.cpp), where a pure one is looked up first; it is handed to the executor once
// its inputs allow (hand_over.cpp); a worker runs it (run.cpp); its end settles the outputs and so
// releases other nodes (finish.cpp).
//
// The driver thread alone makes nodes, looks up, merges and counts. Workers hand over what becomes
// ready, and end nodes. The two meet in atomic counters of nodes and versions, in the mailbox, and
// behind the mutexes named below.
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
#include "runtime/core/coroutines.h"
#include "runtime/core/events.h"
#include "runtime/core/file_table.h"
#include "runtime/core/group_state.h"
#include "runtime/core/handles.h"
#include "runtime/core/lazy_nodes.h"
#include "runtime/core/ledger.h"
#include "runtime/core/node.h"
#include "runtime/core/packs.h"
#include "runtime/core/progress.h"
#include "runtime/core/records.h"
#include "runtime/core/stuck.h"
#include "runtime/core/team.h"
#include "runtime/core/workers.h"
#include "runtime/summary.h"

namespace rt::detail {

class Idler;
class PaceBook;

class Engine {
 public:
  explicit Engine(const Config& config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] static Engine* current() noexcept;
  /// The engine, for an action of the driver: throws base::Error (usage) naming `action` when there
  /// is none, when this is not the driver thread, or inside a body.
  [[nodiscard]] static Engine& for_driver(const char* action);

  // --- calls (driver)
  void submit(Node* node);
  GroupPtr entered;             ///< the group that calls belong to
  Device wanted = Device::cpu;  ///< by calls whose task has a body for it

  // --- demand (driver)
  void flush();
  void demand(Version* version);
  void demand_held(const GroupState* inside = nullptr);
  /// The outputs of a node that nobody asked for so far, as far as somebody holds them (and, if
  /// `asked`, asked for them before).
  void demand_outputs(Node* node, bool asked);
  void close(Version* version);
  void settle_unneeded(Node* node);

  // --- hand-over and end (any thread)
  void hand_over(Node* node) noexcept;
  void became_ready(Node* node) noexcept;
  void drain_ready() noexcept;
  /// `bytes`: of a node that has just run here, where its buffers are on this worker's device.
  void finish(Node& node, Stage stage, Failure* failure,
              std::byte* const* bytes = nullptr) noexcept;
  [[nodiscard]] GroupState& group_of(const Node& node) noexcept {
    return node.group != nullptr ? *node.group : *root.load(std::memory_order_acquire);
  }
  [[nodiscard]] Failure* cancelled_failure(const Node& node);

  // --- waiting (driver)
  void wait_for(Version* version, const char* action);
  void wait_group(GroupState& group);
  void wait_all();
  void wait_everything();
  void handle_events() { mailbox_.handle_events(*this); }
  std::size_t resume_ready();
  bool wait_event(std::optional<base::Duration> timeout);
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
    mailbox_.sleep_once(*this, condition, timeout);
  }

  // --- promises (driver)
  /// Makes a promised version complete; who waits for it goes on.
  void fulfil(Version& version, BoxRef content);
  /// Fails a version that no task will make any more; who waits for it is cancelled.
  void poison(Version& version, std::exception_ptr error);
  /// True if the executor has nothing, and nothing is on its way to the driver, so that only the
  /// driver can go on.
  [[nodiscard]] bool stands_still() const noexcept {
    return workers_.with_executor() == 0 && mailbox_.empty();
  }
  /// Throws base::Error (usage) saying why the wait would never end.
  [[noreturn]] void throw_stuck(const Wait& wait);

  /// While the driver blocks it looks so often whether anything runs at all.
  static constexpr base::Duration kLookAgain = std::chrono::milliseconds(20);

  [[nodiscard]] Summary summary();
  /// Whether a worker finds the arguments of calls that wait for others.
  [[nodiscard]] bool packs_calls() const noexcept {
    return config.packs && executor == Executor::starpu_cpu;
  }
  void run_hooks();
  /// Returns what is recorded of the run. Any thread.
  [[nodiscard]] Records& records() noexcept { return records_; }
  /// Returns what tasks with needs are promised. Any thread.
  [[nodiscard]] const Admission& admission() const noexcept { return admission_; }
  /// Returns what answers pure calls without a run. Any thread, as far as its methods allow.
  [[nodiscard]] Answers& answers() noexcept { return answers_; }
  /// Returns what wakes the driver. Any thread, as far as its methods allow.
  [[nodiscard]] Mailbox& mailbox() noexcept { return mailbox_; }
  /// Returns the coroutines that the driver resumes. Driver thread only.
  [[nodiscard]] Coroutines& coroutines() noexcept { return coroutines_; }
  /// Returns the workers. Any thread.
  [[nodiscard]] const Workers& workers() const noexcept { return workers_; }
  /// Returns the files that tasks use. Driver thread only.
  [[nodiscard]] FileTable& files() noexcept { return files_; }
  /// Returns the pure calls that have not begun. Any thread, as far as its methods allow.
  [[nodiscard]] LazyNodes& lazy_nodes() noexcept { return lazy_nodes_; }
  /// Returns the executor's handles of contents. Any thread.
  [[nodiscard]] Handles& handles() noexcept { return handles_; }

  Config config;
  Executor executor = Executor::sequential;
  std::unique_ptr<Backend> backend;
  std::atomic<GroupState*> root;
  Teams teams{*this};
  Packs packs;
  Ledger ledger;  ///< of the executor's workers

 private:
  void start(Node* node);
  void begin(Node* node);
  /// Ends a node that was begun with the exception that is being handled.
  void end_failed(Node& node) noexcept;
  bool knows_key(Node* node);
  void combine(Version* version, Open& open);
  void start_impure(Node* node);
  bool step_pure(Node* node, Version* version, std::vector<Held>& stack);
  void rank(Node* node);
  void throttle();
  void submit_launch(Node& node);
  void count_work(Node& node) const;
  void launch(Node& node);
  void keep_results(Node& node, std::byte* const* bytes,
                    std::vector<std::pair<base::Key, base::Bytes>>& kept) const;
  void learn(const Node& node) const noexcept;

  std::vector<Node*> pending_;  ///< calls of tasks that are not pure, one reference each
  LazyNodes lazy_nodes_;
  FileTable files_;
  std::unique_ptr<Idler> idler_;
  std::unique_ptr<PaceBook> paces_;
  Mailbox mailbox_;
  Coroutines coroutines_;
  const base::Moment started_;  ///< by the executor's clock
  Records records_;
  const Workers workers_;
  Progress progress_;
  Answers answers_;
  Handles handles_;
  Admission admission_;
  std::int64_t driver_nanos_ = 0;  ///< in calls and hand-overs
  std::uint32_t calls_ = 0;
  bool flushing_ = false;
  std::uint64_t held_back_ = 0;  ///< as last counted (count_held_back); 0 after a promise
};

}  // namespace rt::detail
