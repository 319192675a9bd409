#include "hpo/driver/programs/trial_copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "tests/support/temp_folder.h"

namespace {

namespace fs = std::filesystem;

void write(const base::Path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::map<std::string, std::string> files_below(const base::Path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      found[entry.path().lexically_relative(folder).string()] = base::read_file(entry.path());
  }
  return found;
}

/// A program's folder, its copy, and what is told between them.
class TrialCopy : public testing::Test {
 protected:
  /// Until the sender has nothing more; `between` is called after each word.
  void copy(const std::function<void()>& between = [] {}) {
    sender_.report();
    hand_over(between);
    now_ = now_ + std::chrono::hours(1);
    while (sender_.step(now_) < std::chrono::milliseconds(50)) hand_over(between);
  }
  void hand_over(const std::function<void()>& between) {
    for (const std::string& text : std::exchange(told_, {})) {
      if (receiver_.take(static_cast<hpo::ProgramWord>(text.front()), text.substr(1))) ++replaced_;
      between();
    }
  }

  support::TempFolder there_, here_;
  hpo::TrialFolder from_ = hpo::open_trial_folder(there_.path(), 7, {});
  hpo::TrialFolder to_ = hpo::open_trial_folder(here_.path(), 7, {});
  std::vector<std::string> told_;
  hpo::TrialSender sender_{from_, [this](std::string text) { told_.push_back(std::move(text)); }};
  hpo::TrialReceiver receiver_{to_};
  base::Moment now_ = base::now();
  int replaced_ = 0;
};

TEST_F(TrialCopy, ReportsAndLogFollow) {
  write(from_.path / "metrics.jsonl", "one\n");
  write(from_.path / "log", std::string(200'000, 'x'));
  copy();
  write(from_.path / "metrics.jsonl", "one\ntwo\n");
  copy();
  EXPECT_EQ(files_below(from_.path), files_below(to_.path));
  write(from_.path / "metrics.jsonl", "other\n");
  copy();
  EXPECT_EQ(files_below(from_.path), files_below(to_.path));
}

TEST_F(TrialCopy, CheckpointsAreReplacedAsAWhole) {
  write(from_.path / "checkpoint/a", std::string(300'000, 'a'));
  write(from_.path / "checkpoint/deep/b", "");
  copy();
  EXPECT_EQ(files_below(from_.path), files_below(to_.path));
  EXPECT_EQ(replaced_, 1);
  copy();
  EXPECT_EQ(replaced_, 1) << "nothing had changed";
  fs::remove(from_.path / "checkpoint/a");
  write(from_.path / "checkpoint/deep/b", "new");
  copy();
  EXPECT_EQ(files_below(from_.path), files_below(to_.path));
  EXPECT_EQ(replaced_, 2);
}

TEST_F(TrialCopy, AtTheEndAllThatIsLeftFollows) {
  write(from_.path / "checkpoint/a", std::string(300'000, 'a'));
  (void)sender_.step(now_);  // the first piece of a copy that is outdated soon
  write(from_.path / "checkpoint/new", std::string(300'000, 'b'));
  fs::rename(from_.path / "checkpoint/new", from_.path / "checkpoint/a");
  write(from_.path / "metrics.jsonl", "one\n");
  const auto never = [] { return false; };
  sender_.finish(never);
  hand_over([] {});
  EXPECT_EQ(files_below(from_.path), files_below(to_.path));
  EXPECT_EQ(replaced_, 1);
  sender_.finish(never);
  EXPECT_TRUE(told_.empty()) << "it was copied twice";
}

TEST_F(TrialCopy, AnEndWithoutTimeLeavesTheOldCheckpoint) {
  write(from_.path / "checkpoint/a", "old");
  copy();
  write(from_.path / "checkpoint/a", std::string(400'000, 'b'));
  int asked = 0;
  sender_.finish([&] { return ++asked > 2; });
  hand_over([] {});
  EXPECT_EQ(base::read_file(to_.path / "checkpoint/a"), "old");
}

TEST_F(TrialCopy, AFileThatIsReplacedMeanwhileIsCopiedAsItWas) {
  const base::Path file = from_.path / "checkpoint/a";
  write(file, std::string(500'000, 'a'));
  bool replaced = false;
  copy([&] {
    if (std::exchange(replaced, true)) return;
    write(from_.path / "new", std::string(500'000, 'b'));
    fs::rename(from_.path / "new", file);
  });
  EXPECT_TRUE(replaced);
  EXPECT_EQ(base::read_file(to_.path / "checkpoint/a"), std::string(500'000, 'a'));
  copy();
  EXPECT_EQ(base::read_file(to_.path / "checkpoint/a"), std::string(500'000, 'b'));
}

TEST_F(TrialCopy, AFileThatIsWrittenInPlaceMeanwhileIsNotMixed) {
  const base::Path file = from_.path / "checkpoint/a";
  write(file, std::string(500'000, 'a'));
  bool changed = false;
  copy([&] {
    if (!std::exchange(changed, true)) write(file, std::string(500'000, 'b'));
  });
  EXPECT_EQ(replaced_, 0);
  EXPECT_FALSE(fs::exists(to_.path / "checkpoint/a"));
  copy();
  EXPECT_EQ(base::read_file(to_.path / "checkpoint/a"), std::string(500'000, 'b'));
}

TEST(TrialFiles, AllOfThemTravel) {
  const support::TempFolder there, here;
  write(there.path() / "checkpoint/deep/state", "state");
  write(there.path() / "model/weights", "weights");
  write(there.path() / "run.sh", "#!/bin/sh\n");
  fs::permissions(there.path() / "run.sh", fs::perms{0750});
  fs::create_symlink("/etc/passwd", there.path() / "link");
  write(there.path() / "log", "printed");
  write(here.path() / "log", "stays");
  write(here.path() / "checkpoint/old", "goes");
  const hpo::TrialFiles files = hpo::read_trial_files(there.path(), true);
  EXPECT_EQ(files.left_out, 0U);
  hpo::write_trial_files(here.path(), files);
  const std::map<std::string, std::string> expected{{"checkpoint/deep/state", "state"},
                                                    {"log", "stays"},
                                                    {"model/weights", "weights"},
                                                    {"run.sh", "#!/bin/sh\n"}};
  EXPECT_EQ(files_below(here.path()), expected);
  EXPECT_NE(fs::status(here.path() / "run.sh").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_EQ(hpo::read_trial_files(there.path(), false).files.size(), 1U);
}

TEST(TrialFiles, NoneLeadsOutOfTheFolder) {
  const support::TempFolder here;
  const base::Path folder = here.path() / "trial";
  fs::create_directories(folder);
  for (const char* path :
       {"../out", "/tmp/out", "a/../../out", "", "checkpoint", "checkpoint/../../out", "a/"}) {
    hpo::TrialFiles files;
    files.files.push_back({path, 0644, {}});
    EXPECT_THROW(hpo::write_trial_files(folder, files), base::Error) << path;
  }
  EXPECT_FALSE(fs::exists(here.path() / "out"));
  fs::create_symlink(here.path() / "out", folder / "link");
  hpo::TrialFiles files;
  files.files.push_back({"link", 0644, {}});
  EXPECT_THROW(hpo::write_trial_files(folder, files), base::Error);
  EXPECT_FALSE(fs::exists(here.path() / "out"));
}

}  // namespace
