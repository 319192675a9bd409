// The memory that the contents of buffers lie in.
#include "runtime/core/box.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include "runtime/matrix.h"

namespace {

using rt::detail::Box;
using rt::detail::BoxRef;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Small = std::unique_ptr<void, Free>;

BoxRef buffer(std::size_t bytes) {
  return BoxRef(Box::create_buffer(*rt::detail::type_ops<rt::Matrix<float>>(), bytes));
}

TEST(Box, ABufferBeginsAtABoundaryOfCacheLines) {
  for (const std::size_t bytes : {1, 63, 64, 65, 1000, 1 << 20}) {
    const BoxRef box = buffer(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(box->memory) % 64, 0U) << bytes;
    box->memory[0] = box->memory[bytes - 1] = std::byte{1};
  }
  EXPECT_EQ(buffer(0)->memory, nullptr);
}

/// What a long study does to its heap: networks come and go, and small things are made meanwhile,
/// most of which stay for a while.
TEST(Box, BuffersThatWereFreedMakeRoomForOthersOfTheirSize) {
  constexpr std::size_t kBytes = 1 << 20, kLiving = 8, kSmall = 200;
  std::free(std::malloc(30 << 20));  // malloc takes blocks from its heap from now on
  std::deque<BoxRef> living;
  std::vector<Small> small;
  const std::size_t before = ::mallinfo2().arena;
  for (std::size_t i = 0; i < 300; ++i) {
    living.push_back(buffer(kBytes));
    for (int k = 0; k < 3; ++k) small.emplace_back(std::malloc(40 + 16 * (i % 5)));
    if (living.size() > kLiving) living.pop_front();
    if (small.size() > kSmall) {
      small[i % 150] = std::move(small.back());
      small.pop_back();
    }
  }
  EXPECT_LT(::mallinfo2().arena, before + 4 * kLiving * kBytes);
}

}  // namespace
