// What it cost, and how busy the devices were.

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/words.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

/// Rows of the table of devices; many cores are alike.
constexpr std::size_t kDeviceRows = 16;
/// Shares of idleness below which a cause has no column.
constexpr double kLeastShown = 0.005;

double whole_of(const WorkerInfo& worker) { return worker.busy + worker.moving + worker.waiting; }

std::string device_name(const WorkerInfo& worker) {
  constexpr std::string_view kCuda = "cuda", kCpu = "cpu";
  if (worker.name.starts_with(kCuda))
    return base::cat("gpu", worker.name.substr(kCuda.size()),
                     worker.gpu >= 0 ? base::cat(" on GPU ", worker.gpu) : std::string());
  if (worker.name.starts_with(kCpu)) return base::cat("core", worker.name.substr(kCpu.size()));
  return worker.name;
}

double busy_share(const Gathered& study) {
  double busy = 0, whole = 0;
  for (const WorkerInfo& worker : study.workers) {
    busy += worker.busy;
    whole += whole_of(worker);
  }
  return whole > 0 ? busy / whole : 0;
}

std::string cost_heading(const Gathered& study) {
  const std::string trials = base::counted(study.counts.all(), "trial");
  if (!study.has_times) return base::cat(trials, " in numbers.");
  if (study.info.active_seconds <= 0) return base::cat(trials, " ran for an unknown time.");
  std::string out = base::cat(trials, " took ", base::format_seconds(study.info.active_seconds));
  if (!study.nodes.empty())
    return base::cat(out, " on ", base::counted(study.nodes.size(), "node"), ".");
  if (study.info.programs) {
    double ran = 0;
    for (const TrialRow& row : study.trials) ran += row.seconds;
    return base::cat(out, "; their programs ran for ", base::format_seconds(ran), " in all, ",
                     base::with_digits(ran / study.info.active_seconds, 2),
                     " at a time on average.");
  }
  if (study.workers.empty()) return out + ".";
  return base::cat(out, " on ", base::counted(study.workers.size(), "device"), ", ",
                   percent_of(busy_share(study), 1), " busy.");
}

/// Work by how trials ended.
std::string work_table(const Gathered& study) {
  struct Work {
    std::string name;
    std::int64_t trials = 0, epochs = 0;
    double flops = 0, seconds = 0;
  };
  std::vector<Work> rows{
      {.name = "complete"}, {.name = "stopped"}, {.name = "failed"}, {.name = "not ended"}};
  double all_flops = 0, all_seconds = 0;
  for (const TrialRow& row : study.trials) {
    Work& work = rows[row.state == TrialState::complete  ? 0
                      : row.state == TrialState::stopped ? 1
                      : row.state == TrialState::failed  ? 2
                                                         : 3];
    ++work.trials;
    work.epochs += row.epochs;
    work.flops += row.train_flops;
    work.seconds += row.seconds;
    all_flops += row.train_flops;
    all_seconds += row.seconds;
  }
  std::vector<Cell> head{"trials", "", all_flops > 0 ? "of all work" : "of all time", "number",
                         study.unit() + "s"};
  if (all_flops > 0) head.emplace_back("training");
  if (study.has_times) head.emplace_back("time of tasks");
  Table table(std::move(head), 2);
  for (const Work& work : rows) {
    if (work.trials == 0) continue;
    const double share = all_flops > 0     ? work.flops / all_flops
                         : all_seconds > 0 ? work.seconds / all_seconds
                                           : 0;
    std::vector<Cell> cells{work.name, Cell::of_html(bar({{"data", share}})), percent_of(share, 1),
                            std::to_string(work.trials), std::to_string(work.epochs)};
    if (all_flops > 0) cells.emplace_back(flops(work.flops));
    if (study.has_times) cells.emplace_back(base::format_seconds(work.seconds));
    table.row(cells);
  }
  return table.html();
}

std::vector<std::string> savings(const Gathered& study) {
  std::vector<std::string> lines;
  std::int64_t run = 0, longest = 0;
  for (const TrialRow& row : study.trials) {
    if (row.state == TrialState::failed) continue;
    run += row.epochs;
    if (row.state == TrialState::complete) longest = std::max(longest, row.epochs);
  }
  const std::int64_t asked = longest * (study.counts.complete + study.counts.stopped);
  if (study.counts.stopped > 0 && asked > run)
    lines.push_back(
        base::cat("Early stopping saved ",
                  percent_of(static_cast<double>(asked - run), static_cast<double>(asked)),
                  " of the ", study.unit(), "s: ", run, " of ", asked, " were run."));
  const std::int64_t shared = study.work.epochs - study.work.distinct_epochs;
  if (shared > 0 && !study.info.programs)
    lines.push_back(base::cat(shared, " of ", study.work.epochs,
                              " epochs were trained once for several trials that begin alike."));
  return lines;
}

std::string devices_table(const Gathered& study) {
  if (study.workers.empty()) return "";
  std::vector<std::size_t> causes;
  for (std::size_t i = 0; i < study.workers.front().idle.size(); ++i) {
    const bool shows = std::ranges::any_of(study.workers, [&](const WorkerInfo& worker) {
      return i < worker.idle.size() && worker.idle[i].second > kLeastShown * whole_of(worker);
    });
    if (shows) causes.push_back(i);
  }
  std::vector<Cell> head{"device", "", "tasks", "busy", "transfer"};
  for (const std::size_t cause : causes)
    head.emplace_back("idle: " + study.workers.front().idle[cause].first);
  Table table(std::move(head), 2);
  const std::size_t rows = std::min(kDeviceRows, study.workers.size());
  for (std::size_t k = 0; k < rows; ++k) {
    const WorkerInfo& worker = study.workers[k];
    const double whole = whole_of(worker);
    std::vector<std::pair<std::string, double>> shares{
        {"busy", whole > 0 ? worker.busy / whole : 0},
        {"moving", whole > 0 ? worker.moving / whole : 0}};
    std::vector<Cell> cells{device_name(worker), "", std::to_string(worker.tasks),
                            percent_of(worker.busy, whole), percent_of(worker.moving, whole)};
    for (const std::size_t cause : causes)
      cells.emplace_back(
          percent_of(cause < worker.idle.size() ? worker.idle[cause].second : 0, whole));
    cells[1] = Cell::of_html(bar(shares));
    table.row(cells);
  }
  std::string out = table.html();
  if (study.workers.size() > rows)
    out += paragraph(base::cat("and ", study.workers.size() - rows, " more"));
  return base::cat("<h3>Devices in the last session</h3>\n", out);
}

std::string nodes_table(const Gathered& study) {
  if (study.nodes.empty()) return "";
  Table table({"node", "state", "workers", "GPUs", "tasks done", "busy", "from it", "to it"}, 2);
  for (std::size_t i = 0; i < study.nodes.size(); ++i) {
    const NodeInfo& node = study.nodes[i];
    // A name that is not shown would make all nodes one.
    const std::string shown = study.hidden(node.node);
    table.row({shown == node.node ? shown : base::cat("node ", i + 1), node.state,
               std::to_string(node.workers), std::to_string(node.gpus), std::to_string(node.done),
               percent_of(node.busy, node.there * static_cast<double>(node.workers)),
               base::format_bytes(static_cast<std::uint64_t>(node.bytes_in)),
               base::format_bytes(static_cast<std::uint64_t>(node.bytes_out))});
  }
  return base::cat("<h3>Nodes in the last session</h3>\n", table.html());
}

}  // namespace

std::optional<Section> cost_section(const Gathered& study) {
  if (study.trials.empty()) return std::nullopt;
  Section section{.id = "cost", .title = "Cost", .heading = cost_heading(study)};
  section.body = work_table(study) + list(savings(study));
  const bool spans = std::ranges::any_of(
      study.spans, [](const TrialSpan& span) { return span.began > 0 && span.ended > span.began; });
  if (spans) section.body += picture("timeline", "When each trial ran, and how it ended.");
  // What a program does is not seen from here: devices would look idle.
  if (!study.info.programs) section.body += devices_table(study);
  if (!study.use.empty() && !study.info.programs)
    section.body += picture("devices", "The share of time that each device was busy, over time.");
  section.body += nodes_table(study);
  return section;
}

}  // namespace hpo::report
