// A line of the file in which a program reports.

#include "base/error.h"
#include "hpo/driver/programs/report_line.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    const hpo::ReportLine line = hpo::read_report_line(std::string(input));
    promise(line.step.value_or(0) >= 0, "a step is at least 0");
    (void)hpo::json_of(line.metrics);
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data, "a bad line is an error of data");
    promise_message(error.what());
  }
}
