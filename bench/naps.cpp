// A program of `rt::` alone, for `trellis bench agents`: prints the seconds that calls of 50 ms
// took on the agents of --trellis-hosts, counted from the moment at which all of them were there.
//   naps SLOTS CALLS TIMES --trellis-hosts=...
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/clock.h"
#include "runtime/nodes.h"
#include "runtime/runtime.h"

namespace {

const auto nap = rt::task("nap", 1)
                     .cpu([](int number, int time) {
                       base::sleep_for(std::chrono::milliseconds(50));
                       return number + time;
                     })
                     .pure();

constexpr int kWorkers = 2;  ///< of each agent

int slots() {
  int all = 0;
  for (const rt::net::AgentView& agent : rt::agents()) {
    if (agent.state == rt::net::AgentState::working) all += static_cast<int>(agent.slots);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  rt::init(argc, argv);
  if (argc != 4) throw std::invalid_argument("expected SLOTS CALLS TIMES");
  rt::Runtime runtime({.workers = kWorkers});
  while (slots() < std::atoi(argv[1])) (void)rt::wait_event(std::chrono::milliseconds(5));
  for (int time = 0; time < std::atoi(argv[3]); ++time) {
    const base::Moment begin = base::now();
    std::vector<rt::Value<int>> all;
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
      all.push_back(nap(i, time));
      all.back().demand();
    }
    for (const rt::Value<int>& one : all) (void)one.get();
    std::printf("%.4f\n", base::seconds_since(begin));
  }
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "naps: %s\n", e.what()), 1;
}
