#include "base/executable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace {

TEST(Executable, IsFoundInPathOrBesideTheStudy) {
  const support::TempFolder folder;
  EXPECT_TRUE(base::find_executable("sh", "/"));
  EXPECT_FALSE(base::find_executable("sh", "/nowhere") == std::nullopt);
  EXPECT_FALSE(base::find_executable("./decide", folder.path().string()));
  std::ofstream(folder / "decide") << "#!/bin/sh\n";
  EXPECT_FALSE(base::find_executable("./decide", folder.path().string())) << "not executable yet";
  std::filesystem::permissions(folder / "decide", std::filesystem::perms::owner_all);
  EXPECT_TRUE(base::find_executable("./decide", folder.path().string()));
  const auto names = base::names_in_path();
  EXPECT_NE(std::ranges::find(names, "sh"), names.end());
}

}  // namespace
