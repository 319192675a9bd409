#include "hpo/ask/keeper.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "hpo/ask/client.h"
#include "hpo/ask/socket.h"
#include "hpo/log/stop_driver.h"
#include "hpo/log/study_lock.h"
#include "hpo/log/study_reader.h"
#include "hpo/study/spec.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

/// Keepers in processes of their own.
class KeeperTest : public testing::Test {
 protected:
  ~KeeperTest() override { (void)stop_driver(run(), 10); }

  void start(const std::string& parameter, int trials = 9, ReadFrom from = ReadFrom::file) {
    const StudySpec study = parse_study(
        base::cat("name: kept\nmetric: {name: loss, goal: minimize}\nlimits: {trials: ", trials,
                  "}\nparameters: {", parameter, ": {min: 0.0, max: 1.0}}\n"),
        "kept.yaml", folder_.path().string());
    start_keeper(study, from, run(), 60);
  }
  [[nodiscard]] virtual base::Path run() const { return folder_ / "run"; }
  [[nodiscard]] std::int64_t keeper() const { return StudyLock::holder(run())->pid; }
  /// The lock stays: what a second one finds that is begun a moment after the first.
  void lose_the_socket() const { std::filesystem::remove(run() / kAskSocket); }

 private:
  support::TempFolder folder_;
};

TEST_F(KeeperTest, OneServesAllWhoBringTheSameStudy) {
  start("x");
  const std::int64_t first = keeper();
  start("x");
  lose_the_socket();
  start("x");
  EXPECT_EQ(keeper(), first);
}

TEST_F(KeeperTest, OneWhoHasNoSocketYetKeepsNoOtherStudyEither) {
  start("x");
  const std::int64_t first = keeper();
  lose_the_socket();
  try {
    start("y");
    FAIL() << "two studies are mixed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::study);
    EXPECT_NE(std::string(error.what()).find("already holds a study that differs in parameters"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(keeper(), first);
}

TEST_F(KeeperTest, OneWhoHasNoSocketYetMakesWayForALargerLimit) {
  start("x");
  lose_the_socket();
  start("x", 12);
  EXPECT_NE(StudyReader(run()).resolved().find("trials: 12"), std::string::npos)
      << StudyReader(run()).resolved();
  EXPECT_TRUE(connect_in(run()));
}

TEST_F(KeeperTest, WhatTheFolderSaidBeforeChangesNoLimit) {
  start("x", 12);
  const std::int64_t first = keeper();
  start("x", 9, ReadFrom::folder);
  lose_the_socket();
  start("x", 9, ReadFrom::folder);
  EXPECT_EQ(keeper(), first);
  EXPECT_NE(StudyReader(run()).resolved().find("trials: 12"), std::string::npos);
}

/// Whose study has a relative path.
class KeeperBesideTest : public KeeperTest {
 protected:
  KeeperBesideTest() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(KeeperTest::run().parent_path());
  }
  ~KeeperBesideTest() override {
    (void)stop_driver(run(), 10);
    std::filesystem::current_path(before_);
  }
  [[nodiscard]] base::Path run() const override { return "run"; }

 private:
  base::Path before_;
};

TEST_F(KeeperBesideTest, LeavesTheWorkingFolderOfItsStarter) {
  start("x");
  const std::int64_t first = keeper();
  EXPECT_EQ(std::filesystem::read_symlink(base::cat("/proc/", first, "/cwd")), "/");
  auto client = AskClient::connect(run()).value();
  EXPECT_TRUE(client.call(R"({"call": "ask"})"));
  EXPECT_TRUE(client.call(R"({"call": "tell", "trial": 0, "value": 0.5})"));
  EXPECT_EQ(StudyReader(run()).trials().size(), 1U);
  lose_the_socket();
  start("x");
  EXPECT_EQ(keeper(), first);
}

}  // namespace
}  // namespace hpo
