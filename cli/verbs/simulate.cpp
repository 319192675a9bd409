#include "hpo/driver/simulate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/log/json.h"
#include "hpo/study/asked.h"
#include "hpo/study/platform.h"
#include "hpo/study/real_time.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

using Reports = std::vector<hpo::SimulationReport>;

std::string percent(double part, double whole) {
  return rt::cat(std::lround(whole > 0 ? 100 * part / whole : 0), "%");
}

/// All devices of a kind as one: their mean.
hpo::DeviceUse mean_use(const hpo::SimulationReport& report, std::string_view kind) {
  hpo::DeviceUse mean{.name = std::string(kind)};
  int count = 0;
  for (const hpo::DeviceUse& use : report.devices) {
    if (!use.name.starts_with(kind)) continue;
    ++count;
    mean.tasks += use.tasks;
    mean.busy += use.busy;
    mean.transfer += use.transfer;
    mean.idle_slots += use.idle_slots;
    mean.idle_waits += use.idle_waits;
    mean.idle_end += use.idle_end;
  }
  for (double* part :
       {&mean.busy, &mean.transfer, &mean.idle_slots, &mean.idle_waits, &mean.idle_end})
    *part /= std::max(1, count);
  return mean;
}

std::vector<std::string> device_row(const hpo::DeviceUse& use, double seconds) {
  return {use.name,
          std::to_string(use.tasks),
          percent(use.busy, seconds),
          percent(use.transfer, seconds),
          percent(use.idle_slots, seconds),
          percent(use.idle_waits, seconds),
          percent(use.idle_end, seconds)};
}

std::string devices_text(const hpo::SimulationReport& report) {
  Table table({"device", "tasks", "busy", "transfer", "idle: slots", "idle: waits", "idle: end"});
  for (const hpo::DeviceUse& use : report.devices) table.row(device_row(use, report.seconds));
  return table.text();
}

std::string ranking_text(const Reports& reports) {
  Table table({"scheduler", "time", "", "cores busy", "GPUs busy", "GPUs' transfers"});
  for (const hpo::SimulationReport& report : reports) {
    const hpo::DeviceUse cores = mean_use(report, "core"), gpus = mean_use(report, "gpu");
    const double ratio = report.seconds / reports.front().seconds;
    table.row({report.scheduler, short_seconds(report.seconds), rt::cat(short_number(ratio), "x"),
               percent(cores.busy, report.seconds), percent(gpus.busy, report.seconds),
               percent(gpus.transfer, report.seconds)});
  }
  return table.text();
}

std::string border_text(const hpo::SimulationReport& report) {
  if (std::isinf(report.gpu_from)) return "every network on a core";
  if (report.gpu_from <= 0) return "every network on a GPU";
  return rt::cat("networks of ", short_amount(report.gpu_from, "FLOP"),
                 " a step and more on a GPU (resources: {gpus: auto, gpu_from: ",
                 rt::format_double(report.gpu_from), "})");
}

std::string text_of(const std::string& study, const rt::Platform& platform,
                    const Reports& reports) {
  std::string out = rt::cat(study, " on ", platform.name, "\n\n", ranking_text(reports));
  const auto ours = std::ranges::find(reports, "trellis", &hpo::SimulationReport::scheduler);
  const hpo::SimulationReport& shown = ours != reports.end() ? *ours : reports.front();
  out += rt::cat("\n", shown.scheduler, ": ", shown.trials, " trials, ", shown.tasks, " tasks");
  if (ours != reports.end()) out += rt::cat("; ", border_text(shown));
  return rt::cat(out, "\n\n", devices_text(shown));
}

void write_use(hpo::JsonWriter& json, const hpo::DeviceUse& use) {
  json.begin_object().field("device", std::string_view(use.name)).field("tasks", use.tasks);
  json.field("busy", use.busy).field("transfer", use.transfer);
  json.field("idle_slots", use.idle_slots).field("idle_waits", use.idle_waits);
  json.field("idle_end", use.idle_end).end_object();
}

std::string json_of(const std::string& study, const rt::Platform& platform,
                    const Reports& reports) {
  hpo::JsonWriter json;
  json.begin_object().field("study", std::string_view(study));
  json.field("platform", std::string_view(platform.name)).key("schedulers").begin_array();
  for (const hpo::SimulationReport& report : reports) {
    json.begin_object().field("scheduler", std::string_view(report.scheduler));
    json.field("seconds", report.seconds).field("trials", report.trials);
    json.field("tasks", report.tasks).field("moved", report.moved);
    json.key("gpu_from");
    std::isinf(report.gpu_from) ? json.null() : json.value(report.gpu_from);
    json.field("most_memory", report.most_memory).key("devices").begin_array();
    for (const hpo::DeviceUse& use : report.devices) write_use(json, use);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return std::move(json).text();
}

std::vector<const hpo::Scheme*> chosen_schemes(const Arguments& arguments) {
  std::vector<const hpo::Scheme*> chosen;
  for (const std::string& name : arguments.texts("--scheduler"))
    chosen.push_back(&hpo::find_scheme(name));
  if (chosen.empty())
    for (const hpo::Scheme& scheme : hpo::schemes()) chosen.push_back(&scheme);
  return chosen;
}

}  // namespace

void declare_simulate(Arguments& arguments) {
  arguments.positional("FILE", "study file (YAML)");
  arguments.option("--platform", "P", "the machine: a platform file (experiments/platforms)");
  std::string names;
  for (const hpo::Scheme& scheme : hpo::schemes())
    names += rt::cat(names.empty() ? "" : ", ", scheme.name);
  arguments.option("--scheduler", "NAME", rt::cat("only this way to place tasks: ", names),
                   /*repeatable=*/true);
  arguments.flag("--json", "for programs");
}

int run_simulate(const Arguments& arguments) {
  const hpo::StudySpec study = hpo::load_study(arguments.text("FILE"));
  hpo::require_own_trials(study);
  if (study.runs_command)
    throw rt::Error(rt::Errc::study, rt::cat(study.file,
                                             ": its trials run a program, whose cost "
                                             "nobody knows, expected a study of networks"));
  const std::vector<std::string> keys = hpo::real_time_keys(study);
  if (std::ranges::find(keys, "adapt.command") != keys.end())
    throw rt::Error(rt::Errc::study,
                    rt::cat(study.file,
                            ": a program decides about its networks, which would "
                            "be asked about made-up ones, expected another policy"));
  if (!arguments.has("--platform"))
    throw rt::Error(rt::Errc::usage,
                    "--platform is missing, expected a platform file such as "
                    "experiments/platforms/laptop.yaml");
  const rt::Platform platform = hpo::load_platform(arguments.text("--platform"));
  Reports reports;
  for (const hpo::Scheme* scheme : chosen_schemes(arguments))
    reports.push_back(hpo::simulate_apart(study, platform, *scheme));
  std::ranges::stable_sort(reports, {}, &hpo::SimulationReport::seconds);
  print_view(
      arguments, [&] { return json_of(study.name, platform, reports); },
      [&] { return text_of(study.name, platform, reports); });
  return kDone;
}

}  // namespace cli
