// Claims of several processes on one machine.
#include "base/claims.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "base/pipe.h"
#include "tests/support/temp_folder.h"

namespace {

using support::TempFolder;

TEST(Claims, ANameHasOneOwner) {
  const TempFolder t;
  std::optional<base::Claims> one(std::in_place, t / "claims");
  base::Claims other(t / "claims");
  EXPECT_TRUE(one->take("core-0"));
  EXPECT_FALSE(one->take("core-0"));
  EXPECT_FALSE(other.take("core-0"));
  EXPECT_TRUE(other.take("core-1"));
  one.reset();
  EXPECT_TRUE(other.take("core-0"));
}

/// A process that claims "core-0" and says so, until it is killed.
pid_t claiming_process(const base::Path& folder, const base::Pipe& told) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  base::Claims claims(folder);
  const char word = claims.take("core-0") ? 'y' : 'n';
  if (::write(told.write.fd(), &word, 1) == 1) ::pause();
  ::_exit(0);
}

TEST(Claims, AKilledProcessHasNone) {
  const TempFolder t;
  base::Claims own(t / "claims");
  const base::Pipe told = base::open_pipe();
  const pid_t child = claiming_process(t / "claims", told);
  char word = 0;
  ASSERT_EQ(::read(told.read.fd(), &word, 1), 1);
  EXPECT_EQ(word, 'y');
  EXPECT_FALSE(own.take("core-0"));
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(own.take("core-0"));
}

TEST(Claims, OnlyTheUserCanClaimThere) {
  const TempFolder t;
  const base::Claims claims(t / "claims");
  struct stat found {};
  ASSERT_EQ(::stat((t / "claims").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  std::filesystem::create_directory_symlink(t / "claims", t / "link");
  EXPECT_THROW(base::Claims(t / "link"), base::Error);
  EXPECT_THROW(base::Claims(t / "missing" / "claims"), base::Error);
  if (::geteuid() != 0) return;  // only root can give a folder away
  ASSERT_EQ(::chown((t / "claims").c_str(), 1, 1), 0);
  EXPECT_THROW(base::Claims(t / "claims"), base::Error);
}

}  // namespace
