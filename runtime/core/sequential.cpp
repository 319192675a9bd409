// The executor without workers: every launch runs on the thread that submits it, in the order of
// submission.
#include <deque>

#include "runtime/core/backend.h"

#include <cstring>

namespace rt::detail {

namespace {

class Sequential final : public Backend {
 public:
  explicit Sequential(int gpus) : gpus_(gpus) {}

  [[nodiscard]] int cpu_workers() const noexcept override { return 1; }
  [[nodiscard]] int cuda_workers() const noexcept override { return gpus_; }

  void submit(Launch& launch) override {
    std::byte* bytes[256];
    for (unsigned i = 0; i < launch.access_count; ++i) {
      bytes[i] = static_cast<std::byte*>(launch.accesses[i].handle);
    }
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
};

}  // namespace

std::unique_ptr<Backend> make_sequential(const Config& config) {
  return std::make_unique<Sequential>(config.pretended_gpus);
}

}  // namespace rt::detail
