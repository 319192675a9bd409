// Agents of one machine share its cores and GPUs.
#include "hpo/driver/nodes/agent_share.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/machine.h"
#include "tests/support/temp_folder.h"

namespace {

using support::TempFolder;

/// As separate processes would have it: an agent begins with all cores and all GPUs.
class Share : public testing::Test {
 protected:
  Share() { ::setenv("CUDA_VISIBLE_DEVICES", "0,1,MIG-GPU-7/1/0", 1); }
  ~Share() override {
    base::stay_on_cores(all_);
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    base::set_log_sink({});
  }
  std::vector<int> cores_of(hpo::ShareWish wish) {
    base::stay_on_cores(all_);
    ::setenv("CUDA_VISIBLE_DEVICES", "0,1,MIG-GPU-7/1/0", 1);
    const hpo::AgentShare& made = shares_.emplace_back(std::in_place, wish, t_ / "claims").value();
    workers_ = made.workers();
    node_ = made.node();
    return base::allowed_cores();
  }
  void refuses(hpo::ShareWish wish, base::Errc kind, const std::string& words) {
    base::stay_on_cores(all_);
    ::setenv("CUDA_VISIBLE_DEVICES", "0,1,MIG-GPU-7/1/0", 1);
    try {
      const hpo::AgentShare share(wish, t_ / "claims");
      ADD_FAILURE() << "expected a refusal: " << words;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
  /// Ends the agent that came first.
  void end_first() { shares_.erase(shares_.begin()); }

  const std::vector<int> all_ = base::allowed_cores();
  TempFolder t_;
  std::vector<std::optional<hpo::AgentShare>> shares_;
  int workers_ = 0;
  std::string node_;
};

TEST_F(Share, EachAgentHasCoresOfItsOwnUntilNoneIsFree) {
  std::vector<int> given;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const std::vector<int> own = cores_of({.workers = 1, .gpus = 0});
    ASSERT_EQ(own.size(), 1U);
    EXPECT_EQ(workers_, 1);
    given.push_back(own.front());
  }
  EXPECT_EQ(given, all_);
  refuses({.workers = 1}, base::Errc::locked, "no core is free for this agent");
  refuses({}, base::Errc::locked, "no core is free for this agent");
  end_first();
  EXPECT_EQ(cores_of({.workers = 1, .gpus = 0}), std::vector<int>{all_.front()});
}

TEST_F(Share, TakesWhatIsFreeOfAGrantThatIsLarger) {
  if (all_.size() < 2) GTEST_SKIP() << "one core";
  std::string said;
  base::set_log_sink([&](base::LogLevel, std::string_view line) { said = line; });
  (void)cores_of({.workers = 1, .gpus = 0});
  const std::vector<int> rest(all_.begin() + 1, all_.end());
  EXPECT_EQ(cores_of({.workers = 4000, .gpus = 0}), rest);
  EXPECT_EQ(workers_, static_cast<int>(rest.size()));
  EXPECT_NE(said.find("--workers 4000: only "), std::string::npos) << said;
}

TEST_F(Share, OneThatDoesNotInsistRunsBesideOthers) {
  EXPECT_EQ(cores_of({.insists = false}), all_);
  EXPECT_EQ(cores_of({.workers = 1, .insists = false}), all_);
  EXPECT_EQ(workers_, 1);
  refuses({.workers = 1}, base::Errc::locked, "no core is free");  // they count for those who do
}

TEST_F(Share, AgentsOfAMachineHaveNamesOfTheirOwn) {
  (void)cores_of({.workers = 1, .insists = false});
  EXPECT_EQ(node_, base::host_name());
  (void)cores_of({.workers = 1, .insists = false});
  EXPECT_EQ(node_, base::host_name() + "-2");
}

TEST_F(Share, GpusAreDividedAsCoresAre) {
  (void)cores_of({.workers = 1, .gpus = 2, .insists = false});
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), "0,1");
  refuses({.workers = 1, .gpus = 2}, base::Errc::locked, "have 2 of the 3 GPUs of");
  refuses({.workers = 1, .gpus = 4, .insists = false}, base::Errc::no_device, "sees 3 GPUs");
  (void)cores_of({.workers = 1, .gpus = 1, .insists = false});
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), "MIG-GPU-7/1/0");
  // A scheduler may have given both under the same names.
  (void)cores_of({.workers = 1, .gpus = 2, .insists = false});
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), "0,1");
  (void)cores_of({.workers = 1, .gpus = 0, .insists = false});
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), "");
  (void)cores_of({.workers = 1, .insists = false});
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), "0,1,MIG-GPU-7/1/0");
}

}  // namespace
