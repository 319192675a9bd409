#include "nn/network/workspace.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace nn {
namespace {

constexpr std::size_t kPlansKept = 8, kStepsKept = 8;

/// Memory that only grows.
class Arena {
 public:
  explicit Arena(const kern::Memory& memory) : memory_(&memory) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { release(); }

  [[nodiscard]] bool in(const kern::Memory& memory) const { return memory_ == &memory; }
  /// What was there before is given back; an empty block is none.
  void lend(std::span<std::byte> block) {
    release();
    lent_ = block;
  }
  std::byte* grown_to(std::size_t bytes) {
    if (!lent_.empty() && bytes <= lent_.size()) return lent_.data();
    if (size_ < bytes || start_ == nullptr) {
      release();  // the old one goes first: never both in memory
      start_ = static_cast<std::byte*>(memory_->allocate(bytes));
      size_ = bytes;
    }
    return start_;
  }

 private:
  void release() noexcept {
    if (start_ != nullptr) memory_->release(start_);
    start_ = nullptr;
    size_ = 0;
  }

  const kern::Memory* memory_;
  std::byte* start_ = nullptr;
  std::size_t size_ = 0;
  std::span<std::byte> lent_;
};

/// The one that fits, or one made now, at the front of a list of the `most` that were used last.
template <class T, class Fits, class Make>
T& found_or_made(std::vector<std::unique_ptr<T>>& list, std::size_t most, Fits fits, Make make) {
  auto it = std::ranges::find_if(list, [&](const auto& one) { return fits(*one); });
  if (it == list.end()) {
    auto made = make();
    if (list.size() == most) list.pop_back();
    it = list.insert(list.end(), std::move(made));
  }
  std::rotate(list.begin(), it, it + 1);
  return *list.front();
}

}  // namespace

struct Workspace::Impl {
  Arena& arena_in(const kern::Memory& memory, std::vector<std::unique_ptr<Arena>>& all) {
    auto it = std::ranges::find_if(all, [&](const auto& arena) { return arena->in(memory); });
    if (it == all.end()) it = all.insert(it, std::make_unique<Arena>(memory));
    return **it;
  }

  struct Step {
    explicit Step(const StepKey& of) : key(of), step(*of.kernels->memory) {}
    StepKey key;
    RecordedStep step;
  };

  std::vector<std::unique_ptr<Arena>> arenas, kept;
  std::vector<std::unique_ptr<Step>> steps;            // the one used last comes first
  std::vector<std::unique_ptr<Network<float>>> plans;  // the one used last comes first
  EpochRows rows;
};

Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

std::byte* Workspace::arena(std::size_t bytes, const kern::Memory& memory) {
  return impl_->arena_in(memory, impl_->arenas).grown_to(bytes);
}

Workspace::Lease::Lease(Workspace& workspace, const kern::Memory& memory,
                        std::span<std::byte> block)
    : workspace_(workspace), memory_(memory) {
  if (!block.empty()) workspace_.impl_->arena_in(memory_, workspace_.impl_->arenas).lend(block);
}

Workspace::Lease::~Lease() {
  workspace_.impl_->arena_in(memory_, workspace_.impl_->arenas).lend({});
}

std::byte* Workspace::kept(std::size_t bytes, const kern::Memory& memory) {
  return impl_->arena_in(memory, impl_->kept).grown_to(bytes);
}

RecordedStep& Workspace::recorded(const StepKey& key) {
  return found_or_made(
             impl_->steps, kStepsKept, [&](const Impl::Step& step) { return step.key == key; },
             [&] { return std::make_unique<Impl::Step>(key); })
      .step;
}

EpochRows& Workspace::rows() { return impl_->rows; }

Network<float>& Workspace::network(const ModelSpec& spec, const kern::Kernels<float>& kernels,
                                   int max_rows, Use use) {
  const auto fits = [&](const Network<float>& n) {
    return n.max_rows() == max_rows && n.use() == use && &n.kernels() == &kernels &&
           n.spec() == spec;
  };
  return found_or_made(impl_->plans, kPlansKept, fits, [&] {
    return std::make_unique<Network<float>>(spec, kernels, max_rows, use);
  });
}

}  // namespace nn
