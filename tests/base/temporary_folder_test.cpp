#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.h"
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
