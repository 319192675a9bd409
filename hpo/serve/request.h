#pragma once
// A request and its answer, apart from how they travel.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace hpo::serve {

/// One that check_head() let pass. Header fields that were not sent are empty.
struct Request {
  std::string method;
  std::string target;  ///< as sent: path and query, percent-encoded
  std::string host, origin, cookie, authorization, last_event_id;
  std::string local_address;  ///< of this machine, by which the request came
};

/// Gives the next piece of an answer without end. Waits for it at most so long: an empty piece says
/// that there is none yet, false that there will be none.
using Source = std::function<bool(std::string& piece, base::Duration patience)>;

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body = std::make_shared<const std::string>();
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< more header fields
  Source source = nullptr;                                       ///< in the place of the body
};

/// A sentence for people.
[[nodiscard]] inline Answer plain_answer(int status, std::string_view text) {
  return {.status = status, .body = std::make_shared<const std::string>(std::string(text) + "\n")};
}

}  // namespace hpo::serve
