// `bench tasks`: what empty and short tasks cost, ours, StarPU's own and oneTBB's, in one process
// on the same cores; whether a million of them leave memory behind; what the program burns when
// nothing can run.
#include <dlfcn.h>

#include "base/clock.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "bench/rival_tasks.h"
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
const auto plain = rt::task("plain").cpu([](double us) { compute_for(us); });
const auto chained = rt::task("chained").cpu([](rt::inout<Cell>, double us) { compute_for(us); });

/// Who else runs tasks.
struct Rivals {
  RunRival starpu = nullptr, tbb = nullptr;  ///< null where it was not built
};

RunRival load_rival(const std::string& file, const char* function) {
  const auto module = built_for_bench(file);
  void* const loaded = module ? ::dlopen(module->c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  return loaded != nullptr ? reinterpret_cast<RunRival>(::dlsym(loaded, function)) : nullptr;
}

std::vector<rt::Value<Cell>> cells(int n) {
  std::vector<rt::Value<Cell>> made;
  for (int i = 0; i < n; ++i) made.push_back(rt::value(Cell(1, 1)));
  return made;
}

/// Seconds for the same tasks of ours.
double ours(const RivalTasks& what) {
  auto values = cells(what.chains);
  const base::Moment start = base::now();
  for (int i = 0; i < what.tasks; ++i) {
    if (what.chains == 0) {
      plain(what.microseconds);
    } else {
      chained(values[static_cast<std::size_t>(i % what.chains)], what.microseconds);
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

/// Our cost of a task beside a rival's, whose costs are of the same repetitions.
Case beside(const std::string& name, const Sample& sample, const std::string& rival,
            const std::vector<double>& costs) {
  Case c{name, sample.median, "us/task", rival, sample_of(costs).median};
  c.ratio = c.rival_value / c.ours;
  c.spread = sample.spread;
  return c;
}

/// Times `what`, each repetition beside the rivals. Costs are microseconds of all cores together
/// where the bodies compute, else of the clock.
void add_pattern(std::vector<Case>& cases, const std::string& name, const RivalTasks& what,
                 const Options& options, const Rivals& rivals) {
  const double scale = 1e6 / what.tasks * (what.microseconds > 0 ? what.workers : 1);
  std::vector<double> our_costs, starpu_costs, tbb_costs, added;
  for (int i = 0; i < (options.quick ? 3 : 7); ++i) {
    const double mine = ours(what) * scale;
    const double starpus = rivals.starpu != nullptr ? rivals.starpu(what) * scale : NAN;
    const double tbbs = rivals.tbb != nullptr ? rivals.tbb(what) * scale : NAN;
    if (i == 0) continue;  // the first one warms up allocators on all sides
    our_costs.push_back(mine);
    starpu_costs.push_back(starpus);
    tbb_costs.push_back(tbbs);
    added.push_back(mine - starpus);
  }
  const Sample sample = sample_of(our_costs);
  if (rivals.starpu == nullptr) {
    Case c{name, sample.median, "us/task"};
    c.spread = sample.spread;
    cases.push_back(c);
  } else {
    cases.push_back(beside(name, sample, "StarPU alone", starpu_costs));
  }
  if (rivals.tbb != nullptr) cases.push_back(beside(name, sample, "oneTBB", tbb_costs));
  if (rivals.starpu != nullptr && what.microseconds <= 0)
    cases.push_back(limited(name + ": ours adds", sample_of(added).median, "us/task", kAddedLimit));
}

void add_memory(std::vector<Case>& cases, const Options& options) {
  const int total = options.quick ? 100'000 : 1'000'000;
  auto values = cells(100);
  double after_tenth = 0;
  for (int i = 0; i < total; ++i) {
    chained(values[static_cast<std::size_t>(i % 100)], 0.0);
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
    Rivals rivals{.tbb = load_rival("trellis-bench-tbb.so", "trellis_raw_tbb")};
    if (runtime.executor() != rt::Executor::sequential)
      rivals.starpu = load_rival("trellis-bench-starpu.so", "trellis_raw_starpu");
    const int workers = runtime.workers();
    const int empty = options.quick ? 5'000 : 100'000, short_ones = options.quick ? 1'000 : 20'000;
    add_pattern(cases, "independent", {.tasks = empty, .workers = workers}, options, rivals);
    add_pattern(cases, "chain", {.tasks = empty, .chains = 1, .workers = workers}, options, rivals);
    add_pattern(cases, "1,000 chains", {.tasks = empty, .chains = 1000, .workers = workers},
                options, rivals);
    add_pattern(cases, "independent, 10 us each",
                {.tasks = short_ones, .microseconds = 10, .workers = workers}, options, rivals);
    add_pattern(cases, "1,000 chains, 10 us each",
                {.tasks = short_ones, .chains = 1000, .microseconds = 10, .workers = workers},
                options, rivals);
  }
  const rt::Runtime runtime(config);
  add_memory(cases, options);
  add_idle(cases, options);
  return cases;
}

}  // namespace bench
