// A record of the log: its kind on the first line, then its payload.

#include <algorithm>

#include "base/error.h"
#include "hpo/log/event.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view kind = input.substr(0, end);
  try {
    const hpo::EventBody body = hpo::body_of(kind, input.substr(std::min(end + 1, input.size())));
    const std::string payload = hpo::payload_of(body);
    promise(hpo::payload_of(hpo::body_of(kind, payload)) == payload, "a record reads back");
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::storage, "a damaged record is an error of storage");
    promise_message(error.what());
  }
}
