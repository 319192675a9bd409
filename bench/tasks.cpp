// `bench tasks`: what an empty task costs, ours and StarPU's own, in one process on the same
// workers; whether a million of them leave memory behind; what the program burns when nothing can
// run.
#include <dlfcn.h>

#include "base/clock.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "bench/raw_starpu.h"
#include "runtime/matrix.h"
#include "runtime/runtime.h"

namespace bench {
namespace {

// What the runtime may cost at most, beyond StarPU itself: the promises that these figures are held
// against.
constexpr double kAddedLimit = 1.0;   // us a task
constexpr double kGrowthLimit = 5.0;  // MB over 900,000 tasks
constexpr double kIdleLimit = 2.0;    // percent of a core

using Cell = rt::Matrix<double>;
const auto plain = rt::task("plain").cpu([]() {});
const auto chained = rt::task("chained").cpu([](rt::inout<Cell>) {});

/// The module with StarPU's own loop.
RawStarpu load_raw() {
  const auto module = built_for_bench("trellis-bench-starpu.so");
  void* const loaded = module ? ::dlopen(module->c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  return loaded != nullptr ? reinterpret_cast<RawStarpu>(::dlsym(loaded, "trellis_raw_starpu"))
                           : nullptr;
}

std::vector<rt::Value<Cell>> cells(int n) {
  std::vector<rt::Value<Cell>> made;
  for (int i = 0; i < n; ++i) made.push_back(rt::value(Cell(1, 1)));
  return made;
}

/// Seconds for `tasks` empty tasks of ours; `chains` as in raw_starpu.h.
double ours(int tasks, int chains) {
  auto values = cells(chains);
  const base::Moment start = base::now();
  for (int i = 0; i < tasks; ++i) {
    if (chains == 0) {
      plain();
    } else {
      chained(values[static_cast<std::size_t>(i % chains)]);
    }
  }
  rt::wait_all();
  return base::seconds_since(start);
}

/// A figure that must stay below a limit.
Case limited(std::string name, double value, std::string unit, double limit) {
  Case c{std::move(name), value, std::move(unit), "at most", limit};
  c.ratio = limit / std::max(value, 0.01 * limit);
  return c;
}

void add_pattern(std::vector<Case>& cases, const std::string& name, int chains,
                 const Options& options, RawStarpu raw) {
  const int tasks = options.quick ? 5'000 : 100'000;
  std::vector<double> our_costs, raw_costs, added;
  for (int i = 0; i < (options.quick ? 3 : 7); ++i) {
    const double mine = ours(tasks, chains) * 1e6 / tasks;
    const double theirs = raw != nullptr ? raw(tasks, chains) * 1e6 / tasks : NAN;
    if (i == 0) continue;  // the first one warms up allocators on both sides
    our_costs.push_back(mine);
    raw_costs.push_back(theirs);
    added.push_back(mine - theirs);
  }
  const Sample sample = sample_of(our_costs);
  Case c{name, sample.median, "us/task"};
  c.spread = sample.spread;
  if (raw != nullptr) {
    c.rival = "StarPU alone";
    c.rival_value = sample_of(raw_costs).median;
    c.ratio = c.rival_value / c.ours;
  }
  cases.push_back(c);
  if (raw != nullptr)
    cases.push_back(limited(name + ": ours adds", sample_of(added).median, "us/task", kAddedLimit));
}

void add_memory(std::vector<Case>& cases, const Options& options) {
  const int total = options.quick ? 100'000 : 1'000'000;
  auto values = cells(100);
  double after_tenth = 0;
  for (int i = 0; i < total; ++i) {
    chained(values[static_cast<std::size_t>(i % 100)]);
    if (i == total / 10) {
      rt::wait_all();
      after_tenth = resident_bytes();
    }
  }
  rt::wait_all();
  const double grown = (resident_bytes() - after_tenth) / 1e6;
  cases.push_back(limited(base::cat("memory left by the last 90% of ", total, " tasks"), grown,
                          "MB", kGrowthLimit));
}

void add_idle(std::vector<Case>& cases, const Options& options) {
  base::sleep_for(std::chrono::milliseconds(50));
  const base::Moment start = base::now();
  const base::Duration before = base::process_cpu_time();
  rt::wait_event(std::chrono::milliseconds(options.quick ? 300 : 3000));
  const double share =
      100 * base::seconds(base::process_cpu_time() - before) / base::seconds_since(start);
  cases.push_back(limited("idle: share of a core", share, "%", kIdleLimit));
}

}  // namespace

std::vector<Case> run_tasks(const Options& options) {
  std::vector<Case> cases;
  rt::Config config{.workers = options.workers, .gpus = 0};
  {
    // Workers that are never put to sleep: while the rival submits, the runtime sees nothing to
    // run.
    rt::Config awake = config;
    awake.idle_seconds = 1e9;
    const rt::Runtime runtime(awake);
    const RawStarpu raw = runtime.executor() != rt::Executor::sequential ? load_raw() : nullptr;
    add_pattern(cases, "independent", 0, options, raw);
    add_pattern(cases, "chain", 1, options, raw);
    add_pattern(cases, "1,000 chains", 1000, options, raw);
  }
  const rt::Runtime runtime(config);
  add_memory(cases, options);
  add_idle(cases, options);
  return cases;
}

}  // namespace bench
