// A driver that runs no trials: it makes a study and lets it grow as it is told.
//
//   grow-study FOLDER TRIALS [STEPS]
//
// First the study has so many trials, of as many reports each. Then each line of standard input,
// `trials N`, `report` or `end`, is one commit; when it is done, its time and the number of the
// newest event are printed.

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/clock.h"
#include "base/text.h"
#include "tests/hpo/report/studies.h"

namespace hpo {
namespace {

std::int64_t steps = 3;

void add_trial(made::Made& made, std::uint64_t number) {
  const Params params = made::params_of(number);
  made.create(number, params);
  for (std::int64_t step = 1; step <= steps; ++step)
    made.report(number, step, made::value_of(params, step));
  made.end(number, TrialState::complete);
}

int grow(const base::Path& folder, std::uint64_t trials) {
  made::Made made(folder, made::facts(folder.filename().string()));
  std::uint64_t next = 0;
  while (next < trials) add_trial(made, next++);
  made.create(next, made::params_of(next));
  const std::uint64_t open = next++;
  std::int64_t reports = 0;
  std::string line = "trials 0";
  do {
    if (line.starts_with("trials "))
      for (std::uint64_t i = std::strtoull(line.c_str() + 7, nullptr, 10); i > 0; --i)
        add_trial(made, next++);
    else if (line == "report")
      made.report(open, ++reports, 0.5);
    else if (line == "end")
      made.add({}, Finished{Finish::trials, "as many as there are"});
    made.commit();
    std::printf("%lld\n", static_cast<long long>(base::wall_micros()));
    std::fflush(stdout);
  } while (std::getline(std::cin, line));
  return 0;
}

}  // namespace
}  // namespace hpo

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: grow-study FOLDER TRIALS [STEPS]\n", stderr);
    return 2;
  }
  if (argc > 3) hpo::steps = std::strtoll(argv[3], nullptr, 10);
  return hpo::grow(argv[1], std::strtoull(argv[2], nullptr, 10));
}
