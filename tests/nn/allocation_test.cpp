// A steady training step allocates nothing, whatever the layers, the activation, the loss and the
// optimizer: counted by replacing this program's operator new and malloc.

#include <gtest/gtest.h>

#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "nn/model/init.h"
#include "nn/reshape/reshape.h"
#include "nn/training/pack.h"
#include "nn/training/train.h"
#include "tests/nn/layer_cases.h"
#include "tests/nn/nets.h"

// A sanitizer brings an operator new of its own, which should keep watching the other tests of this
// program.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<std::int64_t> allocations{0};

/// The code of the libraries that compute. oneDNN makes a map of arguments in every execution of a
/// primitive, and a small product of OpenBLAS a copy of an operand; their callers cannot prevent
/// it, so what they ask for themselves is not counted.
struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
};
std::array<CodeRange, 8> libraries;  // filled in before anything is counted

void find_libraries() {
  libraries = {};
  CodeRange* next = libraries.data();
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        const auto named = [&](const char* name) {
          return std::strstr(info->dlpi_name, name) != nullptr;
        };
        if (!named("libdnnl") && !named("libopenblas")) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          *(*static_cast<CodeRange**>(out))++ = {begin, begin + part.p_memsz};
        }
        return 0;
      },
      &next);
}

void count(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  const auto holds = [&](const CodeRange& code) { return at >= code.begin && at < code.end; };
  if (std::ranges::none_of(libraries, holds)) ++allocations;
}

}  // namespace

// What the C library has behind these names.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* p);

void* malloc(std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(std::size_t items, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_calloc(items, size);
}
void* realloc(void* old, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  count(__builtin_return_address(0));
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}

namespace {

void* checked(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void* aligned(std::size_t size, std::align_val_t alignment) {
  return checked(__libc_memalign(static_cast<std::size_t>(alignment), size));
}

}  // namespace

void* operator new(std::size_t size) {
  count(__builtin_return_address(0));
  return checked(__libc_malloc(size));
}
void* operator new[](std::size_t size) {
  count(__builtin_return_address(0));
  return checked(__libc_malloc(size));
}
void* operator new(std::size_t size, std::align_val_t a) {
  count(__builtin_return_address(0));
  return aligned(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a) {
  count(__builtin_return_address(0));
  return aligned(size, a);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}
void operator delete(void* p) noexcept { __libc_free(p); }
void operator delete[](void* p) noexcept { __libc_free(p); }
void operator delete(void* p, std::size_t) noexcept { __libc_free(p); }
void operator delete[](void* p, std::size_t) noexcept { __libc_free(p); }
void operator delete(void* p, std::align_val_t) noexcept { __libc_free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { __libc_free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { __libc_free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { __libc_free(p); }

namespace {

nn::ParamSlab fresh(const nn::ModelSpec& spec, const nn::Hyper& h) {
  nn::ParamSlab net(nn::slab_header(spec, h.optimizer));
  nn::init_weights(net, 1);
  return net;
}

/// Allocations between the boundaries of the steps of a second training with a workspace that has
/// seen the first.
std::vector<std::int64_t> per_step(const kern::Kernels<float>& kernels, nn::ParamSlab net,
                                   const nn_test::Table& table, const nn::Hyper& h,
                                   bool numbers = false) {
  nn::DataView view = table.view(numbers);
  view.training = view.rows;
  nn::Workspace workspace;
  kern::prepare_thread();
  find_libraries();
  (void)nn::train_steps(kernels, workspace, net, view, h, {0, 2});
  std::vector<std::int64_t> at_boundary;
  at_boundary.reserve(1000);
  (void)nn::train_steps(kernels, workspace, net, view, h, {2, 5}, [&] {
    at_boundary.push_back(allocations);
    return false;
  });
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < at_boundary.size(); ++i)
    steps.push_back(at_boundary[i] - at_boundary[i - 1]);
  return steps;
}

TEST(Allocation, AStepOfAPackAllocatesNothing) {
  const nn_test::Table table(50, 12, 3);
  const nn::DataView view = table.view();
  const nn::Hyper h = nn_test::hyper("adam", {}, 16);
  nn::Workspace workspace;
  kern::prepare_thread();
  find_libraries();
  std::vector<nn::ParamSlab> nets;
  for (int i = 0; i < 3; ++i) nets.push_back(fresh(nn_test::normed(12, 20, 3), h));
  std::vector<std::int64_t> at_boundary;
  at_boundary.reserve(1000);
  for (const nn::Segment& segment : {nn::Segment{0, 2}, nn::Segment{2, 5}}) {
    at_boundary.clear();
    std::vector<nn::PackNet> members(nets.size());
    for (std::size_t i = 0; i < nets.size(); ++i) {
      members[i].net = &nets[i];
      members[i].hyper = &h;
      members[i].next = [&] {
        at_boundary.push_back(allocations);
        return nn::PackWord::go_on;
      };
      members[i].ended = [](const nn::TrainStats&) {};
    }
    nn::train_pack(kern::cpu_kernels(), workspace, view, segment, members);
  }
  ASSERT_EQ(at_boundary.size(), 3 * 4 * nets.size());
  EXPECT_EQ(at_boundary.back(), at_boundary.front());
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

/// Every optimizer by its defaults, and with momentum where it has some.
std::vector<nn::Choice> optimizer_cases() {
  std::vector<nn::Choice> out;
  for (const nn::KindInfo& kind : nn::optimizer_kinds()) {
    out.push_back({kind.kind, {}});
    if (kind.field("momentum") == nullptr) continue;
    out.push_back({kind.kind, {{"momentum", 0.9}}});
    if (kind.field("nesterov") == nullptr) continue;
    out.push_back({kind.kind, {{"momentum", 0.9}, {"nesterov", true}}});
  }
  return out;
}

TEST(Allocation, AStepAllocatesNothingWithAnyOptimizer) {
  const nn_test::Table table(50, 12, 3);
  for (const nn::Choice& optimizer : optimizer_cases()) {
    for (const int shards : {1, 3}) {
      nn::Hyper h = nn_test::hyper(optimizer.kind, optimizer.fields, 16, shards);
      h.clip = 0.1;
      EXPECT_EQ(per_step(kern::cpu_kernels(), fresh(nn_test::normed(12, 20, 3), h), table, h),
                std::vector<std::int64_t>(3 * 4 - 1, 0))
          << optimizer.kind;
    }
  }
}

TEST(Allocation, AStepAllocatesNothingWithAnyLoss) {
  for (const nn_test::LossCase& loss : nn_test::loss_cases()) {
    const nn_test::Table table(50, 12, static_cast<std::int32_t>(loss.data_outputs));
    nn::Hyper h = nn_test::hyper("adam", {}, 16);
    h.loss = loss.loss;
    const nn::ModelSpec spec = nn_test::mlp(12, {20}, loss.outputs());
    const bool numbers = loss.kind().target() == nn::TargetKind::numbers;
    EXPECT_EQ(per_step(kern::cpu_kernels(), fresh(spec, h), table, h, numbers),
              std::vector<std::int64_t>(3 * 4 - 1, 0))
        << loss.text();
  }
}

/// A small network around an example of a layer, for data with its input.
nn::ModelSpec around(const nn::LayerExample& example, const nn::LayerSpec& layer) {
  return nn::with_output({example.input, nn_test::with_context(example, layer)}, 3);
}

TEST(Allocation, AStepAllocatesNothingWithAnyLayerAndActivation) {
  for (const nn::Layer* kind : nn::layers()) {
    for (const nn::LayerExample& example : kind->examples()) {
      nn::LayerSpec layer = nn::layer(kind->info().kind, "probed", example.fields);
      for (const char* activation : {"relu", "gelu"}) {
        if (kind->info().field("activation") != nullptr) layer.fields["activation"] = activation;
        const nn::ModelSpec spec = around(example, layer);
        nn_test::Table table(20, static_cast<std::int32_t>(spec.input.elements()), 3);
        table.shape = spec.input;
        nn::Hyper h = nn_test::hyper("adam", {}, 16);
        if (spec.input.is_image()) h.augment = {.shift = 1, .flip = nn::Flip::both};
        EXPECT_EQ(per_step(kern::cpu_kernels(), fresh(spec, h), table, h),
                  std::vector<std::int64_t>(3 * 2 - 1, 0))
            << nn::describe(spec);
      }
    }
  }
}

TEST(Allocation, ASteadyStepOfWholeNetworksAllocatesNothing) {
  const nn_test::Table images(20, 784, 10), small(20, 36, 3);
  const nn::Hyper h = nn_test::hyper("adam", {}, 16, 3);
  const std::vector<std::int64_t> none(3 * 2 - 1, 0);
  EXPECT_EQ(per_step(kern::cpu_kernels(), fresh(nn_test::lenet(4, 4, 8), h), images, h), none);
  EXPECT_EQ(per_step(kern::cpu_kernels(), fresh(nn_test::assorted(3, 3), h), small, h), none);
}

TEST(Allocation, TheCounterCounts) {
  const std::int64_t before = allocations;
  const std::vector<int> some(100);
  EXPECT_GT(allocations, before) << some.size();
}

}  // namespace

#endif
