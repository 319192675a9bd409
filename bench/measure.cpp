#include "bench/measure.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/words.h"

namespace bench {

Sample sample_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double median = (values[(n - 1) / 2] + values[n / 2]) / 2;
  return {median, median != 0 ? (values.back() - values.front()) / median : 0};
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  std::istringstream stream{std::string(list)};
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::vector<std::size_t> places_of(std::string_view list, std::span<const std::string> known,
                                   std::string_view before, std::string_view after) {
  std::vector<std::size_t> places;
  if (list.empty()) {
    places.resize(known.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
  }
  for (const std::string& word : words_of(list)) {
    const auto at = std::ranges::find(known, word);
    if (at == known.end())
      throw base::Error(base::Errc::usage, base::cat(before, base::printable(word), after,
                                                     base::expected_one_of(known, word)));
    places.push_back(static_cast<std::size_t>(at - known.begin()));
  }
  return places;
}

MeanError mean_error(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (double v : values) sum += v;
  for (double v : values) squares += (v - sum / n) * (v - sum / n);
  return {sum / n, values.size() < 2 ? 0 : std::sqrt(squares / (n - 1) / n)};
}

void show_progress(const std::string& text) {
  if (::isatty(STDERR_FILENO) != 1) return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

Sample repeat(int repetitions, const std::function<double()>& measure) {
  measure();
  std::vector<double> values;
  for (int i = 0; i < repetitions; ++i) values.push_back(measure());
  return sample_of(std::move(values));
}

double rate(int threads, double seconds, const std::function<double(int)>& work) {
  std::barrier start(threads);
  std::vector<double> rates(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i) {
      all.emplace_back([&, i] {
        start.arrive_and_wait();
        const base::Moment begin = base::now();
        double done = 0, elapsed = 0;
        do {
          done += work(i);
          elapsed = base::seconds_since(begin);
        } while (elapsed < seconds);
        rates[static_cast<std::size_t>(i)] = done / elapsed;
      });
    }
  }
  double sum = 0;
  for (const double r : rates) sum += r;
  return sum;
}

int cores() { return base::usable_cores(); }

int workers_or_cores(int chosen) { return chosen > 0 ? chosen : cores(); }

double resident_bytes() {
  long total = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace bench
