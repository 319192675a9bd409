#include "hpo/export/courses.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "hpo/log/metrics.h"

namespace hpo {

namespace {

/// Rows of the log are shown with whole seconds.
std::int64_t micros_of(const EventRow& event) {
  return base::wall_seconds(event.wall).value_or(0) * 1'000'000;
}

/// Returns the event that ended the last attempt, null while that one runs. Others may follow it,
/// such as the scores of an exported network.
const EventRow* last_end(std::span<const EventRow> of_trial) {
  const EventRow* end = nullptr;
  for (const EventRow& event : of_trial) {
    if (event.kind == "ended") end = &event;
    if (event.kind == "retried" || event.kind == "reopened") end = nullptr;
  }
  return end;
}

Course course_of(std::span<const EventRow> events, const StudyInfo& info) {
  Course course;
  if (events.empty()) return course;
  course.began = micros_of(events.front());
  if (const EventRow* end = last_end(events)) course.ended = micros_of(*end);
  for (const EventRow* event : counted_reports(events, info.asked)) {
    const auto& report = std::get<Reported>(event->body);
    Metrics metrics = report.metrics;
    if (find_metric(metrics, info.metric) == nullptr)
      metrics.emplace(metrics.begin(), info.metric, report.value);
    course.reports.push_back({micros_of(*event), report.step, report.value, std::move(metrics)});
  }
  return course;
}

}  // namespace

std::vector<const EventRow*> counted_reports(std::span<const EventRow> of_trial, bool asked) {
  std::map<std::int64_t, const EventRow*> by_step;
  std::set<std::int64_t> seen;  // in this attempt
  const EventRow* const end = last_end(of_trial);
  for (const EventRow& event : of_trial) {
    if (event.kind == "retried" || event.kind == "reopened") seen.clear();
    if (event.kind != "reported") continue;
    if (asked && end != nullptr && end->vtime == event.vtime) continue;
    const std::int64_t step = std::get<Reported>(event.body).step;
    if (seen.insert(step).second) by_step[step] = &event;
  }
  std::vector<const EventRow*> reports;
  for (const auto& [step, event] : by_step) reports.push_back(event);
  return reports;
}

std::vector<CoursePoint> reported_points(const Course& course) {
  std::vector<CoursePoint> points;
  for (const CourseReport& report : course.reports)
    for (const auto& [name, value] : report.metrics)
      points.push_back({report.at, report.step, name, value});
  return points;
}

std::vector<CoursePoint> points_after_end(const TrialRow& trial, const Course& course) {
  const auto was_reported = [&](const std::string& name) {
    return std::ranges::any_of(course.reports, [&](const CourseReport& report) {
      return find_metric(report.metrics, name) != nullptr;
    });
  };
  std::vector<CoursePoint> points;
  for (const auto& [name, value] : trial.metrics)
    if (!was_reported(name)) points.push_back({course.ended, trial.step, name, value});
  return points;
}

std::vector<Course> courses_of(const StudyReader& study) {
  const StudyInfo info = study.info();
  std::vector<std::vector<EventRow>> of_trials;
  for (EventRow& event : study.events()) {
    if (!event.trial) continue;
    if (*event.trial >= of_trials.size()) of_trials.resize(*event.trial + 1);
    of_trials[*event.trial].push_back(std::move(event));
  }
  std::vector<Course> courses;
  courses.reserve(of_trials.size());
  for (const auto& of_trial : of_trials) courses.push_back(course_of(of_trial, info));
  return courses;
}

}  // namespace hpo
