// Tests, or with --bench the benchmarks of the same kernels. With --gpu the tests run on a CUDA
// device.

#include <string_view>

#include <gtest/gtest.h>

#include "tests/kernels/bench.h"
#include "tests/kernels/device.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--bench") return kern::test::run_benchmarks();
  testing::InitGoogleTest(&argc, argv);
  kern::test::choose_device(argc, argv);
  if (kern::test::on_gpu()) kern::test::share_new_memory(kern::test::device());
  return RUN_ALL_TESTS();
}
