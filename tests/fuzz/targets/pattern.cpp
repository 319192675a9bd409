// A regular expression of `metric.regex`, on the first line, and the output that it reads.

#include <algorithm>

#include "base/error.h"
#include "hpo/study/pattern.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  try {
    const hpo::Pattern pattern{std::string(input.substr(0, end))};
    try {
      (void)pattern.find(input.substr(std::min(end + 1, input.size())));
    } catch (const base::Error& error) {
      promise(error.kind() == base::Errc::data, "a piece of a number is an error of the output");
      promise_message(error.what());
    }
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::study, "what is no expression is an error of the study");
    promise_message(error.what());
  }
}
