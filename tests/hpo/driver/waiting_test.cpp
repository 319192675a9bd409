// Processes of a study on several machines that wait for others.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "hpo/driver/nodes/gang_hosts.h"
#include "hpo/driver/nodes/net_folder.h"
#include "runtime/loop.h"
#include "tests/hpo/driver/command_studies.h"

namespace hpo {

namespace {

class Waiting : public CommandStudies {
 protected:
  void SetUp() override {
    try {
      (void)rt::net::load_network();
    } catch (const base::Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

/// Stops the sweep at the first note that begins like that, or after a minute.
class Stopping final : public Notes {
 public:
  explicit Stopping(std::string_view at) : at_(at) {}
  void note(std::string_view line) override {
    Notes::note(line);
    if (line.starts_with(at_)) stop();
  }
  void progress(const Progress&) override {
    if (base::seconds_since(begun_) > 60) stop();
  }
  [[nodiscard]] const std::atomic<int>* asked() const { return &asked_; }

 private:
  void stop() {
    asked_ = 1;
    rt::wake();
  }
  std::string_view at_;
  base::Moment begun_ = base::now();
  std::atomic<int> asked_ = 0;
};

TEST_F(Waiting, ASweepSaysThatNoAgentHasCome) {
  const StudySpec file = study("", base::cat("metric: {name: loss, goal: minimize}\n", kGrid));
  Stopping observer("no agent has come");
  const SweepResult result = run_sweep(file,
                                       {.folder = run(),
                                        .hosted = true,
                                        .interrupts = observer.asked(),
                                        .first_agent = std::chrono::milliseconds(100)},
                                       observer);
  EXPECT_EQ(result.ending, Ending::interrupted);
  EXPECT_NE(observer.text.find("no agent has come in 0.1 s, so nothing runs: look at the output of "
                               "what starts them"),
            std::string::npos)
      << observer.text;
}

TEST_F(Waiting, AMemberWhoseFirstTaskIsKilledEnds) {
  const StudySpec file = study("", base::cat("metric: {name: loss, goal: minimize}\n", kGrid));
  const auto never = [] { return false; };
  const NetFolder net(run());
  net.make();
  for (const char* left : {"", "127.0.0.1:1"}) {
    // One that is killed leaves its address.
    if (*left != '\0') net.publish({left, 0});
    const base::Moment begun = base::now();
    EXPECT_EQ(be_member_in_step(file, run(), "n2", never, std::chrono::milliseconds(300)),
              base::exit_code(base::Errc::cancelled));
    EXPECT_GE(base::seconds_since(begun), 0.3) << left;
    EXPECT_LT(base::seconds_since(begun), 20) << left;
  }
}

}  // namespace

}  // namespace hpo
