// What of a machine a process may use, from the files that say so.
#include "base/machine.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <utility>

#include "tests/support/temp_folder.h"

namespace {

using support::TempFolder;

void write(const base::Path& path, const std::string& text) {
  base::make_folder(path.parent_path());
  std::ofstream(path) << text << "\n";
}

TEST(Machine, GivesWhatTheControlGroupsAboveAProcessAllow) {
  const TempFolder t;
  write(t / "cgroup", "0::/job/step");
  write(t / "fs/job/cpu.max", "250000 100000");
  write(t / "fs/job/step/cpu.max", "max 100000");
  write(t / "fs/job/memory.max", "max");
  write(t / "fs/job/step/memory.max", "1000000");
  const base::GroupLimits limits = base::group_limits(t / "cgroup", t / "fs");
  EXPECT_EQ(limits.cores, 2.5);
  EXPECT_EQ(limits.memory, 1'000'000U);
}

TEST(Machine, FindsAContainersGroupWhereItIsMounted) {
  const TempFolder t;
  for (const char* path : {"0::/", "0::/../../..", "0::/docker/of the host"}) {
    write(t / "cgroup", path);
    write(t / "fs/cpu.max", "50000 100000");
    EXPECT_EQ(base::group_limits(t / "cgroup", t / "fs").cores, 0.5) << path;
  }
}

TEST(Machine, ReadsControlGroupsOfVersionOne) {
  const TempFolder t;
  write(t / "cgroup", "4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/x\n0::/x");
  write(t / "fs/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  write(t / "fs/cpu,cpuacct/cpu.cfs_period_us", "100000");
  write(t / "fs/cpu,cpuacct/job/cpu.cfs_quota_us", "400000");
  write(t / "fs/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  write(t / "fs/memory/job/memory.limit_in_bytes", "7000000");
  const base::GroupLimits limits = base::group_limits(t / "cgroup", t / "fs");
  EXPECT_EQ(limits.cores, 4);
  EXPECT_EQ(limits.memory, 7'000'000U);
}

TEST(Machine, KnowsNoLimitWhereNobodySaysOne) {
  const TempFolder t;
  write(t / "cgroup", "0::/job");
  write(t / "fs/job/cpu.max", "max 100000");
  for (const base::Path& groups : {t / "cgroup", t / "missing"}) {
    const base::GroupLimits limits = base::group_limits(groups, t / "fs");
    EXPECT_EQ(limits.cores, 0);
    EXPECT_EQ(limits.memory, 0U);
  }
  EXPECT_GE(base::usable_cores(), 1);
  EXPECT_GT(base::usable_memory(), 0U);
}

TEST(Machine, CountsHardwareThreadsOfACore) {
  const TempFolder t;
  EXPECT_EQ(base::threads_of_a_core(t.path()), 1);
  for (const auto& [list, threads] :
       {std::pair("0", 1), std::pair("0-1", 2), std::pair("0,8", 2), std::pair("0,16,32,48", 4),
        std::pair("0-1,4-5", 4), std::pair("", 1), std::pair("0-", 1), std::pair("x", 1)}) {
    write(t / "cpu0/topology/thread_siblings_list", list);
    EXPECT_EQ(base::threads_of_a_core(t.path()), threads) << list;
  }
  EXPECT_GE(base::threads_of_a_core(), 1);
}

TEST(Machine, StaysOnTheCoresThatItIsTold) {
  const std::vector<int> all = base::allowed_cores();
  ASSERT_FALSE(all.empty());
  base::stay_on_cores({all.back()});
  const std::vector<int> left = base::allowed_cores();
  const int usable = base::usable_cores();
  base::stay_on_cores(all);
  EXPECT_EQ(left, std::vector<int>{all.back()});
  EXPECT_EQ(usable, 1);
  EXPECT_EQ(base::allowed_cores(), all);
}

TEST(Machine, NamesItsProcessor) {
  const std::string name = base::cpu_name();
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(name.find_first_of("\t\n:"), std::string::npos) << name;
}

TEST(Machine, CountsGpusWhateverTheirNumbers) {
  const TempFolder t;
  for (const char* name : {"nvidiactl", "nvidia-uvm", "nvidia", "null"}) write(t / name, "");
  EXPECT_EQ(base::count_gpus(t.path()), 0);
  for (const char* name : {"nvidia3", "nvidia12"}) write(t / name, "");
  EXPECT_EQ(base::count_gpus(t.path()), 2);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(base::gpu_names(t.path()), (std::vector<std::string>{"0", "1"}));
  const TempFolder windows;
  write(windows / "dxg", "");
  EXPECT_EQ(base::count_gpus(windows.path()), 1);
}

TEST(Machine, NamesTheGpusThatThisProcessMaySee) {
  ::setenv("CUDA_VISIBLE_DEVICES", "2,GPU-7,-1,5", 1);
  EXPECT_EQ(base::gpu_names(), (std::vector<std::string>{"2", "GPU-7"}));
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(base::gpu_names(), std::vector<std::string>{});
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

}  // namespace
