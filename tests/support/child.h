// Runs a part of a test in a process of its own, for what can be started once in a process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <string>

#include "base/pipe.h"

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
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child < 0) return "no process";
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(seconds);
    std::string said;
    try {
      said = body();
    } catch (const std::exception& error) {
      said = std::string("threw: ") + error.what();
    }
    said += '\n';
    const bool whole =
        ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(whole ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said = base::read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (said.empty()) return "died";
  said.pop_back();
  return said;
}

}  // namespace support
