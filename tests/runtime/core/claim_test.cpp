// Taking a version's content for one's own beside those who share it.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/core/version.h"

namespace {

using rt::detail::Box;
using rt::detail::BoxRef;
using rt::detail::Version;

/// Lets two threads begin a round at the same moment.
class Start {
 public:
  void wait() {
    const int round = round_.load();
    if (arrived_.fetch_add(1) == 1) {
      arrived_ = 0;
      ++round_;
    }
    for (int spins = 0; round_.load() == round; ++spins) {
      if (spins > kSpins) std::this_thread::yield();  // the other one may have no core
    }
  }

 private:
  static constexpr int kSpins = 1000;
  std::atomic<int> arrived_{0}, round_{0};
};

rt::detail::Held made() {
  return rt::detail::given(BoxRef(Box::create(*rt::detail::type_ops<int>())));
}

TEST(Claim, TakesWhatIsItsOwnAndLeavesWhatIsShared) {
  EXPECT_TRUE(made()->claim());
  const rt::detail::Held shared = made();
  shared->box->shared = true;
  EXPECT_FALSE(shared->claim());
  ASSERT_TRUE(shared->try_hold());  // nothing of the attempt is left
  shared->unhold();
  const rt::detail::Held held = made();
  ASSERT_TRUE(held->try_hold());
  EXPECT_FALSE(held->claim());
  held->unhold();
  EXPECT_TRUE(held->claim());
}

TEST(Claim, NeverTakesWhatIsBeingShared) {
  constexpr int kRounds = 2'000;
  Start start;
  std::atomic<Version*> version{nullptr};
  std::thread sharer([&] {
    for (int i = 0; i < kRounds; ++i) {
      start.wait();
      Version* const v = version.load();
      if (v->try_hold()) {
        v->box->shared.store(true, std::memory_order_release);
        v->unhold();
      }
      start.wait();
    }
  });
  int taken = 0, wrong = 0;
  for (int i = 0; i < kRounds; ++i) {
    const rt::detail::Held held = made();
    version = held.get();
    start.wait();
    // Places in which the other one may be, one after the other.
    for (std::atomic<int> pause{i % 40}; pause > 0; --pause) continue;
    const bool own = held->claim();
    taken += own;
    start.wait();
    wrong += own && held->box->shared.load();
  }
  sharer.join();
  EXPECT_EQ(wrong, 0) << "of " << taken;
}

}  // namespace
