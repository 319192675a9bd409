#include "hpo/driver/nodes/slurm_array.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/support/temp_folder.h"

namespace {

using Words = std::vector<std::string>;

TEST(SlurmOptions, AreSplitAsByAShell) {
  EXPECT_EQ(hpo::words_of("-p gpu --gres=gpu:4 -t 4:00:00", "--slurm"),
            (Words{"-p", "gpu", "--gres=gpu:4", "-t", "4:00:00"}));
  EXPECT_EQ(hpo::words_of("--comment='two words'", "--slurm"), (Words{"--comment=two words"}));
  EXPECT_TRUE(hpo::words_of("", "--slurm").empty());
  for (const char* wrong : {"--comment='two", "-p gpu; date", "$(date)"})
    EXPECT_THROW((void)hpo::words_of(wrong, "--slurm"), base::Error) << wrong;
}

/// Programs that are called as Slurm's and write down what they were told.
class SlurmJobs : public testing::Test {
 protected:
  SlurmJobs() {
    make("sbatch", "printf '%s\\n' \"$@\" > TOOLS/words; cat > TOOLS/script; echo 17");
    make("squeue", "printf 'RUNNING None\\nPENDING Resources\\nPENDING Resources\\n'");
    make("scancel", "echo \"$@\" > TOOLS/cancelled");
    const char* path = std::getenv("PATH");
    before_ = path != nullptr ? path : "";
    ::setenv("PATH", (tools_.path().string() + ":" + before_).c_str(), 1);
  }
  ~SlurmJobs() override { ::setenv("PATH", before_.c_str(), 1); }

  void make(const std::string& name, std::string text) {
    for (std::size_t at = 0; (at = text.find("TOOLS")) != text.npos;)
      text.replace(at, 5, tools_.path().string());
    std::ofstream(tools_ / name) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(tools_ / name, std::filesystem::perms{0755});
  }
  [[nodiscard]] std::string told(const std::string& name) const {
    return base::read_file(tools_ / name);
  }
  [[nodiscard]] bool has_word(const std::string& word) const {
    return ("\n" + told("words")).find("\n" + word + "\n") != std::string::npos;
  }

  support::TempFolder tools_;
  std::string before_;
};

TEST_F(SlurmJobs, OneForEachAgent) {
  {
    hpo::SlurmArray array("/runs/it's", {.agents = 3, .options = {"-p", "gpu"}},
                          {"/bin/trellis", "agent", "/runs/it's"});
    EXPECT_EQ(array.job(), "17");
    for (const char* word : {"--array=1-3", "--nodes=1", "--requeue", "--open-mode=append",
                             "--signal=B:USR1@60", "--exclusive", "-p", "gpu"})
      EXPECT_TRUE(has_word(word)) << word << " is not in\n" << told("words");
    EXPECT_EQ(told("script"),
              "#!/bin/sh\nexec /bin/trellis agent '/runs/it'\\''s'"
              " --node \"$SLURMD_NODENAME.$SLURM_ARRAY_TASK_ID\"\n");
    std::optional<std::string> news;
    for (int i = 0; i < 200 && !news; ++i) {
      base::sleep_for(std::chrono::milliseconds(10));
      news = array.news();
    }
    EXPECT_EQ(news, "2 pending (Resources), 1 running");
    EXPECT_FALSE(array.news());
  }
  EXPECT_EQ(told("cancelled"), "17\n");
}

TEST_F(SlurmJobs, GetAWholeNodeUnlessTheirSizeIsSaid) {
  for (const Words& options : {Words{"-c", "4"}, {"--cpus-per-task=4"}, {"-c4"}}) {
    const hpo::SlurmArray array("/runs/a", {.agents = 1, .options = options}, {"agent"});
    EXPECT_FALSE(has_word("--exclusive")) << options.front();
  }
  const hpo::SlurmArray array("/runs/a", {.agents = 1, .options = {"--comment=x"}}, {"agent"});
  EXPECT_TRUE(has_word("--exclusive"));
}

TEST_F(SlurmJobs, ThatAreRefusedEndTheSweepWithItsReason) {
  make("sbatch",
       "echo 'sbatch: error: first' >&2; echo 'sbatch: error: no such partition' >&2; exit 1");
  try {
    const hpo::SlurmArray array("/runs/a", {.agents = 1}, {"agent"});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::usage);
    EXPECT_STREQ(error.what(), "--nodes: no job: sbatch: error: no such partition");
  }
}

}  // namespace
