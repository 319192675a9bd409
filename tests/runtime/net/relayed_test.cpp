#include "runtime/net/relayed.h"

#include <gtest/gtest.h>

namespace rt::net {
namespace {

constexpr std::uint64_t kIdle = 100, kMost = 300;

base::Key key(std::uint64_t number) { return {number, 1}; }

struct RelayedContents : testing::Test {
  Relayed relayed{kIdle, kMost};
  void add(std::uint64_t number, std::size_t bytes) {
    relayed.add(key(number), std::make_shared<const base::Bytes>(bytes));
  }
  bool has(std::uint64_t number) { return relayed.find(key(number)) != nullptr; }
};

TEST_F(RelayedContents, OldOnesThatNobodyReadsGo) {
  add(1, 60);
  add(2, 60);
  EXPECT_FALSE(has(1));
  EXPECT_TRUE(has(2));
}

TEST_F(RelayedContents, TheNewestStaysWhateverItsSize) {
  add(1, 1000);
  EXPECT_TRUE(has(1));
}

TEST_F(RelayedContents, ThoseThatAreReadStayToTheEnd) {
  add(1, 90);
  relayed.gave(key(1), 7, true);
  add(2, 90);
  relayed.gave(key(2), 8, true);
  add(3, 60);
  EXPECT_TRUE(has(1));
  EXPECT_TRUE(has(2));
  relayed.gave(key(1), 7, false);
  relayed.left(8);
  add(4, 60);
  EXPECT_FALSE(has(1));
  EXPECT_FALSE(has(2));
  EXPECT_TRUE(has(4));
}

TEST_F(RelayedContents, ReadersThatNeverEndHoldNoMoreThanTheMost) {
  for (std::uint64_t number = 1; number <= 9; ++number) {
    add(number, 90);
    relayed.gave(key(number), 7, true);
  }
  EXPECT_FALSE(has(6));
  EXPECT_TRUE(has(7));
  EXPECT_TRUE(has(9));
}

}  // namespace
}  // namespace rt::net
