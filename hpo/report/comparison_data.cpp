#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/text.h"
#include "hpo/report/data_element.h"
#include "hpo/report/pack.h"
#include "hpo/report/page_data.h"
#include "hpo/report/text.h"

namespace hpo::report {

namespace {

/// The best so far after each trial of one study that ended with a value, and what that took.
struct Course {
  std::vector<std::int64_t> trials;
  std::vector<double> epochs, seconds, best;
};

Course course_of(const Gathered& study) {
  Course course;
  double epochs = 0, seconds = 0;
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const TrialRow& row : study.trials) {
    epochs += static_cast<double>(row.epochs);
    seconds += row.seconds;
    if (!row.value || row.state != TrialState::complete) continue;
    if (study.objective.violation(row.metrics) > 0) continue;
    if (std::isnan(best) || study.objective.better(*row.value, best)) best = *row.value;
    course.trials.push_back(static_cast<std::int64_t>(row.trial) + 1);
    course.epochs.push_back(epochs);
    course.seconds.push_back(seconds);
    course.best.push_back(best);
  }
  return course;
}

/// Values of complete trials, ascending.
std::vector<double> values_of(const Gathered& study) {
  std::vector<double> values;
  for (const TrialRow& row : study.trials)
    if (row.state == TrialState::complete && row.value && !std::isnan(*row.value))
      values.push_back(*row.value);
  std::ranges::sort(values);
  return values;
}

}  // namespace

std::string comparison_data(const std::vector<Gathered>& studies) {
  Pack pack;
  std::string names;
  std::size_t number = 0;
  for (const Gathered& study : studies) {
    const Course course = course_of(study);
    names += base::cat(names.empty() ? "" : ",", script_text(study.info.name));
    pack.whole(base::cat("trials", number), course.trials);
    pack.floats(base::cat("epochs", number), course.epochs);
    pack.floats(base::cat("seconds", number), course.seconds);
    pack.floats(base::cat("best", number), course.best);
    pack.floats(base::cat("values", number), values_of(study));
    ++number;
  }
  const Gathered& first = studies.front();
  const std::string json = base::cat(
      "{\"studies\":[", names, "],\"metric\":", script_text(first.info.metric),
      ",\"maximize\":", first.info.maximize ? "1" : "0", ",\"unit\":\"", first.unit(), "\"}");
  return data_element("page", json) + columns_element("trial", pack);
}

}  // namespace hpo::report
