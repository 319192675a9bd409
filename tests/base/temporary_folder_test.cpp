#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/pipe.h"
#include "tests/support/temp_folder.h"

namespace {

TEST(TemporaryFolder, HasANameOfItsOwnAndGoesWithAllThatIsInIt) {
  const support::TempFolder parent;
  base::Path first;
  {
    const base::TemporaryFolder one(parent.path(), "some-"), other(parent.path(), "some-");
    first = one.path();
    EXPECT_NE(one.path(), other.path());
    EXPECT_EQ(first.parent_path(), parent.path());
    EXPECT_TRUE(first.filename().string().starts_with("some-"));
    base::make_folder(first / "a" / "b");
    base::write_file_atomic(first / "a" / "file", "text");
  }
  EXPECT_FALSE(std::filesystem::exists(first));
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

/// A process that makes such a folder and is killed; returns the folder.
base::Path folder_of_a_killed_process(const base::Path& parent) {
  base::Pipe told = base::open_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    const base::HeldFolder folder(parent, "some-");
    const std::string path = folder.path().string();
    (void)!::write(told.write.fd(), path.data(), path.size());
    ::pause();
  }
  std::array<char, 512> path{};
  const auto size = ::read(told.read.fd(), path.data(), path.size());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return std::string(path.data(), static_cast<std::size_t>(size));
}

TEST(HeldFolder, TheNextOneRemovesThatOfAKilledProcess) {
  const support::TempFolder parent;
  const base::Path left = folder_of_a_killed_process(parent.path());
  base::write_file_atomic(left / "file", "text");
  base::make_folder(parent / "some-of-others");
  const base::HeldFolder other(parent.path(), "other-");
  EXPECT_TRUE(std::filesystem::exists(left)) << "it has another prefix";
  const base::HeldFolder one(parent.path(), "some-");
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(parent / "some-of-others")) << "nobody ever held it";
  const base::HeldFolder two(parent.path(), "some-");
  EXPECT_TRUE(std::filesystem::exists(one.path())) << "its process lives";
}

TEST(TemporaryFolder, SaysWhereItCannotBeMade) {
  const support::TempFolder parent;
  try {
    const base::TemporaryFolder none(parent / "absent", "some-");
    FAIL() << "it was made";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::storage);
    EXPECT_NE(std::string(error.what()).find("absent/some-"), std::string::npos) << error.what();
  }
}

}  // namespace
