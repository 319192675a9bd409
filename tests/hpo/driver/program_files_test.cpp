// Whether a program is still the one that earlier trials ran.

#include "hpo/driver/programs/program_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

class ProgramFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] std::string files(std::vector<std::string> words) const {
    return program_files(
        {.words = std::move(words), .path = {}, .folder = folder_.path().string()});
  }
  [[nodiscard]] static std::vector<std::string> changed(const std::string& before,
                                                        const std::string& now) {
    std::vector<std::string> keys;
    for (const Changed& change : changed_files(before, now)) keys.push_back(change.key);
    return keys;
  }

  support::TempFolder folder_;
};

using Keys = std::vector<std::string>;

TEST_F(ProgramFiles, AreTheFilesThatTheCommandNames) {
  write("train.py", "one");
  write("lib/model.py", "two");
  write("python3", "in PATH, not here");
  const std::string text =
      files({"python3", "train.py", "--lr=1", "lib/model.py", "train.py", "lib"});
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_NE(text.find(" train.py\n"), std::string::npos);
  EXPECT_NE(text.find(" lib/model.py\n"), std::string::npos);
  EXPECT_EQ(std::ranges::count(files({"./python3"}), '\n'), 1);
}

TEST_F(ProgramFiles, ChangeWithTheirContentAlone) {
  write("train.py", "one");
  const std::string before = files({"python3", "train.py"});
  EXPECT_EQ(changed(before, before), Keys{});
  std::filesystem::last_write_time(folder_ / "train.py",
                                   std::filesystem::file_time_type::clock::now());
  EXPECT_EQ(files({"python3", "train.py"}), before);
  write("train.py", "two");
  const std::string now = files({"python3", "train.py"});
  EXPECT_EQ(changed(before, now), Keys{"the content of train.py"});
  const auto changes = changed_files(before, now);
  EXPECT_EQ(before, changes.front().from + " train.py\n");
  EXPECT_EQ(now, changes.front().to + " train.py\n");
}

TEST_F(ProgramFiles, OneThatOnlyOneSideNamesIsNoChange) {
  write("a b.py", "one");
  write("c.py", "one");
  const std::string before = files({"sh", "a b.py"}), now = files({"sh", "c.py"});
  EXPECT_EQ(changed(before, now), Keys{});
  EXPECT_EQ(changed("", now), Keys{});
  EXPECT_EQ(changed(before, ""), Keys{});
  write("a b.py", "two");
  EXPECT_EQ(changed(before, files({"sh", "a b.py"})), Keys{"the content of a b.py"});
}

TEST_F(ProgramFiles, WhatCannotBeReadOrIsTooLargeIsLeftOut) {
  write("large.bin", "");
  std::filesystem::resize_file(folder_ / "large.bin", 64'000'001);
  write("good.py", "one");
  EXPECT_EQ(std::ranges::count(files({"sh", "large.bin", "good.py", "none.py"}), '\n'), 1);
}

}  // namespace
}  // namespace hpo
