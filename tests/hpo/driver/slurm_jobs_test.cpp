#include "hpo/driver/nodes/slurm_jobs.h"

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
#include "hpo/driver/nodes/slurm_array.h"
#include "hpo/log/stop_driver.h"
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
    make("scontrol",
         "if [ $1 = requeue ]; then echo \"$@\" >> TOOLS/requeued; else cat TOOLS/job; fi");
    base::make_folder(study_ / "net");
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

  /// Whether this process, as such a job, lets itself be requeued where Slurm says that the job is
  /// in that state.
  bool requeues(const std::string& state) {
    std::ofstream(tools_ / "job") << "JobId=17 JobState=" << state << " Reason=None\n";
    std::filesystem::remove(tools_ / "requeued");
    hpo::requeue_this_job();
    return base::file_size(tools_ / "requeued").has_value();
  }

  support::TempFolder tools_, runs_;
  base::Path study_ = runs_ / "it's";
  std::string before_;
};

TEST_F(SlurmJobs, OneForEachAgent) {
  {
    hpo::SlurmArray array(study_, {.agents = 3, .options = {"-p", "gpu"}},
                          {"/bin/trellis", "agent", "/runs/it's"});
    EXPECT_EQ(array.jobs(), "17");
    for (const char* word : {"--array=1-3", "--nodes=1", "--requeue", "--open-mode=append",
                             "--job-name=it's", "--exclusive", "-p", "gpu"})
      EXPECT_TRUE(has_word(word)) << word << " is not in\n" << told("words");
    const std::string command =
        " --nodes=1 --ntasks=1 --cpu-bind=none env TRELLIS_SUBMITTED=agent /bin/trellis agent "
        "'/runs/it'\\''s' --orphan 300 --node \"$SLURMD_NODENAME.$SLURM_ARRAY_TASK_ID\"\n";
    EXPECT_NE(told("script").find(command), std::string::npos) << told("script");
    std::optional<std::string> news;
    for (int i = 0; i < 200 && !news; ++i) {
      base::sleep_for(std::chrono::milliseconds(10));
      news = array.news();
    }
    EXPECT_EQ(news, "2 pending (Resources), 1 running");
    EXPECT_FALSE(array.news());
  }
  EXPECT_EQ(told("cancelled"), "17\n");
  EXPECT_FALSE(base::file_size(study_ / "net" / "slurm-jobs"));
}

TEST_F(SlurmJobs, ThatAKilledDriverLeftAreKept) {
  const base::Path kept = study_ / "net" / "slurm-jobs";
  std::ofstream(kept) << "15\n16\n";
  make("squeue",
       "case \"$*\" in *--job=16*) printf '16_1\\n16_2\\n';; *) "
       "echo 'squeue: error: Invalid job id specified' >&2; exit 1;; esac");
  {
    const hpo::SlurmArray array(study_, {.agents = 5}, {"agent"});
    EXPECT_EQ(array.jobs(), "16,17");
    EXPECT_TRUE(has_word("--array=1-3"));
    EXPECT_EQ(base::read_file(kept), "16\n17\n");
  }
  EXPECT_EQ(told("cancelled"), "16 17\n");
  std::ofstream(kept) << "16\n";
  std::filesystem::remove(tools_ / "words");
  {
    hpo::SlurmArray array(study_, {.agents = 2}, {"agent"});
    EXPECT_EQ(array.jobs(), "16");
    EXPECT_FALSE(base::file_size(tools_ / "words")) << "there were enough";
    array.keep();
    std::filesystem::remove(tools_ / "cancelled");
  }
  EXPECT_FALSE(base::file_size(tools_ / "cancelled"));
  // Where Slurm does not answer nothing is asked for twice.
  make("squeue", "exit 1");
  const hpo::SlurmArray array(study_, {.agents = 9}, {"agent"});
  EXPECT_EQ(array.jobs(), "16");
  EXPECT_FALSE(base::file_size(tools_ / "words"));
}

TEST_F(SlurmJobs, HaveANumberAmongOtherWords) {
  make("sbatch", "echo 'Welcome'; echo 23");
  EXPECT_EQ(hpo::SlurmArray(study_, {.agents = 1}, {"agent"}).jobs(), "23");
  make("sbatch", "echo '23;other'");
  EXPECT_THROW((void)hpo::SlurmArray(study_, {.agents = 1}, {"agent"}), base::Error);
  make("sbatch", "echo 23");
  EXPECT_THROW((void)hpo::SlurmArray(study_, {.agents = 1, .options = {"-M", "other"}}, {"agent"}),
               base::Error);
}

TEST_F(SlurmJobs, AreRequeuedUnlessTheyWereCancelled) {
  ::setenv("SLURM_JOB_ID", "17", 1);
  EXPECT_TRUE(requeues("RUNNING"));
  EXPECT_EQ(told("requeued"), "requeue 17\n");
  EXPECT_FALSE(requeues("CANCELLED"));
  // The last element of an array has the number of the whole.
  ::setenv("SLURM_ARRAY_JOB_ID", "17", 1);
  ::setenv("SLURM_ARRAY_TASK_ID", "3", 1);
  EXPECT_TRUE(requeues("RUNNING"));
  EXPECT_EQ(told("requeued"), "requeue 17_3\n");
  for (const char* name : {"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"})
    ::unsetenv(name);
}

TEST_F(SlurmJobs, DriveAStudyWithOneAgentLessInTheArray) {
  make("squeue", "echo 'squeue: error: Invalid job id specified' >&2; exit 1");
  EXPECT_EQ(hpo::submit_driver(study_, {.agents = 4, .options = {"-p", "gpu"}},
                               "/bin/trellis sweep f.yaml", "--retry-failed=any"),
            "17");
  const std::string script = told("script");
  EXPECT_NE(script.find("\n[ \"${SLURM_RESTART_COUNT:-0}\" -gt 0 ] || set -- --retry-failed=any\n"),
            std::string::npos)
      << script;
  EXPECT_NE(script.find(" env TRELLIS_SUBMITTED=driver /bin/trellis sweep f.yaml --hosts localhost "
                        "--nodes slurm:3 --slurm '-p gpu' \"$@\"\n"),
            std::string::npos)
      << script;
  EXPECT_TRUE(has_word("--chdir=" + std::filesystem::current_path().string()));
  // Another one is refused while it is there.
  EXPECT_EQ(hpo::submitted_driver(study_), "17");
  EXPECT_EQ(hpo::submit_driver(study_, {.agents = 1}, "t"), "17") << "it has ended";
  make("squeue", "echo 17");
  EXPECT_THROW((void)hpo::submit_driver(study_, {.agents = 1}, "t"), base::Error);
}

TEST_F(SlurmJobs, GetAWholeNodeUnlessTheirSizeIsSaid) {
  for (const Words& options : {Words{"-c", "4"}, {"--cpus-per-task=4"}, {"-c4"}}) {
    const hpo::SlurmArray array(study_, {.agents = 1, .options = options}, {"agent"});
    EXPECT_FALSE(has_word("--exclusive")) << options.front();
  }
  const hpo::SlurmArray array(study_, {.agents = 1, .options = {"--comment=x"}}, {"agent"});
  EXPECT_TRUE(has_word("--exclusive"));
}

TEST_F(SlurmJobs, ThatAreRefusedEndTheSweepWithItsReason) {
  make("sbatch",
       "echo 'sbatch: error: first' >&2; echo 'sbatch: error: no such partition' >&2; exit 1");
  try {
    const hpo::SlurmArray array(study_, {.agents = 1}, {"agent"});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::usage);
    EXPECT_STREQ(error.what(), "--nodes: no job: sbatch: error: no such partition");
  }
}

}  // namespace
