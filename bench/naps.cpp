// A program of `rt::` alone. For `trellis bench agents`: prints the seconds that calls of 50 ms
// took on the agents of --trellis-hosts, counted from the moment at which all of them were there.
//   naps SLOTS CALLS TIMES --trellis-hosts=...
// For `trellis bench machine --nodes`: prints the latency and the bandwidth of the link to an
// agent, and what the driver takes for a parcel. Ends with exit code 6 where no agent comes.
//   naps link CALLS BYTES TIMES --trellis-hosts=...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "runtime/nodes.h"
#include "runtime/runtime.h"

namespace {

const auto nap = rt::task("nap", 1)
                     .cpu([](int number, int time) {
                       base::sleep_for(std::chrono::milliseconds(50));
                       return number + time;
                     })
                     .pure();

using Bytes = std::vector<std::uint8_t>;

const auto echo =
    rt::task("echo", 1).cpu([](int number, int time) { return number + time; }).pure();
const auto block =
    rt::task("block", 1)
        .cpu([](int bytes, int time) {
          return Bytes(static_cast<std::size_t>(bytes), static_cast<std::uint8_t>(time));
        })
        .pure();
const auto size_of = rt::task("size of", 1)
                         .cpu([](rt::in<Bytes> block) { return static_cast<int>(block->size()); })
                         .pure();

constexpr int kWorkers = 2;  ///< of each agent

int slots() {
  int all = 0;
  for (const rt::net::AgentView& agent : rt::agents()) {
    if (agent.state == rt::net::AgentState::working) all += static_cast<int>(agent.slots);
  }
  return all;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Half the round trip of a call that does nothing, one after another.
double latency(int calls, int time) {
  std::vector<double> seconds;
  for (int i = 0; i < calls; ++i) {
    const base::Moment begin = base::now();
    (void)echo(i, time).get();
    seconds.push_back(base::seconds_since(begin));
  }
  return median(seconds) / 2;
}

/// Seconds of one of many such calls that are under way together.
double parcel(int calls, int time) {
  std::vector<rt::Value<int>> all;
  const base::Moment begin = base::now();
  for (int i = 0; i < calls; ++i) {
    all.push_back(echo(-1 - i, time));
    all.back().demand();
  }
  for (const rt::Value<int>& one : all) (void)one.get();
  return base::seconds_since(begin) / calls;
}

/// Bytes a second of a content from an agent to here.
double bandwidth(int bytes, int time) {
  const rt::Value<Bytes> content = block(bytes, time);
  (void)size_of(content).get();  // it is made
  const base::Moment begin = base::now();
  (void)content.get();
  return bytes / base::seconds_since(begin);
}

/// A first call tells whether any agent can come: the runtime fails it once all have ended. Returns
/// false then, or if none has come after 60 s.
bool any_came() {
  constexpr double kMost = 60;  // seconds
  const rt::Value<int> first = echo(0, 0);
  first.demand();
  const base::Moment begin = base::now();
  while (!first.ready() && base::seconds_since(begin) < kMost)
    (void)rt::wait_event(std::chrono::milliseconds(5));
  if (!first.ready()) rt::give_up_calls();
  try {
    return first.get() == 0;
  } catch (const std::exception&) {
    return false;
  }
}

int measure_link(int calls, int bytes, int times) {
  const rt::Runtime runtime({.workers = 1});
  if (!any_came()) return base::exit_code(base::Errc::no_device);
  (void)parcel(calls, 0);  // warms up
  for (int time = 1; time <= times; ++time)
    std::printf("%.9f %.1f %.9f\n", latency(std::min(calls, 200), time), bandwidth(bytes, time),
                parcel(calls, time));
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  rt::init(argc, argv);
  if (argc == 5 && std::string_view(argv[1]) == "link")
    return measure_link(std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
  if (argc != 4)
    throw std::invalid_argument("expected SLOTS CALLS TIMES, or link CALLS BYTES TIMES");
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
