#include "cli/devices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "cli/terminal.h"

namespace cli {

namespace {

using Workers = std::vector<hpo::WorkerInfo>;

constexpr std::string_view kCpu = "cpu", kCuda = "cuda";

double whole_of(const hpo::WorkerInfo& worker) {
  return worker.busy + worker.moving + worker.waiting;
}

/// "cuda 0" is "gpu 0" to people, "cpu 0" is "core 0".
std::string shown_name(const std::string& name) {
  const std::string_view kind = name.starts_with(kCuda) ? kCuda : kCpu;
  return base::cat(kind == kCuda ? "gpu" : "core", name.substr(kind.size()));
}

/// A GPU, from its worker or the several that share it. A log of an older build does not say which
/// GPU a worker is of: there each is shown as one.
hpo::WorkerInfo gpu_of(std::span<const hpo::WorkerInfo> workers, const hpo::WorkerInfo& first) {
  Workers sharers{first};
  for (const hpo::WorkerInfo& worker : workers) {
    if (worker.gpu >= 0 && worker.gpu == first.gpu && worker.name != first.name)
      sharers.push_back(worker);
  }
  hpo::WorkerInfo gpu = mean_of(sharers, kCuda);
  gpu.name = first.gpu >= 0 ? base::cat("gpu ", first.gpu) : shown_name(first.name);
  if (sharers.size() > 1) gpu.name += base::cat(", ", sharers.size(), " at once");
  return gpu;
}

Workers rows_of(std::span<const hpo::WorkerInfo> workers, Cores cores) {
  Workers rows;
  std::set<std::int64_t> gpus;
  const auto count = std::ranges::count_if(
      workers, [](const hpo::WorkerInfo& worker) { return worker.name.starts_with(kCpu); });
  const bool together = cores == Cores::together && count > 1;
  if (together) {
    rows.push_back(mean_of(workers, kCpu));
    rows.back().name = base::cat(count, " cores");
  }
  for (const hpo::WorkerInfo& worker : workers) {
    if (together && worker.name.starts_with(kCpu)) continue;
    if (worker.name.starts_with(kCuda)) {
      if (worker.gpu < 0 || gpus.insert(worker.gpu).second) rows.push_back(gpu_of(workers, worker));
      continue;
    }
    rows.push_back(worker);
    rows.back().name = shown_name(worker.name);
  }
  return rows;
}

/// Places in `idle` of causes with a share that is not rounded to nothing.
std::vector<std::size_t> causes_of(const Workers& rows) {
  constexpr double kLeast = 0.005;
  std::vector<std::size_t> causes;
  for (std::size_t i = 0; i < rows.front().idle.size(); ++i) {
    const bool shows = std::ranges::any_of(rows, [i](const hpo::WorkerInfo& row) {
      return row.idle[i].second >= kLeast * whole_of(row) && row.idle[i].second > 0;
    });
    if (shows) causes.push_back(i);
  }
  return causes;
}

}  // namespace

std::string percent(double part, double whole) {
  return base::cat(std::lround(whole > 0 ? 100 * part / whole : 0), "%");
}

hpo::WorkerInfo mean_of(std::span<const hpo::WorkerInfo> workers, std::string_view kind) {
  hpo::WorkerInfo mean{.name = std::string(kind), .idle = {}};
  double count = 0;
  for (const hpo::WorkerInfo& worker : workers) {
    if (!worker.name.starts_with(kind)) continue;
    ++count;
    mean.tasks += worker.tasks;
    mean.busy += worker.busy;
    mean.waiting += worker.waiting;
    mean.moving += worker.moving;
    mean.idle.resize(worker.idle.size());
    for (std::size_t i = 0; i < mean.idle.size(); ++i) {
      mean.idle[i].first = worker.idle[i].first;
      mean.idle[i].second += worker.idle[i].second;
    }
  }
  if (count == 0) return mean;
  for (double* part : {&mean.busy, &mean.waiting, &mean.moving}) *part /= count;
  for (auto& [cause, seconds] : mean.idle) seconds /= count;
  return mean;
}

std::string devices_text(std::span<const hpo::WorkerInfo> workers, Cores cores) {
  if (workers.empty()) return "";
  const Workers rows = rows_of(workers, cores);
  const std::vector<std::size_t> causes = causes_of(rows);
  std::vector<std::string> header{"device", "tasks", "busy", "transfer"};
  for (const std::size_t cause : causes)
    header.push_back("idle: " + rows.front().idle[cause].first);
  Table table(std::move(header));
  for (const hpo::WorkerInfo& row : rows) {
    const double whole = whole_of(row);
    std::vector<std::string> cells{row.name, std::to_string(row.tasks), percent(row.busy, whole),
                                   percent(row.moving, whole)};
    for (const std::size_t cause : causes) cells.push_back(percent(row.idle[cause].second, whole));
    table.row(std::move(cells));
  }
  return table.text();
}

std::string nodes_text(std::span<const hpo::NodeInfo> nodes) {
  if (nodes.empty()) return "";
  Table table({"node", "state", "workers", "gpus", "parcels", "tasks done", "busy", "from it",
               "to it", "heard"},
              2);
  for (const hpo::NodeInfo& node : nodes)
    table.row({node.node, node.state,
               base::cat(node.workers, node.lent > 0 ? base::cat(", ", node.lent, " lent") : ""),
               std::to_string(node.gpus), std::to_string(node.parcels), std::to_string(node.done),
               percent(node.busy, node.there * static_cast<double>(node.workers)),
               base::format_bytes(static_cast<std::uint64_t>(node.bytes_in)),
               base::format_bytes(static_cast<std::uint64_t>(node.bytes_out)),
               node.state == "left" ? "-" : short_seconds(node.heard) + " ago"});
  return table.text();
}

std::string lent_text(const hpo::WorkCounters& work) {
  if (work.visitors == 0) return "";
  return base::cat("lent: idle workers joined trainings ", base::counted(work.visitors, "time"),
                   " and computed for ", short_seconds(work.visitor_seconds), "\n");
}

}  // namespace cli
