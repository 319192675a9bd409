// Metrics and params as JSON objects.

#include "base/error.h"
#include "hpo/log/event.h"
#include "hpo/space/params.h"
#include "tests/fuzz/fuzz.h"

namespace {

template <class Read>
void round_trip(std::string_view input, const Read& read) {
  try {
    const std::string json = hpo::json_of(read(input));
    fuzz::promise(hpo::json_of(read(json)) == json, "values read back");
  } catch (const base::Error& error) {
    fuzz::promise(error.kind() == base::Errc::storage, "a damaged object is an error of storage");
    fuzz::promise_message(error.what());
  }
}

}  // namespace

void fuzz::feed(std::string_view input) {
  round_trip(input, [](std::string_view json) { return hpo::metrics_from_json(json); });
  round_trip(input, [](std::string_view json) { return hpo::params_from_json(json); });
}
