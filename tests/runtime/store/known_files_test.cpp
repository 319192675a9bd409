// Files are found without looking for each: those that were there, those of others, old stores'.
#include "runtime/store/known_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/clock.h"
#include "runtime/key.h"
#include "runtime/store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace {

using base::Bytes;
using base::Key;
using rt::Store;
using support::TempFolder;

Key key(std::uint64_t n) { return rt::key_of(n); }

/// Of an entry that has a file of its own.
Bytes content(std::uint64_t n) {
  return Bytes(rt::store::kMostPacked + 1, static_cast<std::byte>(n));
}

/// A store that finds nothing in memory.
struct Opened : Store {
  explicit Opened(const TempFolder& t) : Store({.folder = t.path(), .memory_bytes = 0}) {}
  bool holds(std::uint64_t n) {
    const Blob found = lookup(key(n));
    return found && *found == content(n);
  }
};

std::filesystem::path file_of(const TempFolder& t, std::uint64_t n) {
  const std::string hex = key(n).hex();
  return t / hex.substr(0, 2) / hex.substr(2);
}

/// What takes a file from elsewhere, with no name in the pack.
void plant(const TempFolder& t, std::uint64_t n) {
  const TempFolder elsewhere;
  Opened(elsewhere).insert(key(n), content(n));
  std::filesystem::create_directories(file_of(t, n).parent_path());
  std::filesystem::copy_file(file_of(elsewhere, n), file_of(t, n));
}

/// Longer than what others put may stay unseen.
void wait_for_others() { base::sleep_for(std::chrono::milliseconds(60)); }

TEST(KnownFiles, AreFoundWhenOthersWriteThemMeanwhile) {
  const TempFolder t;
  Opened one(t), other(t);
  for (std::uint64_t n = 0; n < 50; ++n) EXPECT_FALSE(other.holds(n));
  for (std::uint64_t n = 0; n < 50; ++n) one.insert(key(n), content(n));
  wait_for_others();
  for (std::uint64_t n = 0; n < 50; ++n) EXPECT_TRUE(other.holds(n)) << n;
}

TEST(KnownFiles, NeedNoNamesWhenTheyWereThere) {
  const TempFolder t;
  for (std::uint64_t n = 0; n < 50; ++n) plant(t, n);
  Opened store(t);
  for (std::uint64_t n = 0; n < 50; ++n) EXPECT_TRUE(store.holds(n)) << n;
}

TEST(KnownFiles, WithoutNamesAreComputedAgainAndNamed) {
  const TempFolder t;
  Opened one(t), other(t);
  EXPECT_FALSE(one.holds(1) || other.holds(1));
  plant(t, 1);
  wait_for_others();
  EXPECT_FALSE(one.holds(1)) << "nobody looks for it";
  one.insert(key(1), content(1));
  EXPECT_TRUE(one.holds(1));
  wait_for_others();
  EXPECT_TRUE(other.holds(1));
}

TEST(KnownFiles, ThatThePackDroppedStayKnownToTheirWriter) {
  const TempFolder t;
  Opened one(t);
  EXPECT_FALSE(one.holds(1));
  one.insert(key(1), content(1));
  std::filesystem::remove(t / rt::store::kPackName);
  wait_for_others();
  EXPECT_TRUE(one.holds(1) && Opened(t).holds(1));
}

TEST(KnownFiles, AreAbsentOnceSomebodyRemovedThem) {
  const TempFolder t;
  Opened one(t), other(t);
  one.insert(key(1), content(1));
  EXPECT_TRUE(one.holds(1) && other.holds(1));
  std::filesystem::remove(file_of(t, 1));
  EXPECT_FALSE(one.holds(1) || other.holds(1) || Opened(t).holds(1));
  EXPECT_EQ(one.stats().refused, 0u);
  other.insert(key(1), content(1));
  EXPECT_TRUE(one.holds(1) && other.holds(1));
}

TEST(KnownFiles, HaveNamesThatNobodyTakesForResults) {
  const TempFolder t;
  Opened(t).insert(key(1), content(1));
  std::filesystem::remove(file_of(t, 1));
  rt::store::Pins pins(t.path());
  rt::store::Pack pack(t.path(), 1 << 20, pins);
  EXPECT_FALSE(pack.contains(key(1)));
  Store store({.folder = t.path()});
  store.insert(key(2), Bytes());
  ASSERT_NE(Store({.folder = t.path()}).lookup(key(2)), nullptr) << "an empty result";
}

TEST(KnownFiles, AreLookedForWhereThereAreMany) {
  const TempFolder t;
  const auto folder = file_of(t, 1).parent_path();
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i <= rt::store::kMostListed; ++i)
    std::ofstream(folder / Key{0, i}.hex().substr(2));
  Opened store(t);
  EXPECT_FALSE(store.holds(1));
  plant(t, 1);
  EXPECT_TRUE(store.holds(1));
}

TEST(KnownFiles, WhereThePackCannotBeWrittenAreFoundLater) {
  const TempFolder t;
  std::filesystem::create_directories(t / rt::store::kPackName);
  const support::Warnings warnings;
  Opened one(t);
  EXPECT_FALSE(one.holds(1));
  one.insert(key(1), content(1));
  EXPECT_TRUE(one.holds(1) && Opened(t).holds(1));
  EXPECT_TRUE(warnings.lines.empty());
}

}  // namespace
