// Measuring: repetitions, medians, and the same work on several threads at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Median and spread of repeated measurements.
struct Sample {
  double median = 0;
  double spread = 0;  ///< (largest - smallest) / median
};

[[nodiscard]] Sample sample_of(std::vector<double> values);

/// The words of a list with commas between.
[[nodiscard]] std::vector<std::string> words_of(std::string_view list);

/// Places in `known` of the names in such a list, in its order; all of them where it is empty.
/// Throws base::Error (usage) for another name, which `before` and `after` stand around.
[[nodiscard]] std::vector<std::size_t> places_of(std::string_view list,
                                                 std::span<const std::string> known,
                                                 std::string_view before,
                                                 std::string_view after = "");

/// Mean of measurements and its standard error; the error of a single one is 0.
struct MeanError {
  double mean = 0, standard_error = 0;
};

[[nodiscard]] MeanError mean_error(std::span<const double> values);

/// A long benchmark says on a terminal how far it is, in place of what it said before; elsewhere it
/// is quiet. Empty at the end.
void show_progress(const std::string& text);

/// Measures `repetitions` times, after one measurement that is thrown away.
[[nodiscard]] Sample repeat(int repetitions, const std::function<double()>& measure);

/// Runs work(thread) on `threads` threads that start together, each over and over until `seconds`
/// have passed, and returns how many units of work a second were done by all. `work` returns the
/// units of one call.
[[nodiscard]] double rate(int threads, double seconds,
                          const std::function<double(int thread)>& work);

/// Cores this process may use.
[[nodiscard]] int cores();

/// `chosen`, or all cores when it is 0.
[[nodiscard]] int workers_or_cores(int chosen);

/// Bytes of memory that the process holds now (resident set).
[[nodiscard]] double resident_bytes();

}  // namespace bench
