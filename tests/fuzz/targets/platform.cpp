// A platform file: a machine that simulation and plans can count with.

#include "hpo/study/platform.h"
#include "base/error.h"
#include "tests/fuzz/fuzz.h"

namespace {

/// Every number that times are made of is one that can be divided by.
bool counts(const rt::DeviceModel& device) {
  return device.count > 0 && device.peak > 0 && device.half > 0 && device.launch >= 0 &&
         device.bandwidth > 0 && device.memory > 0 && device.latency >= 0;
}

bool counts(const rt::LinkModel& link) { return link.latency >= 0 && link.bandwidth > 0; }

bool counts(const rt::NodesModel& nodes) {
  int before = 0;
  for (const rt::LevelModel& level : nodes.levels) {
    if (level.nodes <= before || !counts(level.link)) return false;
    before = level.nodes;
  }
  return nodes.count > 0 && counts(nodes.link) && nodes.losses >= 0 && nodes.back >= 0;
}

}  // namespace

void fuzz::feed(std::string_view input) {
  try {
    const rt::Platform platform = hpo::parse_platform(std::string(input), "machine.yaml");
    promise(!platform.name.empty(), "a machine has a name");
    promise(counts(platform.cpu), "cores have a speed");
    promise(platform.gpu.count == 0 || (counts(platform.gpu) && platform.gpu.link > 0),
            "GPUs have a speed, and a way to them");
    promise(platform.nodes.count == 0 || counts(platform.nodes), "nodes have links with a speed");
    promise(platform.runtime.parcel >= 0 && platform.runtime.step >= 0,
            "nothing takes less than 0");
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::study, "what is wrong with the file is the file's error");
    promise_message(error.what());
    promise(std::string_view(error.what()).starts_with("machine.yaml:"),
            "a message names the file and the line");
  }
}
