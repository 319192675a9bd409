#pragma once
// The first look at a request, before anything parses it: what no browser sends is refused here.

#include <cstddef>
#include <optional>
#include <string_view>

namespace hpo::serve {

/// Bytes of request line and header fields.
inline constexpr std::size_t kLongestHead = 8192;

/// Why a request is refused: the status, and a sentence for whoever sent it.
struct Refusal {
  int status = 400;
  std::string_view why;
};

/// `head`: all up to the empty line, which it has. `posts`: whether there is anything to post to.
/// Nothing where the request may go on.
[[nodiscard]] std::optional<Refusal> check_head(std::string_view head, bool posts);

}  // namespace hpo::serve
