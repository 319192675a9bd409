#include "hpo/driver/planning/simulate.h"
#include "base/json_writer.h"
#include "base/words.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "cli/devices.h"
#include "cli/nodes_text.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/study/asked.h"
#include "hpo/study/gpus.h"
#include "hpo/study/platform.h"
#include "hpo/study/real_time.h"
#include "runtime/instance.h"

namespace cli {

namespace {

using Reports = std::vector<hpo::SimulationReport>;

std::string ranking_text(const Reports& reports) {
  Table table({"scheduler", "time", "", "cores busy", "GPUs busy", "GPUs' transfers"});
  for (const hpo::SimulationReport& report : reports) {
    const hpo::WorkerInfo cores = mean_of(report.devices, "cpu");
    const hpo::WorkerInfo gpus = mean_of(report.devices, "cuda");
    const double ratio = report.seconds / reports.front().seconds;
    table.row({report.scheduler, short_seconds(report.seconds), base::cat(short_number(ratio), "x"),
               percent(cores.busy, report.seconds), percent(gpus.busy, report.seconds),
               percent(gpus.moving, report.seconds)});
  }
  return table.text();
}

std::string threshold_text(const hpo::SimulationReport& report) {
  if (report.gpu_from >= hpo::kNoGpu) return "every network on a core";
  if (report.gpu_from <= 0) return "every network on a GPU";
  return base::cat("networks of ", short_amount(report.gpu_from, "FLOP"),
                   " a step and more on a GPU (resources: {gpus: auto, gpu_from: ",
                   base::format_double(report.gpu_from), "})");
}

std::string text_of(const std::string& study, const rt::Platform& platform,
                    const Reports& reports) {
  std::string out = base::cat(study, " on ", platform.name, "\n\n", ranking_text(reports));
  const auto ours = std::ranges::find(reports, "trellis", &hpo::SimulationReport::scheduler);
  const hpo::SimulationReport& shown = ours != reports.end() ? *ours : reports.front();
  out += base::cat("\n", shown.scheduler, ": ", shown.trials, " trials, ", shown.tasks, " tasks");
  if (ours != reports.end()) out += base::cat("; ", threshold_text(shown));
  return base::cat(out, "\n\n", devices_text(shown.devices, Cores::apart));
}

/// Named as in the first version of this format.
void write_use(base::JsonWriter& json, const hpo::WorkerInfo& device) {
  const bool gpu = device.name.starts_with("cuda ");
  const std::string name = base::cat(gpu ? "gpu " : "core ", device.name.substr(gpu ? 5 : 4));
  json.begin_object().field("device", name).field("tasks", device.tasks);
  json.field("busy", device.busy).field("transfer", device.moving);
  hpo::put_idle(json, device);
  json.end_object();
}

std::string json_of(const std::string& study, const rt::Platform& platform,
                    const Reports& reports) {
  base::JsonWriter json;
  json.begin_object().field("study", std::string_view(study));
  json.field("platform", std::string_view(platform.name)).key("schedulers").begin_array();
  for (const hpo::SimulationReport& report : reports) {
    json.begin_object().field("scheduler", std::string_view(report.scheduler));
    json.field("seconds", report.seconds).field("trials", report.trials);
    json.field("tasks", report.tasks).field("moved", report.moved);
    json.key("gpu_from");
    report.gpu_from >= hpo::kNoGpu ? json.null() : json.value(report.gpu_from);
    json.field("most_memory", report.most_memory).key("devices").begin_array();
    for (const hpo::WorkerInfo& device : report.devices) write_use(json, device);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return std::move(json).text();
}

/// Those that were named, else all that the study can be simulated under.
std::vector<const hpo::Scheme*> chosen_schemes(const Arguments& arguments,
                                               const hpo::StudySpec& study) {
  std::vector<const hpo::Scheme*> chosen;
  for (const std::string& name : arguments.texts("--scheduler"))
    chosen.push_back(&hpo::find_scheme(name));
  if (chosen.empty())
    for (const hpo::Scheme& scheme : hpo::schemes())
      if (hpo::refuses(scheme, study).empty()) chosen.push_back(&scheme);
  return chosen;
}

void require_simulated(const hpo::StudySpec& study) {
  const std::vector<std::string> keys = hpo::real_time_keys(study);
  if (std::ranges::find(keys, "adapt.command") != keys.end())
    throw base::Error(base::Errc::study,
                      base::cat(study.file,
                                ": adapt.command runs a program, which would be asked about "
                                "networks that do not exist; use another policy"));
}

/// The study on 1, 2, 4 ... of the platform's nodes.
int run_on_nodes(const Arguments& arguments, const hpo::StudySpec& study,
                 const rt::Platform& platform) {
  if (arguments.has("--scheduler"))
    throw base::Error(base::Errc::usage,
                      "--scheduler cannot be used with a platform of several nodes, whose driver "
                      "places the tasks");
  if (study.runs_command != arguments.has("--trial-seconds"))
    throw base::Error(base::Errc::usage,
                      study.runs_command
                          ? "--trial-seconds is missing, expected how long the program of a trial "
                            "runs: a number of seconds, or the name of a parameter"
                          : "--trial-seconds cannot be used with a study that trains networks, "
                            "whose time follows from the platform");
  const rt::Runtime runtime({.executor = rt::Executor::sequential});
  std::optional<hpo::LoadedStudy> loaded;
  hpo::ProgramTime program;
  if (study.runs_command) {
    program = program_time(arguments, study);
  } else {
    require_simulated(study);
    loaded = hpo::load_settled(study);
  }
  const hpo::NodesForecast forecast = hpo::simulate_nodes({.study = loaded ? loaded->study : study,
                                                           .loaded = loaded ? &*loaded : nullptr,
                                                           .program = program},
                                                          platform, runtime);
  print_view(
      arguments,
      [&] {
        base::JsonWriter json;
        json.begin_object().field("study", std::string_view(study.name));
        json.field("platform", std::string_view(platform.name));
        hpo::put_nodes(json, forecast);
        json.end_object();
        return std::move(json).text();
      },
      [&] {
        return base::cat(study.name, " on ", platform.name, ": ", forecast.cases.back().trials,
                         " trials\n\n", nodes_text(forecast));
      });
  return kDone;
}

}  // namespace

void declare_simulate(Arguments& arguments) {
  arguments.positional("FILE", "study file (YAML)");
  arguments.option("--platform", "P", "the machine: a platform file (experiments/platforms)");
  const std::string names = base::listed(hpo::schemes(), &hpo::Scheme::name);
  arguments.option("--scheduler", "NAME", "only this way to place tasks: " + names,
                   /*repeatable=*/true);
  declare_trial_seconds(arguments);
  arguments.flag("--json", "for programs");
}

int run_simulate(const Arguments& arguments) {
  const hpo::StudySpec study = hpo::load_study(arguments.text("FILE"));
  hpo::require_own_trials(study);
  if (!arguments.has("--platform"))
    throw base::Error(base::Errc::usage,
                      "--platform is missing, expected a platform file such as "
                      "experiments/platforms/laptop.yaml");
  const rt::Platform platform = hpo::load_platform(arguments.text("--platform"));
  if (platform.nodes.count > 0) return run_on_nodes(arguments, study, platform);
  if (study.runs_command)
    throw base::Error(base::Errc::study,
                      base::cat(study.file,
                                ": its trials run a program, whose running time is unknown; use a "
                                "study that trains networks, or a platform with nodes and "
                                "--trial-seconds"));
  if (arguments.has("--trial-seconds"))
    throw base::Error(base::Errc::usage, "--trial-seconds needs a platform with nodes");
  require_simulated(study);
  Reports reports;
  for (const hpo::Scheme* scheme : chosen_schemes(arguments, study))
    reports.push_back(hpo::simulate_apart(study, platform, *scheme));
  std::ranges::stable_sort(reports, {}, &hpo::SimulationReport::seconds);
  print_view(
      arguments, [&] { return json_of(study.name, platform, reports); },
      [&] { return text_of(study.name, platform, reports); });
  return kDone;
}

}  // namespace cli
