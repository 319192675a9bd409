// What a running task's body can ask and say. Optional as a body's first parameter: `rt::Context&`.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <typeindex>

namespace rt {

namespace detail {
class Running;
}

enum class Device : unsigned char { cpu, cuda };

/// A worker: which process of the cluster (0 is the driver's), which kind, which of its kind.
struct WorkerId {
  int node = 0;
  Device kind = Device::cpu;
  int index = 0;
  bool operator==(const WorkerId&) const = default;
};

/// Valid while the body runs, and only on its thread (the stop token may be handed to threads of
/// the body's own).
class Context {
 public:
  explicit Context(detail::Running& running) noexcept : running_(running) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// True once the task's group was cancelled. A long body asks at natural borders and returns or
  /// throws; of a pure task that was asked to stop, the result is dropped.
  [[nodiscard]] bool stop_requested() const noexcept;
  [[nodiscard]] std::stop_token stop_token() const noexcept;

  [[nodiscard]] WorkerId worker() const noexcept;
  /// 1 for the first attempt.
  [[nodiscard]] int attempt() const noexcept;
  /// Cores the body may use: the task's need.
  [[nodiscard]] int cpus() const noexcept;

  /// The CUDA stream of this worker (a cudaStream_t) in a `.cuda` body, null elsewhere. Work left
  /// on it is waited for by the runtime after the body returned.
  [[nodiscard]] void* stream() const noexcept;

  /// This worker's own object of type T: default-made at the first call, kept for the life of the
  /// runtime, never shared with another thread. For workspaces; a result must not depend on what an
  /// earlier task left in it.
  template <class T>
  [[nodiscard]] T& local() {
    return *static_cast<T*>(
        find_local(typeid(T), []() -> std::shared_ptr<void> { return std::make_shared<T>(); }));
  }

  /// One line for the user, with the task's name and group in front; goes where rt::note goes.
  void log(std::string_view line) const;

 private:
  void* find_local(std::type_index type, std::shared_ptr<void> (*make)());

  detail::Running& running_;
};

}  // namespace rt
