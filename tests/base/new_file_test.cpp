#include "base/new_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "base/bytes.h"
#include "base/pipe.h"
#include "tests/support/temp_folder.h"

namespace {

using base::NewFile;
using support::TempFolder;

std::size_t entries(const base::Path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

class NamedAt : public testing::TestWithParam<NewFile::Naming> {};
INSTANTIATE_TEST_SUITE_P(NewFile, NamedAt,
                         testing::Values(NewFile::Naming::early, NewFile::Naming::late));

TEST_P(NamedAt, AppearsAsAWholeWhenItIsCommitted) {
  const TempFolder t;
  base::write_file_atomic(t / "a", "old");
  NewFile file(t / "a", GetParam());
  EXPECT_EQ(file.write(base::as_bytes("new ")), 0);
  EXPECT_EQ(file.write(base::as_bytes("content")), 0);
  EXPECT_EQ(base::read_file(t / "a"), "old");
  EXPECT_FALSE(file.renamed());
  const bool nameless =
      base::File(::open(t.path().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600)).fd() >= 0;
  const bool late = GetParam() == NewFile::Naming::late && nameless;
  EXPECT_EQ(entries(t.path()), late ? 1U : 2U);
  EXPECT_EQ(file.commit(base::Durability::durable), 0);
  EXPECT_TRUE(file.renamed());
  EXPECT_EQ(base::read_file(t / "a"), "new content");
  EXPECT_EQ(entries(t.path()), 1U);
}

TEST_P(NamedAt, LeavesNothingWithoutCommit) {
  const TempFolder t;
  {
    NewFile file(t / "a", GetParam());
    EXPECT_EQ(file.write(base::as_bytes("x")), 0);
  }
  EXPECT_EQ(entries(t.path()), 0U);
}

TEST_P(NamedAt, KeepsItsFirstFailure) {
  const TempFolder t;
  NewFile missing(t / "no/such/folder", GetParam());
  EXPECT_EQ(missing.write(base::as_bytes("x")), ENOENT);
  EXPECT_EQ(missing.commit(base::Durability::cached), ENOENT);
  std::filesystem::create_directory(t / "taken");
  NewFile taken(t / "taken", GetParam());
  EXPECT_EQ(taken.write(base::as_bytes("x")), 0);
  EXPECT_EQ(taken.commit(base::Durability::cached), EISDIR);
  EXPECT_FALSE(taken.renamed());
  EXPECT_EQ(entries(t.path()), 1U);
}

TEST(RemoveLeftovers, FindsTheNamesOfNewFilesOnceTheyAreOld) {
  const TempFolder t;
  const base::Path fresh = base::temporary_beside(t / "a"), old = base::temporary_beside(t / "b");
  for (const base::Path& path : {fresh, old}) base::write_file_atomic(path, "part");
  base::write_file_atomic(t / "c", "whole");
  for (const base::Path& path : {old, t / "c"})
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  base::remove_leftovers(t.path());
  EXPECT_TRUE(std::filesystem::exists(fresh));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(t / "c"));
}

TEST(Pipe, CarriesBytesAndClosesWhereAnotherProgramStarts) {
  base::Pipe pipe = base::open_pipe();
  ASSERT_TRUE(pipe);
  for (const base::File* end : {&pipe.read, &pipe.write})
    EXPECT_NE(::fcntl(end->fd(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(base::write_all(pipe.write.fd(), base::as_bytes("said")), 0);
  EXPECT_EQ(pipe.write.close(), 0);
  EXPECT_EQ(base::read_all(pipe.read.fd()), "said");
}

}  // namespace
