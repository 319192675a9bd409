// One version of a value: written once, by one task (or given), read by any number of tasks and
// handles.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "runtime/core/box.h"
#include "runtime/core/counted.h"

namespace rt::inline v0::detail {

struct FilePath;
struct Node;
struct Open;

/// The error that a poisoned version carries, shared by all versions poisoned by it.
struct Failure {
  std::atomic<std::uint32_t> refs{1};
  std::exception_ptr error;
  bool cancelled =
      false;  ///< by its group or by a task whose policy is `fail`, not by an error of its own

  void ref() noexcept { refs.fetch_add(1, std::memory_order_relaxed); }
  void unref() noexcept {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

/// Somebody who wants to know about a version. Lies in the node, coroutine record or stack frame
/// that waits.
struct Waiter {
  Waiter* next = nullptr;
  Node* node = nullptr;  ///< the node it waits for; null: a coroutine or the driver
  void (*fire)(Waiter* self) noexcept = nullptr;
};

/// A stack of waiters that is closed once, by the event they wait for. Lock-free.
class WaiterList {
 public:
  /// False when the event already happened: the waiter was not added.
  bool add(Waiter* waiter) noexcept {
    Waiter* head = head_.load(std::memory_order_acquire);
    do {
      if (head == closed()) return false;
      waiter->next = head;
    } while (!head_.compare_exchange_weak(head, waiter, std::memory_order_release,
                                          std::memory_order_acquire));
    return true;
  }
  /// The event happened: fires everybody, in the order in which they came.
  void close() noexcept {
    if (head_.load(std::memory_order_relaxed) == nullptr) {
      Waiter* none = nullptr;
      if (head_.compare_exchange_strong(none, closed(), std::memory_order_acq_rel)) return;
    }
    fire_all(head_.exchange(closed(), std::memory_order_acq_rel));
  }
  [[nodiscard]] bool is_closed() const noexcept {
    return head_.load(std::memory_order_acquire) == closed();
  }

  // --- while no other thread can touch the list

  /// Who waits, the last to come first; null when nobody does any more.
  [[nodiscard]] Waiter* waiting() const noexcept {
    Waiter* head = head_.load(std::memory_order_acquire);
    return head == closed() ? nullptr : head;
  }
  /// Takes back what add() put in.
  void remove(Waiter* waiter) noexcept;

 private:
  static Waiter* closed() noexcept { return reinterpret_cast<Waiter*>(std::uintptr_t{1}); }
  static void fire_all(Waiter* head) noexcept;

  std::atomic<Waiter*> head_{nullptr};
};

/// How far a version is. `handed`: buffers only, its task is with the executor, so tasks that use
/// it may follow.
enum class Stage : std::uint8_t { waiting, handed, ready, failed, cancelled };

/// When tasks that read a version may be handed to the executor.
enum class Release : std::uint8_t {
  complete,  ///< once it is complete: small objects, and buffers whose size only the body knows
  handed,    ///< once its task was handed over: the executor orders them by the buffer
};

/// Versions that several nodes make together.
enum class Gather : std::uint8_t {
  no,
  content,  ///< commutative calls: poisoned when one of them is
  end,      ///< the tasks that use a file: complete when all ended, in whatever way
};

struct Version {
  /// Memory: one for all holds together, one for the producing node, one for each waiting record.
  std::atomic<std::uint32_t> refs{0};
  /// Value handles and tasks that still have to read it. With kClaimed set, its only reader updates
  /// it in place.
  std::atomic<std::uint32_t> holds{0};
  std::atomic<Stage> stage{Stage::waiting};
  std::atomic<bool> settling{false};  ///< its own node, or an answer, came first
  Release release = Release::complete;
  std::uint8_t output = 0;  ///< index among its producer's outputs
  Gather gather = Gather::no;
  Stage gathered = Stage::ready;  ///< what it will be once all shares have ended
  bool blank = false;             ///< a header without content (rt::uninitialised)
  bool borrows = false;           ///< driver: will get the content of an equal one
  bool wanted = false;            ///< driver: somebody asked for it
  bool listed = false;            ///< in the table of live versions by key
  const TypeOps* ops;
  Node* producer = nullptr;  ///< valid while somebody holds the version
  Open* open = nullptr;      ///< driver: commutative or redux calls that may still be joined
  BoxRef box;                ///< valid once handed (buffers that are released early) or ready
  Failure* failure = nullptr;
  base::Key key{};                       ///< zero: not known (yet)
  const FilePath* file = nullptr;        ///< what a file's version is about
  std::atomic<std::uint32_t> shares{0};  ///< gathered: nodes that did not end, and the open end
  WaiterList on_handed;
  WaiterList on_complete;

  static constexpr std::uint32_t kClaimed = 1u << 31;

  explicit Version(const TypeOps* type) noexcept : ops(type) {}

  [[nodiscard]] Stage at() const noexcept { return stage.load(std::memory_order_acquire); }
  [[nodiscard]] bool settled() const noexcept { return at() >= Stage::ready; }

  void hold() noexcept { holds.fetch_add(1, std::memory_order_relaxed); }
  void unhold() noexcept {
    const std::uint32_t before = holds.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & ~kClaimed) == 1) abandoned();
  }
  /// A hold on a version that one may have been the last to forget. False: too late, or its reader
  /// owns it already.
  [[nodiscard]] bool try_hold() noexcept;
  /// By its only holder, a task about to write: true when the content is now its own.
  [[nodiscard]] bool claim() noexcept;

  void ref() noexcept { refs.fetch_add(1, std::memory_order_relaxed); }
  void unref() noexcept {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(this);
  }

  /// Makes it complete, failed or cancelled, and lets those go on who wait for it; the second time
  /// it does nothing. Any thread.
  void settle(BoxRef content, Stage end, Failure* cause) noexcept;
  /// Ends one share in what several nodes make together; the last one settles it. Any thread.
  void end_share(const BoxRef& content, Failure* cause, Stage end = Stage::ready) noexcept;

  /// A new version with one hold (and the reference that goes with it).
  static Version* create(const TypeOps* type);

 private:
  void abandoned() noexcept;
  static void destroy(Version* version) noexcept;
};

/// Owner of one hold on a version.
using Held = Counted<Version, &Version::hold, &Version::unhold>;

/// A version that is complete from the start.
Held given(BoxRef box);

/// A version that several nodes make together, with one share: the open end, where more may join.
Held gathered_version(const TypeOps* ops, Gather kind);

/// A version with a key whose content the store has; empty when it has not.
Held stored_version(const TypeOps& ops, base::Key key);

}  // namespace rt::inline v0::detail
