// The executor without workers: every launch runs on the thread that submits it, in the order of
// submission.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "runtime/core/backend.h"

namespace rt::inline v0::detail {

namespace {

/// Memory for the length of a launch; of size 0 none.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) {
    constexpr std::size_t kLine = 64;
    if (bytes == 0) return;
    memory_.reset(std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine));
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  [[nodiscard]] std::byte* get() const noexcept { return static_cast<std::byte*>(memory_.get()); }

 private:
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
};

class Sequential final : public Backend {
 public:
  explicit Sequential(const Config& config)
      : gpus_(config.pretended_gpus), gpu_memory_(config.pretended_memory.value) {}

  [[nodiscard]] int cpu_workers() const noexcept override { return 1; }
  [[nodiscard]] int cuda_workers() const noexcept override { return gpus_; }
  [[nodiscard]] std::uint64_t device_memory(Device kind) const noexcept override {
    return kind == Device::cuda ? gpu_memory_ : 0;
  }

  void submit(Launch& launch) override {
    std::byte* bytes[256];
    for (unsigned i = 0; i < launch.access_count; ++i) {
      bytes[i] = static_cast<std::byte*>(launch.accesses[i].handle);
    }
    const bool lends = launch.device == Device::cuda && launch.scratch > 0;
    const Scratch scratch(lends ? launch.scratch : 0);
    launch.scratch_at = scratch.get();
    launch_ready(launch);
    run_launch(launch, launch.device == Device::cpu ? 0 : 1, bytes);
  }

  [[nodiscard]] int ready() const noexcept override { return 1; }

  void* register_buffer(std::byte* bytes, std::size_t) override {
    static std::byte turn;
    return bytes != nullptr ? bytes : &turn;
  }
  void unregister_buffer(void*) noexcept override {}
  void fetch(void*) override {}
  void copy(std::byte* to, const std::byte* from, std::size_t size) override {
    std::memcpy(to, from, size);
  }
  void on_each_worker(void (*function)(void*), void* argument) override { function(argument); }

 private:
  int gpus_;
  std::uint64_t gpu_memory_;
};

}  // namespace

std::unique_ptr<Backend> make_sequential(const Config& config) {
  return std::make_unique<Sequential>(config);
}

}  // namespace rt::inline v0::detail
