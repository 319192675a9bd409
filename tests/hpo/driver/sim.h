// A study whose trials compute nothing: what they report is a function of their params, how long
// they really take is a matter of chance.
#pragma once

#include <cmath>
#include <functional>

#include "base/random.h"
#include "base/text.h"
#include "hpo/driver/driver.h"
#include "runtime/config.h"
#include "runtime/instance.h"
#include "runtime/value.h"
#include "tests/support/temp_folder.h"

namespace hpo::sim {

inline StudySpec study(std::uint64_t seed = 1) {
  StudySpec s;
  s.name = "sim";
  s.seed = seed;
  s.space = Space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1}},
                   {.name = "size", .domain = IntRange{.min = 1, .max = 9}}});
  s.metric = {.name = "valid.loss", .goal = Goal::minimize};
  s.method = {"random", {}};
  s.early_stop = {"asha", {{"min", std::int64_t{1}}, {"eta", std::int64_t{3}}}};
  s.max_epochs = 9;
  s.parallel = 4;
  s.limits.trials = 20;
  return s;
}

inline StudyFacts facts(const StudySpec& s) {
  StudyFacts facts{.name = s.name,
                   .metric = s.metric.name,
                   .objective = objective_of(s),
                   .resolved = "name: sim\n"};
  for (const Parameter& p : s.space.parameters()) facts.parameters.push_back(p.name);
  return facts;
}

/// Calls a task that does nothing, and returns its argument.
rt::Value<int> tick(int n);

/// Thrown by work to play a driver that is killed.
struct Killed {};

/// Dies when that many reports were seen.
struct ReportBomb : Observer {
  explicit ReportBomb(int reports) : left(reports) {}
  void trial_reported(const TrialRow&) override {
    if (--left < 0) throw Killed();
  }
  int left;
};

class Work : public TrialWork {
 public:
  explicit Work(std::uint64_t chance, base::Path folder = {})
      : luck_(chance, "real time"), folder_(std::move(folder)) {}

  /// What happens at the end of an epoch before it is reported; may throw.
  std::function<void(const TrialContext&, std::int64_t epoch)> at = [](const TrialContext&,
                                                                       std::int64_t) {};
  std::function<double(const Params&, std::int64_t epoch)> value = [](const Params& p,
                                                                      std::int64_t epoch) {
    return std::get<double>(*p.find("x")) + 1.0 / static_cast<double>(epoch);
  };
  std::int64_t epochs = 9;
  int most_ticks = 4;
  int begun = 0, measured = 0, finished = 0;

  TrialFacts facts(const Params&) override { return {.inference_flops = 10}; }

  rt::Async<void> run(TrialContext& trial) override;

  rt::Async<ExportedModel> finish(TrialRow best, Lineage, const TrialTable&) override {
    ++finished;
    if (!folder_.empty())
      base::write_file_atomic(folder_ / "best.txt", "network", base::Durability::cached);
    co_return ExportedModel{"best.txt", {{"test.loss", best.value.value() + 1}}};
  }

 private:
  base::Stream luck_;
  base::Path folder_;
};

/// The events that must be equal in equal studies: all but sessions, without real time.
inline std::vector<std::string> events_of(const base::Path& folder) {
  std::vector<std::string> texts;
  for (const EventRow& e : StudyReader(folder).events()) {
    if (e.kind == "opened") continue;
    texts.push_back(base::format_double(e.vtime) + " " +
                    (e.trial ? std::to_string(*e.trial) : "-") + " " + e.kind + " " + e.payload());
  }
  return texts;
}

struct Session {
  DriverEnd end = DriverEnd::interrupted;
  std::optional<Finished> finished;
  WorkCounters work;
};

/// One session of a driver on the study in `folder`.
inline Session session(const base::Path& folder, const StudySpec& spec, Work& work,
                       Observer& observer, std::vector<Changed> changes = {},
                       const std::atomic<int>* interrupts = nullptr,
                       base::Duration commit_delay = std::chrono::milliseconds(10),
                       const rt::Config& config = {.executor = rt::Executor::sequential},
                       std::optional<Cause> retry_failed = {}) {
  EventLog log(folder);
  if (!log.facts()) log.begin(facts(spec));
  rt::Runtime runtime(config);
  Driver driver({.study = spec,
                 .log = log,
                 .runtime = runtime,
                 .work = work,
                 .observer = observer,
                 .folder = folder,
                 .interrupts = interrupts,
                 .changes = std::move(changes),
                 .arithmetic = "sim",
                 .retry_failed = retry_failed,
                 .commit_delay = commit_delay});
  DriverEnd end = driver.run();
  return {end, driver.finished(), driver.work()};
}

inline Session session(const base::Path& folder, const StudySpec& spec, Work& work) {
  Observer silent;
  return session(folder, spec, work, silent);
}

}  // namespace hpo::sim
