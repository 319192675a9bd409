#include "runtime/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "runtime/key.h"
#include "runtime/store/disk.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace {

using base::Bytes;
using base::Key;
using rt::Store;
using support::TempFolder;
using support::Warnings;

Key key(std::uint64_t n) { return rt::key_of(n); }

/// Of an entry that has a file of its own.
constexpr std::size_t kOwnFile = rt::store::kMostPacked + 40;

/// The one content that belongs to a key: as with pure tasks.
Bytes content(std::uint64_t n, std::size_t size) {
  base::Stream random(n, "content");
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.u32());
  return bytes;
}

std::filesystem::path file_of(const TempFolder& t, Key k) {
  return t.path() / k.hex().substr(0, 2) / k.hex().substr(2);
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder)) {
    if (item.is_regular_file() && item.path().filename() != ".trim") files.push_back(item.path());
  }
  return files;
}

TEST(Store, KeepsInMemory) {
  Store store;
  EXPECT_EQ(store.lookup(key(1)), nullptr);
  store.insert(key(1), content(1, 100), 0.5);
  ASSERT_NE(store.lookup(key(1)), nullptr);
  EXPECT_EQ(*store.lookup(key(1)), content(1, 100));
  EXPECT_TRUE(store.contains(key(1)));
  store.erase(key(1));
  EXPECT_FALSE(store.contains(key(1)));
  store.insert(Key{}, content(1, 10));
  EXPECT_EQ(store.lookup(Key{}), nullptr);
}

TEST(Store, AnswersAfterARestart) {
  const TempFolder t;
  {
    Store store({.folder = t.path()});
    for (std::uint64_t i = 0; i < 50; ++i) store.insert(key(i), content(i, i * 70), 0.1);
  }
  Store store({.folder = t.path()});
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto found = store.lookup(key(i));
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(*found, content(i, i * 70));
  }
  EXPECT_EQ(store.stats().disk_hits, 50u);
  EXPECT_NE(store.lookup(key(43)), nullptr);
  EXPECT_EQ(store.stats().memory_hits, 1u);
  EXPECT_NE(store.lookup(key(3)), nullptr);
  EXPECT_EQ(store.stats().disk_hits, 51u) << "small ones are not kept twice";
  EXPECT_EQ(store.lookup(key(999)), nullptr);
  EXPECT_EQ(store.stats().misses, 1u);
}

TEST(Store, AnEntryThatAnotherProcessWroteIsNotWrittenAgain) {
  const TempFolder t;
  const auto inode = [&] {
    struct stat file {};
    EXPECT_EQ(::stat(file_of(t, key(1)).c_str(), &file), 0);
    return file.st_ino;
  };
  ::ino_t written = 0;
  {
    Store second({.folder = t.path()});
    { Store({.folder = t.path()}).insert(key(1), content(1, kOwnFile), 0.1); }
    written = inode();
    second.insert(key(1), content(1, kOwnFile), 0.1);
  }
  EXPECT_EQ(inode(), written);
}

TEST(Store, EveryCutEntryIsAbsentAndRemoved) {
  const TempFolder t;
  Store({.folder = t.path()}).insert(key(1), content(1, kOwnFile));
  const std::string whole = base::read_file(file_of(t, key(1)));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    base::write_file_atomic(file_of(t, key(1)), whole.substr(0, n), base::Durability::cached);
    Store store({.folder = t.path()});
    ASSERT_EQ(store.lookup(key(1)), nullptr) << n;
    ASSERT_EQ(store.stats().damaged, 1u);
    ASSERT_FALSE(std::filesystem::exists(file_of(t, key(1))));
  }
}

TEST(Store, EveryFlippedByteIsFound) {
  const TempFolder t;
  Store({.folder = t.path()}).insert(key(1), content(1, kOwnFile));
  const std::string whole = base::read_file(file_of(t, key(1)));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    std::string flipped = whole;
    flipped[n] = static_cast<char>(flipped[n] ^ (1 << (n % 8)));
    base::write_file_atomic(file_of(t, key(1)), flipped, base::Durability::cached);
    Store store({.folder = t.path()});
    ASSERT_EQ(store.lookup(key(1)), nullptr) << n;
  }
  base::write_file_atomic(file_of(t, key(1)), whole + "x", base::Durability::cached);
  EXPECT_EQ(Store({.folder = t.path()}).lookup(key(1)), nullptr);
}

TEST(Store, AnEntryUnderAnotherNameIsNotBelieved) {
  const TempFolder t;
  Store({.folder = t.path()}).insert(key(1), content(1, kOwnFile));
  std::filesystem::create_directories(file_of(t, key(2)).parent_path());
  std::filesystem::rename(file_of(t, key(1)), file_of(t, key(2)));
  EXPECT_EQ(Store({.folder = t.path()}).lookup(key(2)), nullptr);
}

TEST(Store, MemoryDropsTheCheapestPerByteThenTheOldest) {
  Store store({.memory_bytes = 16 * 1256});  // 16 entries of 1,000 bytes
  for (std::uint64_t i = 0; i < 16; ++i)
    store.insert(key(i), content(i, 1000), i == 3 || i == 5 ? 1.0 : 2.0);
  EXPECT_EQ(store.stats().evicted, 0u);
  store.insert(key(16), content(16, 1000), 2.0);  // one too many: down to 14
  EXPECT_EQ(store.stats().evicted, 3u);
  for (std::uint64_t i = 0; i <= 16; ++i)
    EXPECT_EQ(store.contains(key(i)), i != 3 && i != 5 && i != 0) << i;
  store.insert(key(17), content(17, 6000), 1e9);  // more than a quarter of the budget
  EXPECT_FALSE(store.contains(key(17)));
}

TEST(Store, DiskDropsTheCheapestPerByteThenTheOldest) {
  const TempFolder t;
  rt::store::Pins pins(t.path());
  rt::store::DiskLayer disk(t.path(), 16 * 4096, pins);
  for (std::uint64_t i = 0; i < 17; ++i) {
    disk.put(key(i), content(i, 2000), i == 3 || i == 5 ? 1.0 : 2.0);
    // Two entries may fall into one tick of the file system's clock; the rule is about the time it
    // records.
    const timespec when[2] = {{1000, 0}, {1000 + static_cast<long>(i), 0}};
    ::utimensat(AT_FDCWD, file_of(t, key(i)).c_str(), when, 0);
  }
  EXPECT_EQ(disk.evicted(), 3u);  // the 17th was one too many: down to 14
  for (std::uint64_t i = 0; i < 17; ++i)
    EXPECT_EQ(disk.contains(key(i)), i != 3 && i != 5 && i != 0) << i;
}

TEST(Store, OldTemporaryFilesGoWhenTheFolderIsLookedAt) {
  const TempFolder t;
  std::filesystem::create_directories(t / "ab");
  base::write_file_atomic(t / "ab/.tmp-1-1", "left by a dead process");
  base::write_file_atomic(t / "ab/.tmp-1-2", "being written now");
  const timespec when[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (t / "ab/.tmp-1-1").c_str(), when, 0);
  EXPECT_EQ(rt::store::trim(t.path(), 1, 1 << 20), 0u);
  EXPECT_FALSE(std::filesystem::exists(t / "ab/.tmp-1-1"));
  EXPECT_TRUE(std::filesystem::exists(t / "ab/.tmp-1-2"));
}

TEST(Store, WhatAStudyHoldsIsForgottenAfterAMonth) {
  const TempFolder t;
  {
    rt::store::Pins pins(t.path());
    (void)pins.set("a study", {key(1)});
    pins.write();
  }
  const base::Path list = std::filesystem::directory_iterator(t / ".pins")->path();
  const auto held_when_days_old = [&](long days) {
    const timespec then{std::time(nullptr) - days * 24 * 3600, 0}, when[2] = {then, then};
    ::utimensat(AT_FDCWD, list.c_str(), when, 0);
    return rt::store::pinned_in(t.path()).contains(key(1));
  };
  EXPECT_TRUE(held_when_days_old(29));
  EXPECT_FALSE(held_when_days_old(31));
  EXPECT_FALSE(std::filesystem::exists(list));
}

TEST(Store, LinksLeadNowhere) {
  const TempFolder t, outside;
  const std::string first = key(1).hex().substr(0, 2);
  std::filesystem::create_directory_symlink(outside.path(), t / first);
  // What a store holds under such names, and what is old enough to be a leftover.
  for (const std::string& name :
       {key(1).hex().substr(2), std::string(".tmp-1-1"), std::string("mine")})
    base::write_file_atomic(outside / name, "left alone");
  const timespec when[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (outside / ".tmp-1-1").c_str(), when, 0);
  EXPECT_EQ(rt::store::trim(t.path(), 1, 0), 0u);
  const Warnings warnings;
  rt::store::Pins pins(t.path());
  rt::store::DiskLayer disk(t.path(), 1 << 20, pins);
  EXPECT_EQ(disk.find(key(1)).bytes, nullptr) << "damaged, and not ours to remove";
  std::filesystem::remove(outside / key(1).hex().substr(2));
  disk.put(key(1), content(1, kOwnFile), 1.0);
  EXPECT_EQ(files_in(outside.path()).size(), 2u);
}

TEST(Store, OtherFilesInItsFoldersStay) {
  const TempFolder t;
  std::filesystem::create_directories(t / "ab");
  base::write_file_atomic(t / "ab/notes.txt", std::string(100'000, 'x'));
  EXPECT_EQ(rt::store::trim(t.path(), 1, 0), 0u);
  EXPECT_TRUE(std::filesystem::exists(t / "ab/notes.txt"));
}

TEST(Store, ManyShortRunsTogetherStayInTheBudget) {
  const TempFolder t;
  constexpr std::uint64_t kBudget = 64 * 4096;
  for (std::uint64_t run = 0; run < 40; ++run) {
    Store store({.folder = t.path(), .disk_bytes = kBudget});
    for (std::uint64_t i = 0; i < 5; ++i) store.insert(key(run * 5 + i), content(run, 4000), 1.0);
  }
  EXPECT_LE(files_in(t.path()).size(), 64u);
  EXPECT_GE(files_in(t.path()).size(), 40u);
}

/// Random inserts and look-ups over a few hundred keys; every answer must be the key's own content.
bool hammer(Store& store, std::uint64_t seed, int rounds) {
  base::Stream random(seed, "hammer");
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t n = random.below(300);
    const std::size_t size = 100 + n * 17 % 3000;
    if (const auto found = store.lookup(key(n))) {
      if (*found != content(n, size)) return false;
    } else {
      store.insert(key(n), content(n, size), static_cast<double>(n % 10));
    }
  }
  return true;
}

TEST(Store, ThreadsGetRightAnswersWhileEntriesAreEvicted) {
  const TempFolder t;
  Store store({.folder = t.path(), .memory_bytes = 40'000, .disk_bytes = 100 * 4096});
  std::array<bool, 4> right{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < right.size(); ++i) {
      threads.emplace_back([&, i] { right[i] = hammer(store, i, 600); });
    }
  }
  for (const bool r : right) EXPECT_TRUE(r);
  EXPECT_GT(store.stats().evicted, 0u);
  EXPECT_EQ(store.stats().damaged, 0u);
}

TEST(Store, ProcessesShareAFolder) {
  const TempFolder t;
  std::vector<pid_t> children;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      Store store({.folder = t.path(), .memory_bytes = 0, .disk_bytes = 100 * 4096});
      ::_exit(hammer(store, i, 400) && store.stats().damaged == 0 ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(Store, AKilledWriterLeavesOnlyWholeEntries) {
  const TempFolder t;
  for (std::uint64_t round = 0; round < 12; ++round) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      Store store({.folder = t.path(), .memory_bytes = 0});
      for (std::uint64_t n = 0;; ++n) {
        store.insert(key(round * 100'000 + n), content(n, 50'000));
        if (::write(pipe[1], "x", 1) != 1) ::_exit(1);
      }
    }
    // Killed somewhere inside the write of an entry, once a few are done.
    char done = 0;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(::read(pipe[0], &done, 1), 1);
    base::sleep_for(std::chrono::microseconds(37 * round));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
  Store store({.folder = t.path(), .memory_bytes = 0});
  for (const auto& file : files_in(t.path())) {
    if (file.filename().string().starts_with(".")) continue;  // temporary, or the pack
    const auto k = Key::from_hex(file.parent_path().filename().string() + file.filename().string());
    ASSERT_TRUE(k);
    ASSERT_NE(store.lookup(*k), nullptr);
  }
  EXPECT_EQ(store.stats().damaged, 0u);
  EXPECT_GE(store.stats().disk_hits, 36u);
}

TEST(Store, AFullDiskCostsOneWarningAndNoResult) {
  const TempFolder t;
  const support::SmallDisk disk(t.path(), "size=64k");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount";
  const Warnings warnings;
  Store store({.folder = t.path()});
  for (std::uint64_t i = 0; i < 300; ++i) store.insert(key(i), content(i, 5000));
  EXPECT_GT(store.stats().refused, 200u);
  ASSERT_EQ(warnings.lines.size(), 1u);
  EXPECT_NE(warnings.lines[0].find("No space left on device"), std::string::npos)
      << warnings.lines[0];
  EXPECT_NE(warnings.lines[0].find("continuing without"), std::string::npos) << warnings.lines[0];
  for (std::uint64_t i = 0; i < 300; ++i) ASSERT_EQ(*store.lookup(key(i)), content(i, 5000));
  for (const auto& file : files_in(t.path()))
    EXPECT_FALSE(file.filename().string().starts_with(".tmp-")) << file;
  Store again({.folder = t.path(), .memory_bytes = 0});
  EXPECT_EQ(again.stats().damaged, 0u);
}

TEST(Store, AReadOnlyFolderStillAnswers) {
  const TempFolder t;
  support::SmallDisk disk(t.path(), "size=1m");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount";
  Store({.folder = t.path()}).insert(key(1), content(1, 100));
  ASSERT_TRUE(disk.make_read_only());
  const Warnings warnings;
  Store store({.folder = t.path()});
  EXPECT_NE(store.lookup(key(1)), nullptr);
  for (std::uint64_t i = 2; i < 10; ++i) store.insert(key(i), content(i, 100));
  ASSERT_EQ(warnings.lines.size(), 1u);
  EXPECT_NE(warnings.lines[0].find("Read-only file system"), std::string::npos)
      << warnings.lines[0];
}

TEST(Store, AFileInTheFoldersPlaceIsOnlyAWarning) {
  const TempFolder t;
  base::write_file_atomic(t / "store", "not a folder");
  const Warnings warnings;
  Store store({.folder = t / "store"});
  EXPECT_EQ(store.lookup(key(1)), nullptr);
  store.insert(key(1), content(1, 100));
  EXPECT_NE(store.lookup(key(1)), nullptr);
  EXPECT_EQ(warnings.lines.size(), 1u);
}

}  // namespace
