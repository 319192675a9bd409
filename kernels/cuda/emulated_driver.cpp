#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/driver.h"
#include "kernels/cuda/table.h"
#include "kernels/cuda/whole_tables.h"
#include "kernels/device.h"
#include "kernels/feed.h"

namespace kern::emulated {
namespace {

constexpr std::size_t kCapacity = std::size_t{1} << 30;

/// The device's memory: closed to everybody while no kernel runs, so that whoever follows a pointer
/// into it from outside is found out at once.
class Pages {
 public:
  void* add(std::size_t bytes) {
    const std::size_t size = (bytes / kPage + 1) * kPage;
    const std::scoped_lock lock(mutex_);
    if (size > kCapacity - used_) {
      throw OutOfMemory("the device has " + std::to_string(kCapacity - used_) + " of its " +
                        std::to_string(kCapacity) + " bytes left, not " + std::to_string(bytes));
    }
    void* memory =
        ::mmap(nullptr, size, open_ > 0 ? kAll : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    used_ += size;
    blocks_[memory] = size;
    return memory;
  }

  void remove(void* memory) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto block = blocks_.find(memory);
    if (block == blocks_.end()) return;
    ::munmap(memory, block->second);
    used_ -= block->second;
    blocks_.erase(block);
  }

  void open(int by) noexcept {
    const std::scoped_lock lock(mutex_);
    const bool was = open_ > 0;
    open_ += by;
    if (was == (open_ > 0)) return;
    for (const auto& [memory, size] : blocks_) ::mprotect(memory, size, was ? PROT_NONE : kAll);
  }

  [[nodiscard]] std::size_t left() {
    const std::scoped_lock lock(mutex_);
    return kCapacity - used_;
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr int kAll = PROT_READ | PROT_WRITE;

  std::mutex mutex_;
  std::map<void*, std::size_t> blocks_;
  std::size_t used_ = 0;
  int open_ = 0;
};

Pages& pages() {
  static auto* all = new Pages;  // threads give memory back when the process ends
  return *all;
}

std::atomic<bool> turned_around{false}, refusing{false};

/// A copy that was begun: made as late as may be, over what was spoilt as early as may be. So who
/// changes `from` too early, or reads `to` too long, computes with something else.
struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};
thread_local std::array<Copy, Feed::kSlots> copies;

using Recording = std::vector<std::function<void()>>;
thread_local Recording* recording = nullptr;

void make(Copy& copy) {
  if (copy.bytes > 0) driver::to_device(copy.to, copy.from, copy.bytes);
  copy = {};
}

}  // namespace

namespace driver {

void* allocate(std::size_t bytes) {
  if (recording != nullptr) throw std::logic_error("a recording allocates nothing");
  return pages().add(bytes);
}
void release(void* memory) noexcept { pages().remove(memory); }

void to_device(void* to, const void* from, std::size_t bytes) {
  if (recorded([=] { to_device(to, from, bytes); })) return;
  const Open open;
  kOwnMemory.put(to, from, bytes);
}

void to_host(void* to, const void* from, std::size_t bytes) {
  if (recording != nullptr) throw std::logic_error("a recording waits for nothing");
  const Open open;
  kOwnMemory.get(to, from, bytes);
}

void zero(void* memory, std::size_t bytes) {
  if (recorded([=] { zero(memory, bytes); })) return;
  const Open open;
  kOwnMemory.zero(memory, bytes);
}

void wait() {}

void* allocate_staging(std::size_t bytes) { return kOwnMemory.allocate(bytes); }
void release_staging(void* memory) noexcept { kOwnMemory.release(memory); }

void begin_copy(int slot, void* to, const void* from, std::size_t bytes) {
  Copy& copy = copies.at(static_cast<std::size_t>(slot));
  if (copy.bytes > 0) throw std::logic_error("a copy of the slot is under way");
  const Open open;
  std::memset(to, 0xff, bytes);
  copy = {to, from, bytes};
}
void copy_arrived(int slot) { make(copies.at(static_cast<std::size_t>(slot))); }
void copy_given_back(int) {}
void copy_vacated(int slot) { make(copies.at(static_cast<std::size_t>(slot))); }

void begin_recording() { recording = new Recording; }
void* end_recording() {
  Recording* kept = std::exchange(recording, nullptr);
  if (!refusing) return kept;
  delete kept;
  throw OutOfMemory("the device has no room for a recording");
}
void run_recording(void* calls) {
  for (const auto& call : *static_cast<const Recording*>(calls)) call();
}
void release_recording(void* calls) noexcept { delete static_cast<Recording*>(calls); }

bool recorded(std::function<void()> call) {
  if (recording == nullptr) return false;
  recording->push_back(std::move(call));
  return true;
}

void product(const GemmArgs<float>& g, Precision precision) {
  if (recorded([=] { product(g, precision); })) return;
  const Open open;
  Exec exec;
  ref_kernels<float>(precision).gemm(exec, g);
}

void products(const GemmArgs<float>& g, int count, const Strides& strides) {
  GemmArgs<float> one = g;
  for (int i = 0; i < count; ++i) {
    product(one, Precision::f32);
    one.a += strides.a;
    one.b += strides.b;
    one.c += strides.c;
  }
}

Open::Open() { pages().open(1); }
Open::~Open() { pages().open(-1); }

bool reversed() noexcept { return turned_around; }
void reverse(bool on) noexcept { turned_around = on; }

/// Whether end_recording() throws OutOfMemory, as a device does that has no room for a graph.
void refuse_recordings(bool on) noexcept;
void refuse_recordings(bool on) noexcept { refusing = on; }

}  // namespace driver
}  // namespace kern::emulated

namespace kern {

const Device& emulated_device() {
  static const auto tables = whole_tables(emulated::kernels);
  static const Device device{
      .tables = [](Precision p) -> const Kernels<float>& { return tables.at(p); },
      .use_stream = [](void*) {},
      .wait_for_each = [](bool) {},
      .allocate_shared = [](std::size_t bytes) { return kOwnMemory.allocate(bytes); },
      .memory_left =
          [](std::size_t& left, std::size_t& all) {
            left = emulated::pages().left();
            all = emulated::kCapacity;
          },
      .fingerprint = [] { return "emulated " + std::string(kern::fingerprint()); },
      .library_conv_seconds = [](const Window&, Precision, ConvStep) { return 0.0; }};
  return device;
}

}  // namespace kern
