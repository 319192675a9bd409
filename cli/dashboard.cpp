#include "cli/dashboard.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "cli/braille.h"
#include "cli/devices.h"
#include "cli/summary.h"
#include "cli/terminal.h"

namespace cli {

namespace {

constexpr int kChartColumns = 60, kChartRows = 3;
constexpr int kBar = 40, kLeastBar = 10;
constexpr std::size_t kLabel = 9;  // "running  "
constexpr std::size_t kRunningLines = 2;
constexpr std::int64_t kFewEnded = 3;  // fewer say nothing about the time left

constexpr std::string_view kGreen = "32", kYellow = "33", kRed = "31", kCyan = "36", kDim = "2";

/// A line, and how soon it is left out where the terminal is low: the highest first.
struct RankedLine {
  int rank = 0;
  std::string text;
};

std::string colored(std::string_view text, std::string_view code, bool colors) {
  return colors ? base::cat("\033[", code, "m", text, "\033[0m") : std::string(text);
}

std::string labelled(std::string_view label, std::string_view text) {
  std::string out(label);
  out.resize(kLabel, ' ');
  return out + std::string(text);
}

std::int64_t ended(const hpo::TrialCounts& counts) {
  return counts.complete + counts.stopped + counts.failed;
}

std::string time_left(const Standing& now) {
  const std::int64_t left = now.trial_limit - ended(now.counts);
  if (now.state != hpo::StudyState::running || now.trial_limit <= 0 || left <= 0 ||
      now.session_ended < kFewEnded || !(now.session_seconds > 0))
    return "";
  const double each = now.session_seconds / static_cast<double>(now.session_ended);
  return base::cat(", about ", short_seconds(each * static_cast<double>(left)), " left");
}

std::string state_words(const Standing& now, bool colors) {
  const std::string_view word = hpo::name_of(now.state);
  const std::string_view code = now.state == hpo::StudyState::running    ? kCyan
                                : now.state == hpo::StudyState::finished ? kGreen
                                : now.state == hpo::StudyState::failed   ? kRed
                                                                         : kYellow;
  std::string out = base::cat(base::printable(now.name, 60), ": ", colored(word, code, colors));
  if (!now.reason.empty()) out += base::cat(", ", base::printable(now.reason, 80));
  out += base::cat(", ", ended(now.counts));
  if (now.trial_limit > 0) out += base::cat(" of ", now.trial_limit);
  return out + base::cat(" trials in ", short_seconds(now.seconds), time_left(now));
}

/// A share of all trials in the bar, and in words behind it.
struct Part {
  std::int64_t trials;
  std::string_view sign, code, word;
};

std::string bar_line(const Standing& now, int width, bool colors) {
  const hpo::TrialCounts& counts = now.counts;
  const std::array<Part, 4> parts{
      Part{counts.complete, "█", kGreen, "complete"}, Part{counts.stopped, "▒", kYellow, "stopped"},
      Part{counts.failed, "×", kRed, "failed"}, Part{counts.running, "▸", kCyan, "running"}};
  std::string words;
  std::size_t words_wide = 0;
  for (const Part& part : parts) {
    const std::string count = base::cat(part.trials, " ", part.word);
    words_wide += count.size() + 2;
    words += "  " + colored(count, part.code, colors);
  }
  if (counts.waiting > 0) words += base::cat("  ", counts.waiting, " waiting");
  const int room = std::clamp(width - static_cast<int>(words_wide), kLeastBar, kBar);
  const std::int64_t all = std::max<std::int64_t>({now.trial_limit, counts.all(), 1});
  std::string bar;
  std::int64_t trials = 0;
  int drawn = 0;
  for (const Part& part : parts) {
    trials += part.trials;
    // Each part ends where its sum does, so that the lengths add up.
    const auto until = static_cast<int>(trials * room / all);
    std::string signs;
    for (; drawn < until; ++drawn) signs += part.sign;
    if (!signs.empty()) bar += colored(signs, part.code, colors);
  }
  std::string rest;
  for (; drawn < room; ++drawn) rest += "·";
  return bar + (rest.empty() ? rest : colored(rest, kDim, colors)) + words;
}

std::string best_line(const Standing& now) {
  if (!now.best || !now.best->value) return labelled("best", "no trial has a value yet");
  return labelled("best",
                  base::cat("trial ", now.best->trial, ": ", base::printable(now.metric, 40), " = ",
                            result_number(*now.best->value), ", ",
                            base::counted(now.since_best, "trial"), " ago"));
}

std::string params_line(const Standing& now) {
  return labelled("params", now.best ? hpo::text_of(now.best->params) : std::string());
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
};

/// Of the numbers that are finite.
Range range_of(const std::vector<double>& values) {
  Range range;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

/// Shares near 1 are told apart by how far they are from it, as the report does.
std::vector<double> turned(std::vector<double> values, bool maximize) {
  const auto [low, high] = range_of(values);
  constexpr double kNearest = 1e-6, kNearOne = 0.8, kFar = 3;
  const bool share = maximize && low >= 0 && high <= 1 && high > kNearOne;
  const bool log = !maximize && low > 0 && high > kFar * low;
  for (double& value : values) {
    if (share) value = -std::log10(std::max(1 - value, kNearest));
    if (log) value = std::log10(value);
  }
  return values;
}

std::vector<std::string> chart_lines(const Standing& now, int width) {
  const auto is_number = [](double value) { return std::isfinite(value); };
  const int columns = std::min(kChartColumns, width - 12);
  if (columns < kLeastBar || std::ranges::none_of(now.best_so_far, is_number))
    return std::vector<std::string>(kChartRows);
  const auto first = std::ranges::find_if(now.best_so_far, is_number);
  const double worst = *first, best = now.best_so_far.back();
  const std::vector<double> values = turned(now.best_so_far, now.maximize);
  const auto [low, high] = range_of(values);
  std::vector<std::string> lines = braille_chart(values, columns, kChartRows, low, high);
  lines.front() += base::cat(" ", short_number(std::max(worst, best)));
  if (worst != best) lines.back() += base::cat(" ", short_number(std::min(worst, best)));
  return lines;
}

std::string words_of(const RunningTrial& one) {
  std::string out = base::cat(one.trial, ": step ", one.step);
  if (one.value) out += base::cat(" ", short_number(*one.value));
  if (one.step > 0 && one.seconds > 0)
    out += base::cat(" ", base::with_digits(static_cast<double>(one.step) / one.seconds, 2), "/s");
  return out;
}

/// As many as fit on so many lines; how many more there are is said.
std::vector<std::string> running_lines(const Standing& now, int width) {
  std::vector<std::string> lines(1, labelled("running", now.running.empty() ? "none" : ""));
  for (std::size_t i = 0; i < now.running.size(); ++i) {
    const std::string words = words_of(now.running[i]);
    const std::size_t left = now.running.size() - i;
    const std::string more = base::cat("   and ", left, " more");
    const bool last_line = lines.size() == kRunningLines;
    const std::size_t room =
        static_cast<std::size_t>(width) - (last_line && left > 1 ? more.size() : 0);
    if (lines.back().size() > kLabel && lines.back().size() + 3 + words.size() > room) {
      if (last_line) {
        lines.back() += more;
        return lines;
      }
      lines.push_back(labelled("", words));
      continue;
    }
    lines.back() += lines.back().size() > kLabel ? "   " + words : words;
  }
  lines.resize(kRunningLines);
  return lines;
}

std::string nodes_line(std::span<const hpo::NodeInfo> nodes) {
  std::int64_t working = 0, lost = 0, workers = 0, lent = 0;
  double busy = 0, whole = 0;
  for (const hpo::NodeInfo& node : nodes) {
    lost += node.state == "lost" ? 1 : 0;
    if (node.state != "working" && node.state != "leaving") continue;
    ++working;
    workers += node.workers;
    lent += node.lent;
    busy += node.busy;
    whole += node.there * static_cast<double>(node.workers);
  }
  const std::string away =
      lost > 0 ? base::cat(", ", lost, lost == 1 ? " is lost" : " are lost") : std::string();
  return base::cat(base::counted(working, "node"), working == 1 ? " works" : " work", away, ": ",
                   base::counted(workers, "worker"), ", ", percent(busy, whole), " busy",
                   lent > 0 ? base::cat(", ", lent, " lent") : "");
}

}  // namespace

std::vector<std::string> dashboard_lines(const Standing& now, int width, int rows, bool colors) {
  std::vector<RankedLine> ranked{{0, state_words(now, colors)},
                                 {1, bar_line(now, width, colors)},
                                 {2, best_line(now)},
                                 {4, params_line(now)}};
  for (std::string& line : chart_lines(now, width)) ranked.push_back({8, std::move(line)});
  std::vector<std::string> running = running_lines(now, width);
  ranked.push_back({5, std::move(running[0])});
  ranked.push_back({9, std::move(running[1])});
  ranked.push_back({6, labelled("devices", now.devices)});
  ranked.push_back({7, labelled("last", base::printable(now.last))});
  ranked.push_back({3, labelled("keys", colored(now.keys, kDim, colors))});
  while (std::cmp_greater(ranked.size(), std::max(rows, 1)))
    ranked.erase(std::ranges::max_element(ranked, {}, &RankedLine::rank));
  std::vector<std::string> lines;
  for (const RankedLine& line : ranked) lines.push_back(clip(line.text, width));
  return lines;
}

std::string devices_line(std::span<const hpo::WorkerInfo> workers,
                         std::span<const hpo::NodeInfo> nodes, bool programs) {
  if (!nodes.empty()) return nodes_line(nodes);
  if (programs) return "its trials run as programs";
  std::string out;
  for (const std::string_view kind : {"cpu", "cuda"}) {
    const auto count = std::ranges::count_if(
        workers, [&](const hpo::WorkerInfo& worker) { return worker.name.starts_with(kind); });
    if (count == 0) continue;
    const hpo::WorkerInfo mean = mean_of(workers, kind);
    out += base::cat(out.empty() ? "" : "; ",
                     base::counted(count, kind == "cpu" ? "core" : "GPU worker"), ", ",
                     percent(mean.busy, mean.busy + mean.moving + mean.waiting), " busy");
  }
  return out.empty() ? "nothing is known yet" : out;
}

std::string ended_line(const hpo::TrialRow& trial, bool programs) {
  std::string out = base::cat("trial ", trial.trial, " ", hpo::name_of(trial.state));
  if (trial.state == hpo::TrialState::complete)
    out = base::cat("trial ", trial.trial, " is complete");
  if (trial.state == hpo::TrialState::failed)
    return base::cat(out, " (", hpo::name_of(trial.cause), ")", trial.message.empty() ? "" : ": ",
                     base::printable(trial.message));
  out += base::cat(" after ", text_length(programs, trial.epochs));
  return trial.value ? base::cat(out, ": ", short_number(*trial.value)) : out;
}

void BestSeries::add(const hpo::TrialRow& ended) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool complete = ended.state == hpo::TrialState::complete;
  const bool counts = ended.state != hpo::TrialState::failed && ended.value &&
                      std::isfinite(*ended.value) && objective_.violation(ended.metrics) <= 0;
  const auto append = [&](std::vector<double>& series, bool is_in) {
    const double before = series.empty() ? kNone : series.back();
    const bool better = is_in && (std::isnan(before) || objective_.better(*ended.value, before));
    series.push_back(better ? *ended.value : before);
  };
  append(of_complete_, counts && complete);
  append(of_all_, counts);
  any_complete_ = any_complete_ || (counts && complete);
}

}  // namespace cli
