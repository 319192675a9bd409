#include "tests/kernels/device.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "tasks/device.h"

namespace kern::test {
namespace {

const Device* chosen = nullptr;

}  // namespace

void choose_device(int argc, char** argv) {
  chosen = &emulated_device();
  if (std::none_of(argv, argv + argc, [](std::string_view a) { return a == "--gpu"; })) return;
  std::string why;
  chosen = tasks::cuda_device(why);
  if (chosen != nullptr) return;
  std::cout << "skipped: no CUDA device to test on: " << why << '\n';
  std::exit(77);
}

bool on_gpu() { return chosen != &emulated_device(); }

const Device& device() { return *chosen; }

}  // namespace kern::test
