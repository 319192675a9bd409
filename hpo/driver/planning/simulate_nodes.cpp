#include "hpo/driver/planning/simulate_nodes.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/temporary_folder.h"
#include "base/text.h"
#include "hpo/driver/adopt.h"
#include "hpo/driver/driver.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/scratch.h"
#include "hpo/log/event_log.h"

namespace hpo {

namespace {

constexpr double kUseful = 0.05;  ///< of the time that one more node saves
constexpr int kEach = 24;         ///< up to so many nodes every number is played
constexpr double kLongest = 50;   ///< times the study without losses: such a history never ends
constexpr std::int64_t kMostToldReports = 100'000;  ///< of a program
constexpr double kFull = 0.9;  ///< of the slots' time in calls: nodes limit the study

/// The process's clock shows the time of one simulation.
class SimulatedClock {
 public:
  explicit SimulatedClock(const PlayedWork& work) {
    played = &work;
    base::install_clock(
        {.now = []() noexcept { return played->now(); }, .sleep = [](base::Duration) {}});
  }
  ~SimulatedClock() { base::install_clock(base::machine_clock()); }
  SimulatedClock(const SimulatedClock&) = delete;
  SimulatedClock& operator=(const SimulatedClock&) = delete;

 private:
  static inline const PlayedWork* played = nullptr;
};

std::string limit_of(const SlotTime& use) {
  if (use.busy >= kFull * (use.slots - use.lost)) return "nodes";
  const std::array<std::pair<double, const char*>, 4> causes{{{use.parallel, "parallel"},
                                                              {use.transfers, "transfers"},
                                                              {use.end, "stragglers"},
                                                              {use.rule, "rule"}}};
  return std::ranges::max_element(causes, {}, [](const auto& one) { return one.first; })->second;
}

/// Throws where no node can ever run a trial of the middle of the space.
void require_node(const StudySpec& study, const rt::Platform& platform) {
  const TrialResources asked = trial_resources(study, study.space.middle());
  const auto refuse = [&](const char* what, const std::string& wanted, int there) {
    throw base::Error(base::Errc::no_device,
                      base::cat("resources.", what, ": each trial needs ", wanted, ", a node of ",
                                platform.name, " has ", there));
  };
  if (asked.cpus > platform.cpu.count)
    refuse("cpus", std::to_string(asked.cpus), platform.cpu.count);
  if (asked.gpus > platform.gpu.count)
    refuse("gpus", base::format_double(asked.gpus), platform.gpu.count);
}

/// Throws where a rule stops programs and nobody knows how often those report.
void require_reports(const StudySpec& study) {
  if (!study.runs_command || study.early_stop.kind == "none" ||
      study.max_epochs <= kMostToldReports)
    return;
  throw base::Error(
      base::Errc::study,
      base::cat(study.file,
                ": early_stop: max is missing, expected the last step that "
                "a program reports, at most ",
                kMostToldReports, ": a simulation cannot know how often one reports"));
}

/// Slots of the search where the file says `auto`: as many trials as the nodes hold.
std::int64_t slots_on_nodes(const StudySpec& study, const rt::Platform& platform) {
  if (study.parallel > 0) return study.parallel;
  const TrialResources asked = trial_resources(study, study.space.middle());
  return platform.nodes.count * slots_of(study, asked, platform.cpu.count, platform.gpu.count);
}

struct Played {
  NodesCase made;
  std::size_t losses = 0;
};

/// One run on all nodes of the platform.
Played play(const NodesStudy& what, PlayedOn on, const rt::Runtime& runtime) {
  const base::TemporaryFolder scratch(scratch_parent(), "trellis-nodes-");
  StudySpec study = what.study;
  study.parallel = slots_on_nodes(study, on.platform);
  study.limits.target.reset();  // values are made up
  study.limits.patience.reset();
  Played played{.made = {.count = on.platform.nodes.count}};
  PlayedWork work(study, what.loaded, on);
  const SimulatedClock clock(work);
  const base::Moment begin = work.now();
  {
    EventLog log(scratch.path());
    std::vector<Changed> changes =
        adopt(log, study, what.loaded != nullptr ? &what.loaded->data : nullptr, scratch.path());
    Observer silent;
    Driver* running = nullptr;
    Driver driver({.study = study,
                   .log = log,
                   .runtime = runtime,
                   .work = work,
                   .observer = silent,
                   .folder = scratch.path(),
                   .changes = std::move(changes),
                   .arithmetic = "simulated",
                   .pass_time = [&] { work.pass_time(running->running()); },
                   .commit_delay = std::chrono::hours(100'000)});
    running = &driver;
    (void)driver.run();
  }
  played.losses = work.losses();
  NodesCase& made = played.made;
  made.seconds = base::seconds(work.now() - begin);
  made.trials = static_cast<std::int64_t>(StudyReader(scratch.path()).trials().size());
  made.reports = static_cast<double>(work.reports());
  made.use = work.use();
  made.limit = limit_of(made.use);
  return played;
}

/// Whether it depends on the reported values how much there is to do.
bool depends_on_values(const StudySpec& study) { return study.early_stop.kind != "none"; }

void add(SlotTime& sum, const SlotTime& more) {
  for (double SlotTime::*part :
       {&SlotTime::slots, &SlotTime::busy, &SlotTime::transfers, &SlotTime::rule, &SlotTime::end,
        &SlotTime::parallel, &SlotTime::lost})
    sum.*part += more.*part;
}

/// Without losses.
NodesCase play_draws(const NodesStudy& what, PlayedOn on, const rt::Runtime& runtime) {
  const int draws = depends_on_values(what.study) ? NodesCase::kDraws : 1;
  NodesCase all;
  for (int draw = 0; draw < draws; ++draw) {
    on.draw = static_cast<std::uint64_t>(draw);
    const NodesCase one = play(what, on, runtime).made;
    if (draw == 0) {
      all = one;
      all.shortest = all.longest = one.seconds;
      continue;
    }
    all.seconds += one.seconds;
    all.reports += one.reports;
    all.shortest = std::min(all.shortest, one.seconds);
    all.longest = std::max(all.longest, one.seconds);
    add(all.use, one.use);
  }
  all.seconds /= draws;
  all.reports /= draws;
  all.limit = limit_of(all.use);
  return all;
}

/// Several histories; those in which no node is left in the end count as never ending.
NodesCase::Losses play_losses(const NodesStudy& what, PlayedOn on, const rt::Runtime& runtime) {
  NodesCase::Losses all;
  for (int i = 0; i < NodesCase::kHistories; ++i) {
    on.seed = what.study.seed + static_cast<std::uint64_t>(i);
    on.draw = static_cast<std::uint64_t>(i);
    try {
      const auto [one, lost] = play(what, on, runtime);
      all.seconds += one.seconds;
      all.nodes += static_cast<double>(lost);
      all.worst = std::max(all.worst, one.seconds);
      ++all.histories;
    } catch (const base::Error& error) {
      if (error.kind() != base::Errc::no_device) throw;
    }
  }
  if (all.histories > 0) {
    all.seconds /= all.histories;
    all.nodes /= all.histories;
  }
  return all;
}

PlayedOn played_on(const NodesStudy& what, const rt::Platform& platform) {
  PlayedOn on{.platform = platform, .program = what.program};
  if (what.loaded == nullptr) return on;
  const Placement placement = place_study(*what.loaded, platform);
  on.gpu_from = placement.gpu_from;
  on.uses_gpus = placement.expected.gpu_trials > 0;
  on.uses_cores = placement.expected.cpu_busy > 0 || !on.uses_gpus;
  return on;
}

}  // namespace

NodesForecast simulate_nodes(const NodesStudy& what, const rt::Platform& platform,
                             const rt::Runtime& runtime) {
  require_node(what.study, platform);
  require_reports(what.study);
  std::set<int> counts{platform.nodes.count};
  for (int n = 1; n < platform.nodes.count; n *= 2) counts.insert(n);
  std::set<int> shown = counts;
  for (int n = 1; n <= std::min(platform.nodes.count, kEach); ++n) counts.insert(n);
  PlayedOn on = played_on(what, platform);
  NodesForecast forecast;
  double best = 0;
  for (const int count : counts) {
    on.platform.nodes = rt::with_count(platform.nodes, count);
    const double losses = std::exchange(on.platform.nodes.losses, 0);
    NodesCase made = play_draws(what, on, runtime);
    const bool helps = count > 1 && made.seconds < (1 - kUseful) * best;
    if (helps && count <= kEach) forecast.useful_nodes = count;
    best = count == 1 ? made.seconds : std::min(best, made.seconds);
    if (!shown.contains(count)) continue;
    on.platform.nodes.losses = losses;
    if (losses > 0) {
      PlayedOn lossy = on;
      lossy.most_seconds = kLongest * (made.longest + on.platform.nodes.back);
      made.losses = play_losses(what, lossy, runtime);
    }
    forecast.cases.push_back(std::move(made));
  }
  return forecast;
}

void put_nodes(base::JsonWriter& json, const NodesForecast& forecast) {
  json.key("nodes").begin_array();
  for (const NodesCase& one : forecast.cases) {
    const SlotTime& use = one.use;
    const auto share = [&](double seconds) { return use.slots > 0 ? seconds / use.slots : 0; };
    json.begin_object().field("count", static_cast<std::int64_t>(one.count));
    json.field("seconds", one.seconds).field("shortest", one.shortest);
    json.field("longest", one.longest).field("limit", std::string_view(one.limit));
    json.field("trials", one.trials).field("reports", one.reports).field("busy", share(use.busy));
    json.field("transfers", share(use.transfers)).field("parallel", share(use.parallel));
    json.field("stragglers", share(use.end)).field("rule", share(use.rule));
    json.key("losses");
    if (one.losses) {
      json.begin_object().field("nodes", one.losses->nodes);
      json.key("seconds");
      one.losses->histories > 0 ? json.value(one.losses->seconds) : json.null();
      json.key("worst");
      one.losses->all_ended() ? json.value(one.losses->worst) : json.null();
      json.end_object();
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array().key("useful_nodes");
  forecast.cases.empty() ? json.null() : json.value(forecast.useful_nodes);
}

}  // namespace hpo
