#pragma once
// A process that must not outlive the one that started it.

#include <unistd.h>

#include <functional>
#include <stop_token>
#include <thread>

namespace base {

/// Watches on a thread of its own whether the process that started this one lives, and calls `lost`
/// there once, when it does not; its token says that this object ends. Whoever started this process
/// is taken for dead when
///  - this process gets another parent: the system gives orphans one;
///  - standard input ends, where `by_input`: the other one holds the other end of that pipe, and
///    may be further away than a parent, behind a shell or a container. What comes is dropped.
class Attachment {
 public:
  Attachment(bool by_input, std::function<void(const std::stop_token& ends)> lost,
             pid_t parent = ::getppid());

 private:
  std::jthread watch_;
};

/// Lets the system send this process that signal when the thread that started it ends, also where
/// this process is stuck. For a process that the thread waits for. Where `parent` is this process's
/// parent no more, the signal comes at once: the system does not send it for an earlier end.
void die_with_parent(int signal, pid_t parent);

/// The parent that this program had when it was loaded, before it waited for anything.
[[nodiscard]] pid_t first_parent() noexcept;

}  // namespace base
