// Single values: YAML scalars, numbers, durations, sizes, shares, names.

#include <cmath>

#include "base/text.h"
#include "hpo/study/scalars.h"
#include "hpo/study/spec.h"
#include "tests/fuzz/fuzz.h"

namespace {

void values(std::string_view input) {
  const hpo::ParamValue value = hpo::parse_value(input);
  fuzz::promise(hpo::text_of(hpo::parse_value(hpo::text_of(value))) == hpo::text_of(value),
                "a value reads back");
  (void)hpo::json_of(value);
  (void)hpo::read_scalar(input);
  (void)hpo::is_oversized_number(input);
  if (hpo::is_study_name(std::string(input))) {
    fuzz::promise(input.find_first_of("/\\") == input.npos && input[0] != '.',
                  "a study's name is no path");
  }
}

void numbers(std::string_view input) {
  if (const auto x = base::parse_double(input)) {
    const auto again = base::parse_double(base::format_double(*x));
    fuzz::promise(again && (std::isnan(*x) ? std::isnan(*again) : *again == *x),
                  "a number reads back");
  }
  if (const auto x = base::parse_int(input)) {
    fuzz::promise(base::parse_int(std::to_string(*x)) == x, "an integer reads back");
  }
}

void quantities(std::string_view input) {
  namespace study = hpo::study;
  if (const auto bytes = study::read_size(input)) {
    fuzz::promise(study::read_size(study::size_text(*bytes)) == bytes, "a size reads back");
  }
  if (const auto seconds = study::read_duration(input)) {
    fuzz::promise(std::isfinite(*seconds) && *seconds >= 0, "a duration is a number");
    const std::string text = study::duration_text(*seconds);
    const auto again = study::read_duration(text);
    fuzz::promise(again && study::duration_text(*again) == text, "a duration reads back");
  }
  if (const auto share = study::read_percent(input))
    fuzz::promise(std::isfinite(*share), "a share is a number");
}

}  // namespace

void fuzz::feed(std::string_view input) {
  values(input);
  numbers(input);
  quantities(input);
}
