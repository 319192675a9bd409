// What one run learns about how long tasks take, the next one knows: across processes, and whatever
// became of the file.

#include "runtime/core/pace_book.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "runtime/runtime.h"
#include "tests/support/child.h"
#include "tests/support/temp_folder.h"

namespace rt::inline v0::detail {
namespace {

class Paces : public ::testing::Test {
 protected:
  /// A task that learned `pace` seconds a unit at cost 10, and a run that ended.
  void run_once(const std::string& name, double pace, const std::string& machine = "here") {
    PaceBook book(file(), machine);
    TaskInfo info;
    info.name = name;
    book.recall(info);
    info.pace_on(Device::cpu).learn(10, 10 * pace);
    book.keep();
  }

  /// Seconds a unit that a new run expects; 7 where nothing is known.
  double expects(const std::string& name, const std::string& machine = "here", int version = 1) {
    PaceBook book(file(), machine);
    TaskInfo info;
    info.name = name;
    info.version = version;
    book.recall(info);
    return info.pace_on(Device::cpu).expect(10, 7) / 10;
  }

  [[nodiscard]] base::Path file() const { return folder_.path() / "cache" / "paces"; }
  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(file()).rdbuf();
    return text.str();
  }
  void write(const std::string& text) const { std::ofstream(file()) << text; }

  support::TempFolder folder_;
};

TEST_F(Paces, AreKnownToTheNextRunOfTheSameVersionOnTheSameMachine) {
  EXPECT_EQ(expects("train"), 7);
  run_once("train", 0.5);
  EXPECT_EQ(expects("train"), 0.5);
  EXPECT_EQ(expects("train", "elsewhere"), 7);
  EXPECT_EQ(expects("train", "here", 2), 7);
  EXPECT_EQ(expects("evaluate"), 7);
}

TEST_F(Paces, OfOthersStayInTheFile) {
  run_once("train", 0.5);
  run_once("train", 0.25, "elsewhere");
  run_once("evaluate", 2);
  EXPECT_EQ(expects("train"), 0.5);
  EXPECT_EQ(expects("train", "elsewhere"), 0.25);
  EXPECT_EQ(expects("evaluate"), 2);
}

TEST_F(Paces, AreWrittenWhenTheySaySomethingNew) {
  run_once("train", 0.5);
  const auto written = std::filesystem::last_write_time(file());
  const std::string before = content();
  run_once("train", 0.51);
  EXPECT_EQ(std::filesystem::last_write_time(file()), written);
  run_once("train", 5);
  EXPECT_NE(content(), before);
}

TEST_F(Paces, ADamagedFileIsNoneAndIsReplaced) {
  run_once("train", 0.5);
  const std::string good = content();
  for (std::size_t at = 0; at < good.size(); at += 5) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    write(bad);
    EXPECT_EQ(expects("train"), 7) << "byte " << at;
    write(good.substr(0, at));
    EXPECT_EQ(expects("train"), 7) << "cut at " << at;
  }
  run_once("train", 0.25);
  EXPECT_EQ(expects("train"), 0.25);
}

TEST_F(Paces, AFileThatCannotBeWrittenIsNoMatter) {
  base::write_file_atomic(folder_.path() / "cache", std::string_view("a file, no folder"));
  run_once("train", 0.5);
  EXPECT_EQ(expects("train"), 7);
}

TEST_F(Paces, OnlySoManyTasksAreKeptTheLatest) {
  for (int i = 0; i < 300; ++i) run_once("task " + std::to_string(i), 0.5);
  EXPECT_EQ(expects("task 299"), 0.5);
  EXPECT_EQ(expects("task 44"), 0.5);
  EXPECT_EQ(expects("task 43"), 7);
  EXPECT_LT(content().size(), 64U << 10);
}

TEST_F(Paces, OfManyProcessesAtOnceLeaveAWholeFile) {
  const std::string said = support::in_child([&]() -> std::string {
    std::vector<pid_t> children;
    for (int child = 0; child < 8; ++child) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        for (int i = 0; i < 20; ++i) run_once("task " + std::to_string(child), 0.5 + i);
        ::_exit(0);
      }
      children.push_back(pid);
    }
    for (const pid_t pid : children) ::waitpid(pid, nullptr, 0);
    int known = 0;
    for (int child = 0; child < 8; ++child)
      if (expects("task " + std::to_string(child)) != 7) ++known;
    return known > 0 ? "" : "nothing is known";
  });
  EXPECT_EQ(said, "");
}

/// Names of tasks in the order in which one worker ran them: a short one and a long one of equal
/// cost, of which the short one is called first.
std::string order_of_a_run(const base::Path& paces) {
  return support::in_child([&]() -> std::string {
    static std::string order;
    const auto quick = rt::task("pace test quick", 1).cpu([](int) { order += 'q'; }).cost([](int) {
      return Flops{1e6};
    });
    const auto slow = rt::task("pace test slow", 1)
                          .cpu([](int) {
                            base::sleep_for(std::chrono::milliseconds(20));
                            order += 's';
                          })
                          .cost([](int) { return Flops{1e6}; });
    const auto first = rt::task("pace test first", 1).cpu([](int) {
      base::sleep_for(std::chrono::milliseconds(50));
    });
    const rt::Runtime runtime({.workers = 1,
                               .executor = Executor::starpu_cpu,
                               .pace_file = paces,
                               .pace_machine = "here"});
    first(0);  // keeps the worker until both others wait
    quick(0);
    slow(0);
    rt::wait_all();
    return order;
  });
}

TEST_F(Paces, TheSecondRunPutsFirstWhatTookLongInTheFirst) {
  const std::string first = order_of_a_run(file());
  if (first.starts_with("threw: executor starpu-cpu:")) GTEST_SKIP() << first;
  EXPECT_EQ(first, "qs");
  EXPECT_EQ(order_of_a_run(file()), "sq");
  EXPECT_EQ(order_of_a_run(folder_.path() / "other"), "qs");
}

}  // namespace
}  // namespace rt::inline v0::detail
