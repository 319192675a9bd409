// A line of the file in which a program reports.

#include "hpo/driver/report_line.h"
#include "runtime/base/error.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    const hpo::ReportLine line = hpo::read_report_line(std::string(input));
    promise(line.step.value_or(0) >= 0, "a step is at least 0");
    (void)hpo::json_of(line.metrics);
  } catch (const rt::Error& error) {
    promise(error.kind() == rt::Errc::data, "a bad line is an error of data");
    promise_message(error.what());
  }
}
