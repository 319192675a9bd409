// What a running task's body can ask and say. Optional as a body's first parameter: `rt::Context&`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>

namespace rt::inline v0 {

namespace detail {
class Running;
struct Worker;
/// The worker's object of that type; makes it where there is none. What `make` throws goes through.
void* find_local(Worker& worker, std::type_index type, std::shared_ptr<void> (*make)());
/// The object of type T that belongs to the worker.
template <class T>
T& local_of(Worker& worker) {
  return *static_cast<T*>(find_local(
      worker, typeid(T), []() -> std::shared_ptr<void> { return std::make_shared<T>(); }));
}
}  // namespace detail

/// Kinds of worker. The kind decides the bits of a result, so it is part of a pure task's key.
enum class Device : unsigned char { cpu, cuda };

/// A worker: which process of the cluster (0 is the driver's), which kind, which of its kind.
struct WorkerId {
  int node = 0;
  Device kind = Device::cpu;
  int index = 0;
  bool operator==(const WorkerId&) const = default;
};

/// A part of a task's work, on the worker that runs it (Context::split). Valid while the part runs.
class Part {
 public:
  Part(int index, detail::Worker& worker) noexcept : index_(index), worker_(worker) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// 0 <= index() < parts.
  [[nodiscard]] int index() const noexcept { return index_; }
  /// As Context::local, of the worker that runs the part.
  template <class T>
  [[nodiscard]] T& local() const {
    return detail::local_of<T>(worker_);
  }

 private:
  int index_;
  detail::Worker& worker_;
};

/// Valid while the body runs, and only on its thread (the stop token may be handed to threads of
/// the body's own).
class Context {
 public:
  explicit Context(detail::Running& running) noexcept : running_(running) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// True once the task's group was cancelled. A long body asks at natural boundaries and returns
  /// or throws; of a pure task that was asked to stop, the result is dropped.
  [[nodiscard]] bool stop_requested() const noexcept;
  /// The same as a token, for std::jthread and std::condition_variable_any; may outlive the body.
  [[nodiscard]] std::stop_token stop_token() const noexcept;

  /// Where the body runs: for messages and workspaces. Differs from run to run, so no result may
  /// hang on it.
  [[nodiscard]] WorkerId worker() const noexcept;
  /// 1 for the first attempt; up to one more than the policy's retries.
  [[nodiscard]] int attempt() const noexcept;
  /// Cores the body may use: the task's need. Same for every run of a call, so a result may depend
  /// on it only as far as it depends on the need.
  [[nodiscard]] int cpus() const noexcept;

  /// The CUDA stream of this worker (a cudaStream_t) in a `.cuda` body, null elsewhere. Work left
  /// on it is waited for by the runtime after the body returned.
  [[nodiscard]] void* stream() const noexcept;

  /// In a `.cuda` body the device memory that the task's work asked for (Work::memory): 64-byte
  /// aligned, contents undefined, counted against the device with the task's arguments. Empty
  /// elsewhere.
  [[nodiscard]] std::span<std::byte> scratch() const noexcept;

  /// Whether the input that Streaming::parameter names stayed in main memory, because no device
  /// holds all (Work::streaming): in a `.cuda` body its view is on the program's memory.
  [[nodiscard]] bool streams() const noexcept;

  /// This worker's own object of type T: default-made at the first call, kept for the life of the
  /// runtime, never shared with another thread. For workspaces; a result must not depend on what an
  /// earlier task left in it.
  template <class T>
  [[nodiscard]] T& local() {
    return detail::local_of<T>(own());
  }

  /// Calls `body(const rt::Part&)` once for each of `parts` parts and returns when all have ended.
  /// Parts run here, one after another, and meanwhile on CPU workers that have nothing else to run;
  /// those go back to tasks as soon as one waits. So who runs a part, and how many run at once,
  /// changes from run to run: parts may not depend on each other, and what they make is put
  /// together afterwards in a fixed order. Costs about a microsecond where nobody helps; parts of
  /// 20 us and more are worth it. A part that throws ends the call, when the others have ended,
  /// with its error (of several: that of the lowest index). In a `.cuda` body all parts run here.
  template <class F>
  void split(int parts, F&& body) {
    run_parts(
        parts,
        [](void* f, int index, detail::Worker& worker) {
          (*static_cast<std::remove_reference_t<F>*>(f))(Part(index, worker));
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

  /// Says something to whoever called the task and listens (runtime/listener.h), wherever that is:
  /// up to 256 KiB of any bytes at a time. Never waits. Of a pure task no result may depend on it.
  void tell(std::string text) const;

  /// One line for the user, with the task's name and group in front; goes where base::note goes.
  void log(std::string_view line) const;

 private:
  [[nodiscard]] detail::Worker& own() const noexcept;
  void run_parts(int parts, void (*body)(void*, int, detail::Worker&), void* object);

  detail::Running& running_;
};

}  // namespace rt::inline v0
