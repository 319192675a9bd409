// What devices did, as a table.

#include "cli/devices.h"

#include <gtest/gtest.h>

namespace cli {
namespace {

hpo::WorkerInfo worker(const std::string& name, std::int64_t gpu, double busy) {
  return {.name = name,
          .gpu = gpu,
          .tasks = 2,
          .busy = busy,
          .waiting = 1 - busy,
          .idle = {{"late", 1 - busy}}};
}

TEST(Devices, AGpuThatTrialsShareIsOneRow) {
  const std::vector<hpo::WorkerInfo> workers{
      worker("cpu 0", -1, 0.5),  worker("cuda 0", 0, 1),    worker("cuda 1", 0, 0.5),
      worker("cuda 2", 1, 0.25), worker("cuda 3", 1, 0.25),
  };
  for (const Cores cores : {Cores::together, Cores::apart})
    EXPECT_EQ(devices_text(workers, cores),
              "device            tasks  busy  transfer  idle: late\n"
              "core 0                2   50%        0%         50%\n"
              "gpu 0, 2 at once      4   75%        0%         25%\n"
              "gpu 1, 2 at once      4   25%        0%         75%\n");
}

TEST(Devices, AGpuOfOneWorkerAndALogThatDoesNotSayWhichItIs) {
  const std::vector<hpo::WorkerInfo> workers{worker("cuda 0", 0, 1), worker("cuda 1", -1, 0.5),
                                             worker("cuda 2", -1, 0.25)};
  const std::string text = devices_text(workers, Cores::together);
  for (const char* name : {"gpu 0  ", "gpu 1  ", "gpu 2  "})
    EXPECT_NE(text.find(name), std::string::npos) << text;
  EXPECT_EQ(text.find("at once"), std::string::npos) << text;
}

TEST(Devices, TheLogKeepsWhichGpuAWorkerIsOf) {
  const std::vector<hpo::WorkerInfo> workers{worker("cpu 0", -1, 0.5), worker("cuda 0", 0, 1),
                                             worker("cuda 1", 0, 0.5), worker("cuda 2", -1, 0.5)};
  const std::vector<hpo::WorkerInfo> read = hpo::workers_from_json(hpo::workers_json(workers));
  ASSERT_EQ(read.size(), workers.size());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].gpu, workers[i].gpu);
  EXPECT_EQ(devices_text(read, Cores::apart), devices_text(workers, Cores::apart));
}

}  // namespace
}  // namespace cli
