#include "tests/kernels/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace kern::test {
namespace {

const Device* chosen = nullptr;

class SkipAll final : public testing::Environment {
 public:
  explicit SkipAll(std::string why) : why_(std::move(why)) {}
  void SetUp() override { GTEST_SKIP() << "no CUDA device to test on: " << why_; }

 private:
  std::string why_;
};

}  // namespace

void choose_device(int argc, char** argv) {
  chosen = &emulated_device();
  if (std::none_of(argv, argv + argc, [](std::string_view a) { return a == "--gpu"; })) return;
  std::string why;
  chosen = cuda_device(why);
  if (chosen == nullptr) testing::AddGlobalTestEnvironment(new SkipAll(why));
}

bool on_gpu() { return chosen != nullptr && chosen != &emulated_device(); }

const Device& device() { return *chosen; }

}  // namespace kern::test
