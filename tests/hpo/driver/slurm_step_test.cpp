#include "hpo/driver/nodes/slurm_step.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/machine.h"
#include "base/text.h"
#include "runtime/net/slurm.h"
#include "tests/support/temp_folder.h"

namespace {

/// A task of a step on three machines, as the variables say.
class Step : public testing::Test {
 protected:
  Step() {
    // What `scontrol show hostnames` prints.
    std::ofstream(tools_ / "scontrol")
        << "#!/bin/sh\n"
           "[ \"$*\" = 'show hostnames n[1-3]' ] && printf 'n1\\nn2\\nn3\\n'\n";
    std::filesystem::permissions(tools_ / "scontrol", std::filesystem::perms{0755});
    const char* path = std::getenv("PATH");
    set("PATH", tools_.path().string() + ":" + (path != nullptr ? path : ""));
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"SLURM_JOB_ID", "17"},
                                            {"SLURM_STEP_ID", "4"},
                                            {"SLURM_PROCID", "1"},
                                            {"SLURM_STEP_NUM_TASKS", "3"},
                                            {"SLURM_STEP_NUM_NODES", "3"},
                                            {"SLURM_STEP_NODELIST", "n[1-3]"},
                                            {"SLURMD_NODENAME", "n1"},
                                            {"SLURM_LOCALID", "0"}})
      set(name, value);
    unset("SLURM_RESTART_COUNT");
  }
  ~Step() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
  }
  void set(const std::string& name, const std::string& value) {
    remember(name);
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  void unset(const std::string& name) {
    remember(name);
    ::unsetenv(name.c_str());
  }

 private:
  void remember(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    before_.try_emplace(name, value != nullptr ? std::optional<std::string>(value) : std::nullopt);
  }
  support::TempFolder tools_;
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(Step, IsToldByItsVariables) {
  const auto step = rt::net::slurm_step();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->id, "17.4");
  EXPECT_EQ(step->rank, 1);
  EXPECT_EQ(step->node, "n1");
  EXPECT_EQ(step->peer, "") << "only the driver needs to know another machine";
  EXPECT_EQ(step->parts, 1);
  set("SLURM_PROCID", "0");
  EXPECT_EQ(rt::net::slurm_step()->peer, "n2");
}

TEST_F(Step, OneTaskIsNone) {
  set("SLURM_STEP_NUM_TASKS", "1");
  EXPECT_FALSE(rt::net::slurm_step());
  unset("SLURM_STEP_NUM_TASKS");
  EXPECT_FALSE(rt::net::slurm_step());
}

TEST_F(Step, OfARequeuedJobIsAnother) {
  set("SLURM_RESTART_COUNT", "2");
  EXPECT_EQ(rt::net::slurm_step()->id, "17.4.2");
}

TEST_F(Step, TasksOfOneMachineHaveNamesAndCoresOfTheirOwn) {
  set("SLURM_STEP_NUM_TASKS", "6");
  set("SLURM_LOCALID", "1");
  const auto step = rt::net::slurm_step();
  EXPECT_EQ(step->node, "n1-2");
  // Where Slurm binds tasks to cores each has its own already.
  EXPECT_EQ(step->parts == 2 ? step->part : 2, 2);
}

TEST_F(Step, ItsNewsGoFromTheDriverToTheOthers) {
  const support::TempFolder study;
  std::filesystem::create_directories(study / "net");
  const hpo::StepNews news(study.path(), *rt::net::slurm_step());
  EXPECT_FALSE(news.code());
  news.begun();
  EXPECT_EQ(news.code(), -1);
  news.ended(75);
  EXPECT_EQ(news.code(), 75);
  set("SLURM_STEP_ID", "5");
  const hpo::StepNews next(study.path(), *rt::net::slurm_step());
  EXPECT_FALSE(next.code()) << "that was an earlier step";
  next.begun();
  EXPECT_FALSE(news.code());
}

TEST_F(Step, ADriverThatReadsItsDataIsOnItsWay) {
  const support::TempFolder study;
  const auto step = rt::net::slurm_step();
  hpo::StepNews driver(study.path(), *step);
  const hpo::StepNews other(study.path(), *step);
  EXPECT_EQ(other.sign(), "");
  driver.prepare();
  EXPECT_EQ(other.sign(), "0");
  EXPECT_FALSE(other.code());
  driver.begun();
  EXPECT_EQ(other.code(), -1);
}

TEST_F(Step, OneTaskSpeaksForAll) {
  EXPECT_TRUE(rt::net::is_later_task());
  set("SLURM_PROCID", "0");
  EXPECT_FALSE(rt::net::is_later_task());
  set("SLURM_PROCID", "1");
  unset("SLURM_STEP_NUM_TASKS");
  EXPECT_FALSE(rt::net::is_later_task());
}

/// As Open MPI starts the second of two processes on the first of two machines.
class MpiStep : public Step {
 protected:
  MpiStep() {
    for (const auto& [name, value] : std::map<std::string, std::string>{
             {"OMPI_COMM_WORLD_RANK", "1"},
             {"OMPI_COMM_WORLD_SIZE", "4"},
             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
             {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
             {"PMIX_NAMESPACE", "23461889"},
             {"OMPI_MCA_orte_precondition_transports", "405d0a8a6bb531df-e213e317b70d75a0"}})
      set(name, value);
  }
};

TEST_F(MpiStep, IsToldByItsVariables) {
  const auto step = rt::net::current_step();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->rank, 1);
  EXPECT_EQ(step->tasks, 4);
  EXPECT_EQ(step->node, base::host_name() + "-2");
  EXPECT_EQ(step->peer, "");
  EXPECT_EQ(step->parts == 2 ? step->part : 2, 2);  // bound to cores each has its own already
  EXPECT_TRUE(rt::net::is_later_task());
  set("OMPI_COMM_WORLD_RANK", "0");
  set("OMPI_COMM_WORLD_LOCAL_RANK", "0");
  EXPECT_EQ(rt::net::current_step()->node, base::host_name());
  EXPECT_EQ(rt::net::current_step()->peer, "another node");
  set("OMPI_COMM_WORLD_LOCAL_SIZE", "4");
  EXPECT_EQ(rt::net::current_step()->peer, "") << "all are on this machine";
}

/// This process is bound to one core meanwhile.
class MpiStepOnOneCore : public MpiStep {
 protected:
  MpiStepOnOneCore() : before_(base::allowed_cores()) { base::stay_on_cores({before_.front()}); }
  ~MpiStepOnOneCore() override { base::stay_on_cores(before_); }

  std::vector<int> before_;
};

TEST_F(MpiStepOnOneCore, RanksThatShareTheirCoresClaimThem) {
  if (before_.size() < 2) GTEST_SKIP() << "one core";
  // The process above this test has all cores, and is no rank.
  EXPECT_EQ(rt::net::cores_of_launcher(), before_.size());
  set("OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(before_.size()));
  EXPECT_EQ(rt::net::current_step()->cores, 0) << "there is one core for each";
  EXPECT_EQ(rt::net::current_step()->parts, 1);
  set("OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(before_.size() + 1));
  EXPECT_EQ(rt::net::current_step()->cores, 1) << "some must share one";
}

/// What a process prints that is the first one of a PID namespace; empty where none may be made.
std::string in_a_namespace(const std::function<std::string()>& print) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t outer = ::fork();
  if (outer == 0) {
    const bool made = ::unshare(CLONE_NEWPID) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
    const pid_t first = made ? ::fork() : -1;
    if (first == 0) {
      const std::string text = print();
      ::_exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
    }
    if (first > 0) ::waitpid(first, nullptr, 0);
    ::_exit(0);
  }
  ::close(ends[1]);
  ::waitpid(outer, nullptr, 0);
  char text[64] = {};
  const ssize_t size = ::read(ends[0], text, sizeof text - 1);
  ::close(ends[0]);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(0, size))};
}

TEST_F(MpiStepOnOneCore, ALauncherOutsideOfAContainerIsNotTakenForThisProcess) {
  set("OMPI_COMM_WORLD_LOCAL_SIZE", "1");
  const std::string seen = in_a_namespace([] {
    const auto cores = rt::net::cores_of_launcher();
    return base::cat(::getppid(), " ", cores ? std::to_string(*cores) : "unknown", " ",
                     rt::net::current_step()->cores);
  });
  if (seen.empty()) GTEST_SKIP() << "no PID namespace may be made here";
  EXPECT_EQ(seen, "0 unknown 0") << "alone on its machine, it has the cores that it is bound to";
}

TEST_F(MpiStep, AnotherMpirunIsAnother) {
  const std::string id = rt::net::mpi_step()->id;
  set("OMPI_COMM_WORLD_RANK", "3");
  EXPECT_EQ(rt::net::mpi_step()->id, id);
  set("OMPI_MCA_orte_precondition_transports", "0000000000000000-e213e317b70d75a0");
  EXPECT_NE(rt::net::mpi_step()->id, id);
}

TEST_F(MpiStep, OneProcessIsNone) {
  set("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_FALSE(rt::net::mpi_step());
  EXPECT_EQ(rt::net::current_step()->id, "17.4") << "the step of Slurm that it is in";
  for (const char* odd : {"", "x", "-1", "99999999999"}) {
    set("OMPI_COMM_WORLD_SIZE", odd);
    EXPECT_FALSE(rt::net::mpi_step()) << odd;
  }
}

TEST_F(Step, AnAgentWhoseDriverHasEndedReturnsItsCode) {
  const support::TempFolder study;
  std::filesystem::create_directories(study / "net");
  const auto step = rt::net::slurm_step();
  hpo::StepNews(study.path(), *step).begun();
  hpo::StepNews(study.path(), *step).ended(5);
  EXPECT_EQ(hpo::work_in_step(*step, {.folder = study.path()}), 5);
}

}  // namespace
