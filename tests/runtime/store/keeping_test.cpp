// What stays in a store and when it reaches the disk: protection, use, and writing within a share
// of the time.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "runtime/key.h"
#include "runtime/store.h"
#include "runtime/store/pending.h"
#include "runtime/store/share.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace {

using base::Bytes;
using base::Key;
using rt::Store;
using support::TempFolder;
using support::Warnings;

constexpr std::uint64_t kBlock = 4096;
constexpr std::size_t kSize = 2000;  ///< of an entry that has a file, which takes a block

Key key(std::uint64_t n) { return rt::key_of(n); }
Bytes content(std::uint64_t n, std::size_t size = kSize) { return Bytes(size, std::byte(n)); }

std::filesystem::path file_of(const TempFolder& t, Key k) {
  return t.path() / k.hex().substr(0, 2) / k.hex().substr(2);
}
bool on_disk(const TempFolder& t, std::uint64_t n) { return exists(file_of(t, key(n))); }

/// The numbers below `end` whose entries have files.
std::vector<std::uint64_t> written(const TempFolder& t, std::uint64_t end) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t n = 0; n < end; ++n) {
    if (on_disk(t, n)) numbers.push_back(n);
  }
  return numbers;
}

/// Inserts dear entries until the folder was trimmed several times.
void crowd(Store& store, std::uint64_t from) {
  for (std::uint64_t i = from; i < from + 200; ++i) store.insert(key(i), content(i), 100);
}

TEST(Keeping, ProtectedEntriesStayWhateverTheyCost) {
  const TempFolder t;
  Store store({.folder = t.path(), .memory_bytes = 0, .disk_bytes = 32 * kBlock});
  for (std::uint64_t i = 0; i < 6; ++i) store.insert(key(i), content(i), 1e-6);
  store.protect("one", {key(0), key(1)});
  store.protect("other", {key(2)});
  crowd(store, 1000);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(on_disk(t, i), i < 3) << i;
  store.protect("one", {key(1)});
  crowd(store, 2000);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(on_disk(t, i), i > 0) << i;
}

TEST(Keeping, ProtectionOutlivesItsProcess) {
  const TempFolder t;
  {
    Store store({.folder = t.path(), .overhead = 1});
    store.insert(key(0), content(0), 1e-6);
    store.protect("killed", {key(0)});
  }
  Store other({.folder = t.path(), .memory_bytes = 0, .disk_bytes = 32 * kBlock});
  crowd(other, 1000);
  EXPECT_TRUE(on_disk(t, 0));
  other.protect("killed", {});
  crowd(other, 2000);
  EXPECT_TRUE(on_disk(t, 0)) << "the other store's list is its own business until it changes it";
  other.protect("killed", {key(1)});
  other.protect("killed", {});
  crowd(other, 3000);
  EXPECT_FALSE(on_disk(t, 0));
}

TEST(Keeping, WhatIsLargerThanTheBudgetWaitsUntilItIsProtected) {
  constexpr std::size_t kLarge = 128 << 10;
  const TempFolder t;
  Store store({.folder = t.path(), .memory_bytes = kLarge / 2, .overhead = 0.01});
  store.insert(key(0), content(0, kLarge), 1e-6);
  EXPECT_FALSE(on_disk(t, 0));
  store.protect("one", {key(0)});
  store.insert(key(1), content(1, kLarge), 1e-6);
  EXPECT_TRUE(on_disk(t, 0)) << "protected, it made room by being written";
  store.flush();
  EXPECT_TRUE(on_disk(t, 1)) << "the newest was still there";
}

TEST(Keeping, MemoryProtectsToo) {
  Store store({.memory_bytes = 20 * (kSize + 256)});
  store.insert(key(0), content(0), 1e-6);
  store.insert(key(1), content(1), 1e-6);
  store.protect("one", {key(0)});
  for (std::uint64_t i = 1000; i < 1100; ++i) store.insert(key(i), content(i), 100);
  EXPECT_NE(store.lookup(key(0)), nullptr);
  EXPECT_EQ(store.lookup(key(1)), nullptr);
}

TEST(Keeping, WhatTwoProtectStaysUntilBothGiveItUp) {
  Store store({.memory_bytes = 20 * (kSize + 256)});
  const auto press = [&] {
    for (std::uint64_t i = 1000; i < 1100; ++i) store.insert(key(i), content(i), 100);
  };
  store.insert(key(0), content(0), 1e-6);
  store.protect("one", {key(0)});
  store.protect("two", {key(0)});
  store.protect("one", {});
  press();
  EXPECT_NE(store.lookup(key(0)), nullptr);
  store.protect("two", {});
  press();
  EXPECT_EQ(store.lookup(key(0)), nullptr);
}

TEST(Keeping, WhatTheDiskHasTakesNoMemoryThatTheBudgetDoesNotAllow) {
  const TempFolder t;
  Store store({.folder = t.path(), .memory_bytes = 1 << 20});
  std::vector<Key> all;
  for (std::uint64_t i = 0; i < 100; ++i) {
    all.push_back(key(i));
    store.protect("one", all);
    store.insert(key(i), content(i, 100'000), 1);
  }
  for (const Key k : all) EXPECT_NE(store.lookup(k), nullptr);
  EXPECT_LE(store.stats().memory_hits, 10U);
}

TEST(Keeping, WhatTheDiskRefusesGoesOnWaiting) {
  const TempFolder t;
  const Warnings warnings;
  Store store({.folder = t.path(), .overhead = 1});
  // Where the first entry's folder would be.
  const std::filesystem::path in_the_way = file_of(t, key(0)).parent_path();
  base::write_file_atomic(in_the_way, "");
  std::vector<Key> all;
  for (std::uint64_t i = 0; i < 20; ++i) all.push_back(key(i));
  store.protect("one", all);
  for (std::uint64_t i = 0; i < 20; ++i)
    store.insert(key(i), content(i, 100'000), 100 - static_cast<double>(i));
  store.persist();
  EXPECT_FALSE(store.due()) << "it was refused a moment ago";
  EXPECT_TRUE(written(t, 20).empty());
  std::filesystem::remove(in_the_way);
  base::sleep_for(std::chrono::milliseconds(1050));
  EXPECT_TRUE(store.due());
  store.persist();
  EXPECT_EQ(written(t, 20).size(), 20U);
  ASSERT_EQ(warnings.lines.size(), 1U);
}

TEST(Keeping, AmongEqualsTheLongestUnusedGoes) {
  const TempFolder t;
  Store filled({.folder = t.path()});
  for (std::uint64_t i = 0; i < 20; ++i) filled.insert(key(i), content(i), 1.0 + 0.01 * double(i));
  // Another process would find nothing in memory.
  Store store({.folder = t.path(), .memory_bytes = 0, .disk_bytes = 32 * kBlock});
  EXPECT_NE(store.lookup(key(3)), nullptr);
  for (std::uint64_t i = 100; i < 114; ++i) store.insert(key(i), content(i), 1.0);
  EXPECT_FALSE(on_disk(t, 2));
  EXPECT_TRUE(on_disk(t, 3)) << "used last, though among the first to be written";
  EXPECT_FALSE(on_disk(t, 4));

  Store memory({.memory_bytes = 20 * (kSize + 256)});
  for (std::uint64_t i = 0; i < 20; ++i) memory.insert(key(i), content(i), 1.0);
  EXPECT_NE(memory.lookup(key(0)), nullptr);
  memory.insert(key(100), content(100), 1.0);
  EXPECT_NE(memory.lookup(key(0)), nullptr);
  EXPECT_EQ(memory.lookup(key(1)), nullptr);
}

TEST(Keeping, ProcessesTrimAroundEachOthersProtection) {
  const TempFolder t;
  Store store({.folder = t.path(), .memory_bytes = 0, .disk_bytes = 64 * kBlock});
  for (std::uint64_t i = 0; i < 4; ++i) store.insert(key(i), content(i), 1e-6);
  store.protect("parent", {key(0), key(1), key(2), key(3)});
  std::vector<pid_t> children;
  for (std::uint64_t child = 0; child < 3; ++child) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    Store own({.folder = t.path(), .memory_bytes = 0, .disk_bytes = 64 * kBlock});
    const std::uint64_t mine = 10'000 * (child + 1);
    own.protect(std::to_string(child), {key(mine)});
    own.insert(key(mine), content(mine), 1e-6);
    crowd(own, mine + 1);
    _exit(on_disk(t, mine) ? 0 : 1);
  }
  crowd(store, 5000);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(on_disk(t, i)) << i;
}

TEST(Keeping, WithoutAShareEntriesWaitForTheEndAsFarAsTheyFit) {
  const TempFolder t;
  constexpr std::size_t kFit = 10;  // of 100 kB into 1 MiB
  {
    Store store({.folder = t.path(), .memory_bytes = 1 << 20, .overhead = 0});
    for (std::uint64_t i = 0; i < 9; ++i) store.insert(key(i), content(i, 100'000), 1);
    EXPECT_FALSE(store.due());
    store.persist();
    EXPECT_EQ(store.stats().writing, 0);
    for (std::uint64_t i = 9; i < 20; ++i) store.insert(key(i), content(i, 100'000), 1);
    EXPECT_TRUE(written(t, 20).empty());
  }
  EXPECT_EQ(written(t, 20).size(), kFit);
}

TEST(Keeping, WhatDoesNotFitIsWrittenWhereItIsWorthItOrProtected) {
  const TempFolder t;
  Store store({.folder = t.path(), .memory_bytes = 1 << 20, .overhead = 0.1});
  store.protect("one", {key(0), key(1)});
  // 100 kB take .66 ms to write: worth it from 6.6 ms on.
  for (std::uint64_t i = 0; i < 40; ++i)
    store.insert(key(i), content(i, 100'000), i < 2 ? 1e-6 : i < 10 ? 0.006 : 0.007);
  const std::vector<std::uint64_t> files = written(t, 40);
  EXPECT_GE(files.size(), 20U);
  for (const std::uint64_t n : files) EXPECT_TRUE(n < 2 || n >= 10) << n;
}

TEST(Keeping, WhatIsProtectedLaterIsWrittenIfItIsInMemory) {
  const TempFolder t;
  Store store({.folder = t.path(), .memory_bytes = 1 << 20, .overhead = 0.9});
  // 10 fit: the cheapest go where entries wait, the longest unused of about the same cost in
  // memory.
  for (std::uint64_t i = 0; i < 10; ++i)
    store.insert(key(i), content(i, 100'000), i < 2 ? 1.05e-5 : 1.1e-5);
  for (std::uint64_t i = 0; i < 2; ++i) EXPECT_NE(store.lookup(key(i)), nullptr);
  for (std::uint64_t i = 10; i < 12; ++i) store.insert(key(i), content(i, 100'000), 1.1e-5);
  store.protect("one", {key(0), key(1)});
  store.flush();
  EXPECT_TRUE(on_disk(t, 0));
  EXPECT_TRUE(on_disk(t, 1));
}

TEST(Keeping, WhatIsNotWorthItIsGivenUpAtTheEndOfTheWork) {
  const TempFolder t;
  {
    Store store({.folder = t.path(), .overhead = 0.1});
    store.protect("one", {key(1)});
    for (std::uint64_t i = 0; i < 4; ++i)
      store.insert(key(i), content(i, 100'000), i == 2 ? 1 : 1e-3);
    store.drop_cheap();
  }
  EXPECT_EQ(written(t, 4), (std::vector<std::uint64_t>{1, 2}));
  {
    Store store({.folder = t.path(), .overhead = 0.1});
    for (std::uint64_t i = 4; i < 8; ++i) store.insert(key(i), content(i, 100'000), 1e-3);
  }
  EXPECT_EQ(written(t, 8), (std::vector<std::uint64_t>{1, 2, 4, 5, 6, 7})) << "work that goes on";
}

TEST(Keeping, OfWhatIsNotWorthItTheNewestIsWrittenNowAndThen) {
  const TempFolder t;
  Store store({.folder = t.path(), .overhead = 0.5});
  for (std::uint64_t i = 0; i < 4; ++i) store.insert(key(i), content(i, 100'000), 1e-6);
  EXPECT_FALSE(store.due());
  base::sleep_for(std::chrono::milliseconds(1050));
  EXPECT_TRUE(store.due());
  store.persist();
  EXPECT_EQ(written(t, 4), std::vector<std::uint64_t>{3});
  EXPECT_FALSE(store.due());
}

TEST(Keeping, SmallEntriesNeverWait) {
  const TempFolder t;
  Store store({.folder = t.path(), .overhead = 0});
  for (std::uint64_t i = 0; i < 20; ++i) store.insert(key(i), content(i, 100), 1);
  EXPECT_FALSE(store.due());
  Store other({.folder = t.path()});
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_NE(other.lookup(key(i)), nullptr) << i;
}

TEST(Keeping, WritingTakesItsShareOfTheTime) {
  constexpr double kShare = 0.1;
  const TempFolder t;
  const base::Moment begin = base::now();
  Store store({.folder = t.path(), .overhead = kShare});
  std::uint64_t next = 0;
  while (base::seconds_since(begin) < 0.4) {
    store.insert(key(next), content(next, 20'000), 1);
    ++next;
    if (store.due()) store.persist();
    base::sleep_for(std::chrono::microseconds(200));  // or what waits would not fit into memory
  }
  const double spent = store.stats().writing, all = base::seconds_since(begin);
  EXPECT_GT(spent, 0);
  // The last entry may take longer than it was thought to, on a busy machine much longer.
  EXPECT_LT(spent, kShare * all + 0.2);
}

TEST(Keeping, WhatIsProtectedIsWrittenFirst) {
  rt::store::Pins pins("");
  rt::store::Pending pending(1 << 20, pins);
  const auto put = [&](std::uint64_t n, double cost) {
    EXPECT_TRUE(pending.put({key(n), std::make_shared<const Bytes>(content(n)), cost}).empty());
  };
  put(1, 5);
  put(2, 50);
  put(3, 0.5);
  (void)pins.set("one", {key(9), key(3), key(4)});
  pending.look_again({key(3)});
  put(4, 0.05);
  std::vector<Key> order;
  while (const auto item = pending.next()) {
    order.push_back(item->key);
    pending.done(item->key);
  }
  EXPECT_EQ(order, (std::vector{key(3), key(4), key(2), key(1)}));
  const auto large = std::make_shared<const Bytes>(content(4, 2 << 20));
  EXPECT_EQ(pending.put({key(4), large, 1}).size(), 0U) << "the newest stays";
  EXPECT_EQ(pending.put({key(5), std::make_shared<const Bytes>(content(5)), 0}).size(), 1U);
}

TEST(Keeping, AShareOfNoTimeAllowsNothingAndOneOfAllEverything) {
  rt::store::Share none(0), all(1), half(0.5);
  EXPECT_FALSE(none.worth(1e9, 1));
  EXPECT_TRUE(all.worth(0, 1 << 30));
  EXPECT_TRUE(half.worth(0.02, 1 << 20));
  EXPECT_FALSE(half.worth(0.005, 1 << 20));
  EXPECT_FALSE(none.allows(1));
  EXPECT_TRUE(all.allows(1 << 30));
  half.took(100, 1000);
  EXPECT_FALSE(half.allows(1));
  EXPECT_FALSE(half.allows_round());
  EXPECT_EQ(half.spent(), 100);
}

TEST(Keeping, ADamagedEntryIsNamed) {
  const TempFolder t;
  std::vector<std::string> lines;
  Store({.folder = t.path()}).insert(key(1), content(1), 1);
  std::filesystem::resize_file(file_of(t, key(1)), 80);
  base::set_log_sink([&](base::LogLevel, std::string_view line) { lines.emplace_back(line); });
  Store store({.folder = t.path()});
  EXPECT_EQ(store.lookup(key(1)), nullptr);
  base::set_log_sink({});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find(file_of(t, key(1)).string() + " is damaged and was removed"),
            std::string::npos)
      << lines[0];
}

}  // namespace
