#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz.h"

namespace fuzz {

void promise(bool kept, std::string_view what) {
  if (kept) return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

void promise_message(std::string_view message) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  promise(!message.empty(), "a message says something");
  promise(std::ranges::none_of(message, control),
          "a message is one line without control characters");
  promise(message.size() <= 2000, "a message is short");
}

}  // namespace fuzz
