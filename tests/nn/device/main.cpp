#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "tests/kernels/device.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  kern::prepare_thread();
  kern::test::choose_device(argc, argv);
  return RUN_ALL_TESTS();
}
