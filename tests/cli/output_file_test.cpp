// What `--output` leaves in a folder, however its process ends.

#include "cli/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.h"

namespace cli {
namespace {

std::size_t files_in(const base::Path& folder) {
  const std::filesystem::directory_iterator all(folder), end;
  return static_cast<std::size_t>(std::distance(all, end));
}

TEST(OutputFile, HasNoNameBeforeItIsWhole) {
  const support::TempFolder folder;
  if (!base::File(::open(folder.path().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600)))
    GTEST_SKIP() << "this file system makes no files without a name";
  OutputFile file(folder / "table.csv");
  file.write("a,b\n");
  EXPECT_EQ(files_in(folder.path()), 0U);
  file.finish();
  EXPECT_EQ(base::read_file(folder / "table.csv"), "a,b\n");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(OutputFile, LeavesNothingWithoutItsEnd) {
  const support::TempFolder folder;
  base::write_file_atomic(folder / "table.csv", "before");
  { OutputFile(folder / "table.csv").write("half of"); }
  EXPECT_EQ(files_in(folder.path()), 1U);
  EXPECT_EQ(base::read_file(folder / "table.csv"), "before");
}

}  // namespace
}  // namespace cli
