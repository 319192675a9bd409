// Runs a part of a test in a process of its own, for what can be started once in a process.
#pragma once

#include <unistd.h>

#include <exception>
#include <span>
#include <string>

#include "base/new_file.h"
#include "base/process/copy.h"

namespace support {

/// Whether SimGrid's threads can be followed: sanitizers take its way of changing between them for
/// mistakes.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kFollowsSimGrid = false;
#else
inline constexpr bool kFollowsSimGrid = true;
#endif

/// What `body` returns as a text; "threw: ..." or "died" where it does not come to that. Killed
/// after `seconds`.
template <class Body>
std::string in_child(Body body, unsigned seconds = 120) {
  std::string said = base::run_copy([&](const base::File& out) {
                       ::alarm(seconds);
                       std::string text;
                       try {
                         text = body();
                       } catch (const std::exception& error) {
                         text = std::string("threw: ") + error.what();
                       }
                       text += '\n';
                       (void)base::write_all(out.fd(), std::as_bytes(std::span(text)));
                     }).said;
  if (said.empty()) return "died";
  said.pop_back();
  return said;
}

}  // namespace support
