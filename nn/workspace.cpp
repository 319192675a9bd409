#include "nn/workspace.h"

#include <algorithm>
#include <vector>

#include "nn/data/block.h"

namespace nn {
namespace {

constexpr std::size_t kPlansKept = 8;

}  // namespace

struct Workspace::Impl {
  Block block;
  std::vector<std::unique_ptr<Network<float>>> plans;  // the one used last comes first
  std::vector<std::uint32_t> rows;
};

Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

std::byte* Workspace::arena(std::size_t bytes) {
  if (impl_->block.bytes().size() < bytes) {
    impl_->block = Block();  // the old one goes first: never both in memory
    impl_->block = Block(bytes);
  }
  return impl_->block.bytes().data();
}

std::vector<std::uint32_t>& Workspace::rows() { return impl_->rows; }

Network<float>& Workspace::network(const ModelSpec& spec, const kern::Kernels<float>& kernels,
                                   int max_rows, Use use) {
  auto& plans = impl_->plans;
  const auto fits = [&](const std::unique_ptr<Network<float>>& n) {
    return n->max_rows() == max_rows && n->use() == use && &n->kernels() == &kernels &&
           n->spec() == spec;
  };
  auto it = std::ranges::find_if(plans, fits);
  if (it == plans.end()) {
    auto made = std::make_unique<Network<float>>(spec, kernels, max_rows, use);
    if (plans.size() == kPlansKept) plans.pop_back();
    it = plans.insert(plans.end(), std::move(made));
  }
  std::rotate(plans.begin(), it, it + 1);
  return *plans.front();
}

}  // namespace nn
