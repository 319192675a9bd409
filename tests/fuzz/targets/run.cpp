// Files of runs of the wandb package, in two pieces.

#include "base/error.h"
#include "hpo/driver/programs/report_line.h"
#include "hpo/wandb/run_log.h"
#include "tests/fuzz/fuzz.h"

namespace {

/// Each line can be read as a report.
void read_lines(const std::string& lines) {
  for (std::size_t at = 0, end = 0; (end = lines.find('\n', at)) != lines.npos; at = end + 1)
    (void)hpo::read_report_line(lines.substr(at, end - at));
}

}  // namespace

void fuzz::feed(std::string_view input) {
  hpo::wandb::RunLog log;
  try {
    read_lines(log.add(input.substr(0, input.size() / 2)));
    read_lines(log.add(input.substr(input.size() / 2)));
    read_lines(log.finish());
  } catch (const base::Error& error) {
    promise_message(error.what());
  }
}
