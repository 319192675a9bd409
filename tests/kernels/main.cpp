// Tests, or with --bench the benchmarks of the same kernels.

#include <string_view>

#include <gtest/gtest.h>

#include "tests/kernels/bench.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--bench") return kern::test::run_benchmarks();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
