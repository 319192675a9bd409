#include "tasks/members/process.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/process/end.h"
#include "base/text.h"

namespace tasks {

void ChildMember::kill() noexcept {
  if (process_ >= 0) (void)::kill(process_, SIGKILL);
}

std::string ChildMember::end() {
  int status = 0;
  kill();
  (void)::waitpid(process_, &status, 0);
  process_ = -1;
  const base::ProcessOutcome outcome = base::outcome_of(status);
  return outcome.end == base::ProcessEnd::killed
             ? base::cat("its process was ended by signal ", outcome.status)
             : base::cat("its process ended with status ", outcome.status);
}

ChildMember::~ChildMember() {
  if (process_ < 0) return;
  kill();
  (void)::waitpid(process_, nullptr, 0);
}

}  // namespace tasks
