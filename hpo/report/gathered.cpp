#include "hpo/report/gathered.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hpo/importance/of_study.h"
#include "hpo/log/trial_place.h"
#include "hpo/report/parameter_columns.h"
#include "hpo/report/text.h"
#include "hpo/study/spec.h"

namespace hpo::report {

namespace {

constexpr std::uint64_t kLongestLog = 16'000'000;  // bytes; of a longer one no lines are shown
constexpr std::size_t kLogLines = 6;
/// Where sweeps write unless they are told.
constexpr const char* kUsualFolder = "runs";
/// Messages of failed trials that are shown; the others of a cause stand together.
constexpr std::size_t kMessages = 8;
constexpr const char* kOtherMessages = "other messages";

Curves curves_of(const ReportColumns& reports, std::size_t trials) {
  Curves curves{.first = std::vector<std::size_t>(trials + 1), .step = {}, .value = {}};
  for (const std::uint64_t trial : reports.trial)
    if (trial < trials) ++curves.first[trial + 1];
  for (std::size_t i = 0; i < trials; ++i) curves.first[i + 1] += curves.first[i];
  std::vector<std::size_t> next(curves.first.begin(), curves.first.end() - 1);
  curves.step.resize(curves.first.back());
  curves.value.resize(curves.first.back());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (reports.trial[i] >= trials) continue;
    const std::size_t at = next[reports.trial[i]]++;
    curves.step[at] = reports.step[i];
    curves.value[at] = reports.value[i];
  }
  return curves;
}

/// Best first: what can be the best, then what has a number, then the others by number.
std::vector<std::size_t> ranking_of(const Gathered& study) {
  const auto group = [&](const TrialRow& row) {
    if (study.best && row.trial == study.best->trial) return 0;
    return can_be_best(row) ? 1 : can_lead(row) ? 2 : row.state != TrialState::failed ? 3 : 4;
  };
  std::vector<std::size_t> order(study.trials.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const TrialRow &x = study.trials[a], &y = study.trials[b];
    const int of_x = group(x), of_y = group(y);
    if (of_x != of_y) return of_x < of_y;
    if (of_x == 1) return is_better_trial(x, y, study.objective);
    return of_x == 2 && leads(x, y, study.objective);
  });
  return order;
}

/// The best tenth, by which importances are told.
std::vector<bool> best_tenth_of(const Gathered& study) {
  std::vector<std::size_t> places;
  std::vector<RankedTrial> outcomes;
  for (std::size_t i = 0; i < study.trials.size(); ++i) {
    if (auto outcome = outcome_of(study.trials[i], study.objective)) {
      places.push_back(i);
      outcomes.push_back(std::move(*outcome));
    }
  }
  std::vector<bool> all(study.trials.size());
  if (outcomes.size() < kFewestOutcomes) return all;
  const std::vector<bool> best = best_tenth(outcomes);
  for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = best[i];
  return all;
}

std::vector<std::string> last_lines(const base::Path& file) {
  std::vector<std::string> lines;
  try {
    const std::string text = base::read_file(file, kLongestLog);
    std::size_t end = text.size();
    while (end > 0 && lines.size() < kLogLines) {
      const std::size_t line = text.rfind('\n', end - 1);
      const std::size_t from = line == std::string::npos ? 0 : line + 1;
      if (from < end) lines.push_back(text.substr(from, end - from));
      end = line == std::string::npos ? 0 : line;
    }
  } catch (const base::Error&) {
    return {};  // a log that is gone, or too long
  }
  std::ranges::reverse(lines);
  return lines;
}

/// runs/NAME/trials/0007/log
base::Path log_of(const base::Path& folder, std::uint64_t trial) {
  return folder / trial_folder_name(trial) / "log";
}

/// The message with # for each number: those of one fault often differ in numbers alone. How a
/// program ended is told by a number, which stays.
std::string fault_of(std::string_view message) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string fault;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool begins =
        is_digit(message[i]) && !fault.ends_with("status ") && !fault.ends_with("signal ");
    if (!begins) {
      fault += message[i];
      continue;
    }
    fault += '#';
    while (i + 1 < message.size() &&
           (is_digit(message[i + 1]) ||
            (message[i + 1] == '.' && i + 2 < message.size() && is_digit(message[i + 2]))))
      ++i;
  }
  return fault;
}

/// What failed in the same way. Of many ways those beyond the first few stand together by cause.
std::vector<Failures> failures_of(const Gathered& study, const base::Path& folder) {
  std::map<std::pair<Cause, std::string>, Failures> by_message;
  for (const TrialRow& row : study.trials) {
    if (row.state != TrialState::failed) continue;
    std::pair<Cause, std::string> key(row.cause, fault_of(study.hidden(row.message)));
    const bool is_other = by_message.size() >= kMessages && !by_message.contains(key);
    if (is_other) key.second = kOtherMessages;
    Failures& one = by_message[key];
    constexpr std::size_t kNumbers = 12;
    if (one.trials < kNumbers) one.numbers += base::cat(one.trials > 0 ? ", " : "", row.trial);
    if (one.trials == kNumbers) one.numbers += ", …";
    if (one.trials++ > 0) continue;
    one.cause = row.cause;
    one.first = row.trial;
    one.message = is_other ? kOtherMessages : study.hidden(row.message);
    if (is_other || !study.info.programs || study.info.asked) continue;
    for (const std::string& line : last_lines(log_of(folder, row.trial)))
      one.lines.push_back(study.hidden(line));
  }
  std::vector<Failures> failures;
  for (auto& [key, one] : by_message) failures.push_back(std::move(one));
  std::ranges::stable_sort(failures, std::ranges::greater{}, &Failures::trials);
  return failures;
}

/// A study whose file cannot be read any more is shown with what its trials tell.
Space readable_space(const std::string& resolved) {
  try {
    return space_of_resolved(resolved, "study.yaml");
  } catch (const base::Error&) {
    return Space();
  }
}

std::vector<std::string> hosts_of(const Gathered& study) {
  std::vector<std::string> hosts;
  for (const Turn& turn : study.turns)
    if (const auto* opened = std::get_if<Opened>(&turn.body)) hosts.push_back(opened->host);
  for (const NodeInfo& node : study.nodes) hosts.push_back(node.node);
  return hosts;
}

/// What clocks and machines say, which no result has.
void forget_times(Gathered& study) {
  for (TrialRow& row : study.trials) row.seconds = 0;
  if (study.best) study.best->seconds = 0;
  study.spans.assign(study.trials.size(), {});
  for (Turn& turn : study.turns) turn.at = 0;
  std::erase_if(study.turns,
                [](const Turn& turn) { return std::holds_alternative<Opened>(turn.body); });
  study.workers.clear();
  study.nodes.clear();
  study.use.clear();
  study.info.active_seconds = 0;
  study.info.created.clear();
  study.work = {};
  study.has_times = false;
}

}  // namespace

std::string Gathered::label(const ParamValue& value) const {
  const auto real = number_of(value);
  if (real && !std::holds_alternative<std::int64_t>(value)) return number(*real);
  return hidden(plain_text_of(value));
}

std::vector<Failures> Gathered::causes() const {
  std::vector<Failures> all;
  for (const Failures& one : failures) {
    const auto same = std::ranges::find(all, one.cause, &Failures::cause);
    if (same == all.end()) {
      all.push_back(one);
    } else {
      same->trials += one.trials;
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Failures::trials);
  return all;
}

std::string Gathered::command_on_file(std::string_view verb) const {
  return base::cat("trellis ", verb, " ", folder, "/", visible(info.name), "/study.yaml",
                   dir_option());
}

std::string Gathered::dir_option() const {
  return folder == kUsualFolder ? "" : " --dir " + folder;
}

std::string Gathered::note_on_folder() const {
  return folder == kUsualFolder ? "" : "DIR is the folder that has the study's folder.";
}

Gathered gather(const StudyReader& study, const ReportOptions& options) {
  Gathered all{.info = study.info(),
               .counts = study.counts(),
               .objective = study.objective(),
               .trials = study.trials(),
               .best = study.best(),
               .baselines = study.baselines(),
               .work = study.work(),
               .workers = study.workers(),
               .nodes = study.nodes(),
               .use = study.device_use(),
               .spans = study.spans(),
               .turns = study.turns(),
               .resolved = study.resolved()};
  // A driver may have made more trials meanwhile.
  all.spans.resize(all.trials.size());
  if (all.best && all.best->trial >= all.trials.size()) all.best.reset();
  all.curves = curves_of(study.reports(), all.trials.size());
  if (all.best) {
    all.verdict = study.verdict(all.best->trial);
    all.intervals = study.intervals(all.best->trial);
  }
  for (const Turn& turn : all.turns) {
    const auto* exported = std::get_if<Exported>(&turn.body);
    if (exported == nullptr || !all.best || turn.trial != all.best->trial) continue;
    all.confusion = exported->confusion;
    all.model = exported->file;
  }
  const bool usual = study.folder().parent_path().filename() == kUsualFolder;
  all.folder = usual ? kUsualFolder : "DIR";
  if (!options.with_paths) all.places = Places(hosts_of(all), all.resolved);
  if (!all.objective.others.empty()) all.front = front_of(all.trials, all.objective);
  all.space = readable_space(all.resolved);
  all.ranking = ranking_of(all);
  all.best_tenth = best_tenth_of(all);
  all.outcomes = static_cast<std::size_t>(std::ranges::count_if(
      all.trials, [&](const TrialRow& row) { return outcome_of(row, all.objective).has_value(); }));
  all.parameters = parameter_columns(all, study.parameter_names());
  all.failures = failures_of(all, study.folder());
  if (!options.with_times) forget_times(all);
  return all;
}

}  // namespace hpo::report
