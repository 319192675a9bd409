#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/new_file.h"
#include "base/pipe.h"
#include "tests/support/small_disk.h"
#include "tests/support/synced.h"
#include "tests/support/temp_folder.h"

namespace {

using support::TempFolder;

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const base::Error& e) {
    EXPECT_EQ(e.kind(), base::Errc::storage);
    return e.what();
  }
  return "nothing was thrown";
}

std::size_t entries(const base::Path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(WriteFileAtomic, ReplacesTheWholeAndLeavesNothingBehind) {
  const TempFolder t;
  base::write_file_atomic(t / "a", "old");
  base::write_file_atomic(t / "a", "new and longer");
  EXPECT_EQ(base::read_file(t / "a"), "new and longer");
  base::write_file_atomic(t / "a", "", base::Durability::cached);
  EXPECT_EQ(base::read_file(t / "a"), "");
  EXPECT_EQ(entries(t.path()), 1u);
}

TEST(WritePrivateFile, IsReadByItsOwnerAlone) {
  const TempFolder t;
  const mode_t before = ::umask(0);
  base::write_private_file(t / "a", base::as_bytes("old"));
  base::write_private_file(t / "a", base::as_bytes("new"));
  ::umask(before);
  EXPECT_EQ(base::read_file(t / "a"), "new");
  EXPECT_EQ(std::filesystem::status(t / "a").permissions(), std::filesystem::perms{0600});
  EXPECT_EQ(entries(t.path()), 1U);
  EXPECT_THROW(base::write_private_file(t / "none" / "a", base::as_bytes("x")), base::Error);
}

TEST(WriteFileAtomic, MakesANameInTheCurrentFolderDurable) {
  const TempFolder t;
  const base::Path before = std::filesystem::current_path();
  std::filesystem::current_path(t.path());
  (void)support::synced();
  EXPECT_NO_THROW(base::write_file_atomic("a", "new", base::Durability::durable));
  const std::vector<support::Synced> synced = support::synced();
  std::filesystem::current_path(before);
  ASSERT_EQ(synced.size(), 2U);
  EXPECT_EQ(synced[1].names, std::vector<std::string>{"a"});
}

/// A name that is not on the disk loses the file in a power cut, its content synced or not.
TEST(WriteFileAtomic, BringsTheContentAndThenTheNameToTheDisk) {
  const TempFolder t;
  const base::Path folder = std::filesystem::canonical(t.path());
  (void)support::synced();  // of the tests before
  base::write_file_atomic(t / "a", "old", base::Durability::cached);
  EXPECT_TRUE(support::synced().empty()) << "nobody asked for it";
  base::write_file_atomic(t / "a", "new", base::Durability::durable);
  const std::vector<support::Synced> synced = support::synced();
  ASSERT_EQ(synced.size(), 2U);
  EXPECT_EQ(synced[0].path.parent_path(), folder);
  EXPECT_EQ(synced[0].content, "new") << "all of the content, before the file has its name";
  EXPECT_EQ(base::read_file(t / "a"), "new");
  EXPECT_EQ(synced[1].path, folder);
  EXPECT_EQ(synced[1].names, std::vector<std::string>{"a"}) << "once the file has its name";
}

TEST(WriteFileAtomic, ReadersSeeOldOrNewAndNothingElse) {
  const TempFolder t;
  const std::string old_text(100'000, 'a'), new_text(150'000, 'b');
  base::write_file_atomic(t / "a", old_text);
  std::jthread writer([&](const std::stop_token& stop) {
    for (bool flip = true; !stop.stop_requested(); flip = !flip) {
      base::write_file_atomic(t / "a", flip ? new_text : old_text, base::Durability::cached);
    }
  });
  for (int i = 0; i < 300; ++i) {
    const std::string seen = base::read_file(t / "a");
    ASSERT_TRUE(seen == old_text || seen == new_text) << seen.size();
  }
}

TEST(WriteFileAtomic, NamesPathReasonAndRemedy) {
  const TempFolder t;
  EXPECT_EQ(
      message_of([&] { base::write_file_atomic(t / "no/such", "x"); }),
      "cannot write " + (t / "no/such").string() + ": No such file or directory; check the path");
  std::filesystem::create_directory(t / "d");
  EXPECT_EQ(message_of([&] { base::write_file_atomic(t / "d", "x"); }),
            "cannot write " + (t / "d").string() + ": it is a folder; expected a file");
  EXPECT_EQ(entries(t.path()), 1u);
}

TEST(WriteFileAtomic, AFullDiskKeepsTheOldFileAndSaysWhatIsFree) {
  const TempFolder t;
  const support::SmallDisk disk(t.path(), "size=64k");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount";
  base::write_file_atomic(t / "a", "old");
  const std::string message =
      message_of([&] { base::write_file_atomic(t / "a", std::string(100'000, 'x')); });
  EXPECT_NE(message.find("No space left on device (60.0 KiB free); free some space"),
            std::string::npos)
      << message;
  EXPECT_EQ(base::read_file(t / "a"), "old");
  EXPECT_EQ(entries(t.path()), 1u);
}

TEST(ReadInto, FillsWhatItCanAndSaysWhyNoMore) {
  const TempFolder t;
  base::write_file_atomic(t / "f", "0123456789");
  const base::File file(::open((t / "f").c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(4, ' ');
  const auto into = std::as_writable_bytes(std::span(text));
  EXPECT_EQ(base::read_into(file.fd(), into).bytes, 4U);
  EXPECT_EQ(text, "0123");
  EXPECT_EQ(base::read_into(file.fd(), into, 8).bytes, 2U);
  EXPECT_EQ(text.substr(0, 2), "89");
  EXPECT_EQ(base::read_into(file.fd(), into).bytes, 4U);
  EXPECT_EQ(text, "4567") << "a read from a place moves the descriptor";
  const base::ReadResult rest = base::read_into(file.fd(), into);
  EXPECT_EQ(rest.bytes, 2U);
  EXPECT_EQ(rest.code, 0);
  EXPECT_EQ(base::read_into(file.fd(), into, 10).bytes, 0U);
  const base::ReadResult refused = base::read_into(-1, into);
  EXPECT_EQ(refused.bytes, 0U);
  EXPECT_EQ(refused.code, EBADF);
}

TEST(ReadInto, PutsPiecesTogether) {
  const base::Pipe pipe = base::open_pipe();
  std::thread writer([&] {
    for (const char* piece : {"ab", "cde", "f"}) {
      EXPECT_EQ(base::write_all(pipe.write.fd(), base::as_bytes(piece)), 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  std::string text(6, ' ');
  EXPECT_EQ(base::read_into(pipe.read.fd(), std::as_writable_bytes(std::span(text))).bytes, 6U);
  EXPECT_EQ(text, "abcdef");
  writer.join();
}

TEST(ReadFile, RefusesWhatIsNoRegularFile) {
  const TempFolder t;
  EXPECT_NE(
      message_of([&] { static_cast<void>(base::read_file(t / "none")); }).find("No such file"),
      std::string::npos);
  EXPECT_NE(
      message_of([&] { static_cast<void>(base::read_file(t.path())); }).find("it is a folder"),
      std::string::npos);
  ASSERT_EQ(::mkfifo((t / "pipe").c_str(), 0600), 0);
  EXPECT_NE(message_of([&] {
              static_cast<void>(base::read_file(t / "pipe"));
            }).find("not a regular file"),
            std::string::npos);
  base::write_file_atomic(t / "big", std::string(100, 'x'));
  EXPECT_NE(message_of([&] {
              static_cast<void>(base::read_file(t / "big", 99));
            }).find("more than the 99 allowed"),
            std::string::npos);
}

TEST(RequireWritable, MakesTheFolderOrSaysWhyNot) {
  const TempFolder t;
  base::require_writable(t / "a/b/c");
  EXPECT_EQ(entries(t / "a/b/c"), 0u);
  base::write_file_atomic(t / "file", "x");
  EXPECT_NE(message_of([&] { base::require_writable(t / "file/below"); }).find("Not a directory"),
            std::string::npos);
  EXPECT_NE(message_of([&] { base::require_writable(t / "file"); }).find((t / "file").string()),
            std::string::npos);
  EXPECT_NE(message_of([&] { base::require_writable("/proc/trellis"); }).find("/proc/trellis"),
            std::string::npos);
}

TEST(RemoveFile, SaysWhetherItWasThere) {
  const TempFolder t;
  base::write_file_atomic(t / "a", "x");
  EXPECT_TRUE(base::remove_file(t / "a"));
  EXPECT_FALSE(base::remove_file(t / "a"));
  EXPECT_EQ(base::file_size(t / "a"), std::nullopt);
}

TEST(FreeBytes, LooksAtTheNearestExistingParent) {
  const TempFolder t;
  EXPECT_GT(base::free_bytes(t / "not/there/yet").value_or(0), 0u);
}

}  // namespace
