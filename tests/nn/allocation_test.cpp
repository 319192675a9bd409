// A steady training step allocates nothing: counted by replacing this program's operator new.
// Convolutions run through the reference table here, because oneDNN allocates a little inside every
// execution of a primitive.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "nn/init.h"
#include "nn/reshape/reshape.h"
#include "nn/train.h"
#include "tests/nn/nets.h"

// A sanitizer brings an operator new of its own, which should keep watching the other tests of this
// program.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<std::int64_t> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}

void* counted(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t a) { return counted(size, a); }
void* operator new[](std::size_t size, std::align_val_t a) { return counted(size, a); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

nn::ParamSlab fresh(const nn::ModelSpec& spec, const nn::Hyper& h) {
  nn::ParamSlab net(nn::slab_header(spec, h.optimizer));
  nn::init_weights(net, 1);
  return net;
}

/// Allocations between the borders of the steps of a second training with a workspace that has seen
/// the first.
std::vector<std::int64_t> per_step(const kern::Kernels<float>& kernels, nn::ParamSlab net,
                                   const nn_test::Table& table, const nn::Hyper& h) {
  nn::Workspace workspace;
  kern::prepare_thread();
  (void)nn::train_steps(kernels, workspace, net, table.view(), h, {0, 2});
  std::vector<std::int64_t> at_border;
  at_border.reserve(1000);
  (void)nn::train_steps(kernels, workspace, net, table.view(), h, {2, 5}, [&] {
    at_border.push_back(allocations);
    return false;
  });
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < at_border.size(); ++i)
    steps.push_back(at_border[i] - at_border[i - 1]);
  return steps;
}

TEST(Allocation, AStepOfAGrownNetworkAllocatesNothing) {
  const nn_test::Table table(50, 12, 3);
  const nn::Hyper h = nn_test::hyper("adam", {}, 16);
  nn::Workspace workspace;
  nn::ParamSlab net = fresh(nn_test::mlp(12, {20, 20}, 3), h);
  (void)nn::train_steps(kern::cpu_kernels(), workspace, net, table.view(), h, {0, 1});
  nn::ParamSlab grown = nn::reshape(kern::cpu_kernels(), workspace, net,
                                    {"widen", "dense1", {{"by", nn_test::n(7)}}}, {}, 1);
  EXPECT_EQ(per_step(kern::cpu_kernels(), std::move(grown), table, h),
            std::vector<std::int64_t>(3 * 4 - 1, 0));
}

TEST(Allocation, ASteadyStepAllocatesNothing) {
  const nn_test::Table table(50, 12, 3), images(20, 784, 10), small(20, 36, 3);
  for (const auto& [optimizer, shards] : {std::pair{"adam", 1}, {"sgd", 3}, {"rmsprop", 1}}) {
    const nn::Hyper h = nn_test::hyper(optimizer, {}, 16, shards);
    const auto dense =
        per_step(kern::cpu_kernels(), fresh(nn_test::mlp(12, {20, 20}, 3), h), table, h);
    const auto conv =
        per_step(kern::ref_kernels<float>(), fresh(nn_test::lenet(4, 4, 8), h), images, h);
    const auto normed =
        per_step(kern::cpu_kernels(), fresh(nn_test::normed(12, 20, 3), h), table, h);
    EXPECT_EQ(dense, std::vector<std::int64_t>(3 * 4 - 1, 0)) << optimizer;
    const auto residual =
        per_step(kern::cpu_kernels(), fresh(nn_test::residual(12, 20, 3), h), table, h);
    EXPECT_EQ(residual, std::vector<std::int64_t>(3 * 4 - 1, 0)) << optimizer;
    EXPECT_EQ(normed, std::vector<std::int64_t>(3 * 4 - 1, 0)) << optimizer;
    const auto assorted =
        per_step(kern::ref_kernels<float>(), fresh(nn_test::assorted(3, 3), h), small, h);
    EXPECT_EQ(assorted, std::vector<std::int64_t>(3 * 2 - 1, 0)) << optimizer;
    EXPECT_EQ(conv, std::vector<std::int64_t>(3 * 2 - 1, 0)) << optimizer;
  }
}

TEST(Allocation, TheCounterCounts) {
  const std::int64_t before = allocations;
  const std::vector<int> some(100);
  EXPECT_GT(allocations, before) << some.size();
}

}  // namespace

#endif
