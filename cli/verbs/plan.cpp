#include "hpo/driver/planning/plan.h"
#include "base/words.h"
#include "hpo/driver/run_config.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/found.h"
#include "cli/held_isa.h"
#include "cli/nodes_text.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/networks/execution.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/simulate_nodes.h"
#include "hpo/study/asked.h"
#include "hpo/study/gpus.h"
#include "hpo/study/platform.h"
#include "runtime/instance.h"
#include "tasks/step_cost.h"

namespace cli {

namespace {

std::string placement_text(const hpo::Plan& plan) {
  if (!plan.gpu_from && plan.gpu_trials > 0 && plan.trials_per_gpu > 1)
    return base::cat(plan.placement, ", each on one of ", plan.trials_per_gpu, " parts of a GPU");
  if (!plan.gpu_from) return plan.placement;
  return base::cat(plan.placement, ", ", base::counted(plan.gpu_trials, "trial"),
                   " on a GPU for networks of ", short_amount(*plan.gpu_from, "FLOP"),
                   " a step and more");
}

/// What a trial may fill.
std::string memory_text(const hpo::Plan& plan) {
  if (plan.trials_per_gpu == 1) return "a GPU there";
  return base::cat("one of the ", plan.trials_per_gpu, " parts of a GPU there");
}

/// Where the study will run: this machine as `runtime` found it, or the one of a file.
rt::Platform platform_of(const std::optional<rt::Platform>& named, const hpo::StudySpec& study,
                         const rt::Runtime& runtime) {
  if (named) return rt::with_sharers(*named, hpo::trials_per_gpu(study));
  rt::Platform here = hpo::platform_here(runtime.workers(), runtime.gpus());
  if (runtime.gpus() > 0) here.gpu.sharers = runtime.gpu_workers() / runtime.gpus();
  return here;
}

std::string text_of(const std::string& study, const hpo::Plan& plan) {
  const char* bound = plan.at_least ? "at least " : "";
  const char* trials = plan.ends_by_time ? " trials or so in limits.time, " : " trials, ";
  std::string out =
      base::cat(study, ": ", plan.trials, trials, plan.epochs, " epochs, of which ",
                plan.distinct_epochs, " must be computed",
                plan.distinct_epochs < plan.epochs ? " (the rest are shared)" : "", "\n");
  out += base::cat("steps   ", bound, plan.steps, ", of which ", plan.distinct_steps,
                   " must be computed\n");
  out += base::cat("work    ", bound, short_amount(plan.distinct_flops, "FLOP"), " of ",
                   short_amount(plan.flops, "FLOP"), " asked for\n");
  out += base::cat("memory  ", bound, base::format_bytes(plan.memory), " of data and networks\n");
  out += base::cat("time    about ", short_seconds(plan.seconds), " on ", plan.platform, ": ",
                   placement_text(plan), "\n");
  if (plan.too_large > 0)
    out += base::cat(plan.too_large, plan.too_large == 1 ? " trial does" : " trials do",
                     " not fit into ", memory_text(plan),
                     " and will end as out_of_memory: the largest takes ",
                     base::format_bytes(plan.gpu_memory), "\n");
  if (!plan.execution.empty()) out += base::cat("train   ", plan.execution, "\n");
  if (plan.at_least)
    out +=
        "networks change while they train: the figures count what is sure, and the cheapest that "
        "can follow\n";
  return out;
}

/// How `train` would run the steps of a network in the middle of the space; empty: the file leaves
/// nothing to choose.
std::string execution_of(const hpo::LoadedStudy& loaded, const rt::Platform& platform) {
  const std::optional<std::int64_t> members = loaded.study.resources.members;
  if (!members || *members == 1 || hpo::may_use_gpus(loaded.study)) return "";
  const hpo::Params middle = loaded.study.space.middle();
  const bool far = platform.nodes.count > 0;
  const int places = far ? platform.nodes.count : platform.cpu.count;
  const int most =
      *members > 0 ? static_cast<int>(std::min<std::int64_t>(*members, places)) : places;
  const std::vector<tasks::StepCost> costs =
      hpo::open_ways(loaded.study, hpo::materialise(loaded.study, middle, loaded.data.info), middle,
                     platform, {.workers = platform.cpu.count, .members = most, .far = far});
  return costs.empty() ? "" : hpo::describe(costs);
}

/// What the study's folder has already; empty where nothing was begun.
std::string begun_line(const Arguments& arguments, const hpo::StudySpec& study) {
  const base::Path folder = runs_folder(arguments) / study.name;
  const std::string begun = begun_text(folder);
  return begun.empty()
             ? ""
             : base::cat("begun   ", base::printable(folder.string(), 200), ": ", begun, "\n");
}

}  // namespace

void declare_plan(Arguments& arguments) {
  arguments.positional("FILE", "study file (YAML)");
  declare_dir(arguments);
  arguments.option("--workers", "N",
                   "CPU workers that the estimate of time is for (default: one per core)");
  arguments.option("--platform", "P",
                   "a platform file: the machine that the estimate is for (default: this one)");
  arguments.flag("--json", "for programs");
}

int run_plan(const Arguments& arguments) {
  constexpr std::int64_t kMaxWorkers = 256;
  hpo::StudySpec study = hpo::load_study(arguments.text("FILE"));
  hold_to_isa(study.resources.isa);
  hpo::require_own_trials(study);
  if (study.runs_command) {
    for (const char* option : {"--workers", "--platform"}) {
      if (arguments.has(option))
        throw base::Error(base::Errc::usage,
                          base::cat(option,
                                    " cannot be used with a study of programs, whose time is "
                                    "unknown"));
    }
    hpo::require_resources(hpo::trial_resources(study, study.space.middle()));
    const hpo::Plan plan = hpo::plan_programs(study);
    print_view(
        arguments, [&] { return hpo::plan_json(plan); },
        [&] {
          const std::string trials =
              plan.ends_by_time ? std::string("as many trials as end in limits.time")
                                : base::cat("at most ", base::counted(plan.trials, "trial"));
          return base::cat(study.name, ": ", trials,
                           ". Each runs a program, whose running time is unknown\n",
                           begun_line(arguments, study));
        });
    return kDone;
  }
  if (arguments.has("--platform") && arguments.has("--workers"))
    throw base::Error(
        base::Errc::usage,
        "--workers cannot be used with --platform, whose file gives the number of cores");
  std::optional<rt::Platform> named;
  if (arguments.has("--platform")) named = hpo::load_platform(arguments.text("--platform"));
  const bool on_nodes = named && named->nodes.count > 0;
  rt::Config config{
      .workers = static_cast<int>(arguments.integer("--workers", 1, kMaxWorkers).value_or(0))};
  // Simulated nodes have a clock of their own, which no other thread may read.
  if (on_nodes) config.executor = rt::Executor::sequential;
  hpo::share_gpus(study, config);
  rt::Runtime runtime(config);
  hpo::LoadedStudy loaded = hpo::load_settled(study);
  if (!arguments.has("--platform")) {
    hpo::require_resources(loaded.asked, runtime.workers(), runtime.gpus());
    hpo::settle_threshold(loaded, runtime.workers(), runtime.gpus());
    hpo::require_precision(loaded.study.precision, loaded.asked);
  }
  const rt::Platform platform = platform_of(named, loaded.study, runtime);
  hpo::Plan plan = hpo::plan_study(loaded, platform);
  plan.execution = execution_of(loaded, platform);
  std::optional<hpo::NodesForecast> nodes;
  if (on_nodes)
    nodes = hpo::simulate_nodes({.study = loaded.study, .loaded = &loaded}, *named, runtime);
  print_view(
      arguments, [&] { return hpo::plan_json(plan, nodes ? &*nodes : nullptr); },
      [&] {
        return text_of(study.name, plan) +
               (nodes ? base::cat("\n", nodes_text(*nodes), "\n") : std::string()) +
               begun_line(arguments, study);
      });
  return kDone;
}

}  // namespace cli
