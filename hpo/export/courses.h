#pragma once
// How each trial went, as other tools keep it: a list of reports with their moments.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hpo/log/study_reader.h"

namespace hpo {

/// One report of a trial. Moments are wall clock, microseconds since 1970, to a second.
struct CourseReport {
  std::int64_t at = 0;
  std::int64_t step = 0;
  double value = 0;  ///< the objective
  Metrics metrics;   ///< the objective too, under its name
};

/// One trial.
struct Course {
  std::int64_t began = 0;             ///< when the trial was created
  std::int64_t ended = 0;             ///< 0: it has not ended
  std::vector<CourseReport> reports;  ///< by ascending step, each step once
};

/// Returns the report that counts of each step, by ascending step: that of the last attempt, and in
/// it the first one. A value that was told at the end follows it there. In a study whose trials are
/// run by others (`asked`) the value told at the same moment as the end is no report.
[[nodiscard]] std::vector<const EventRow*> counted_reports(std::span<const EventRow> of_trial,
                                                           bool asked);

/// One number of a curve, as other tools keep it.
struct CoursePoint {
  std::int64_t at = 0;
  std::int64_t step = 0;
  std::string name;
  double value = 0;
};

/// Returns the numbers that a trial reported. Those that are there first never change when the
/// study goes on.
[[nodiscard]] std::vector<CoursePoint> reported_points(const Course& course);

/// Returns the numbers that came with or after the end of a trial, and that it had not reported,
/// such as scores of the test part.
[[nodiscard]] std::vector<CoursePoint> points_after_end(const TrialRow& trial,
                                                        const Course& course);

/// Returns the course of each trial, by its number.
[[nodiscard]] std::vector<Course> courses_of(const StudyReader& study);

}  // namespace hpo
