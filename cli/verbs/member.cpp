#include <sys/socket.h>

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/verbs/verb_functions.h"
#include "tasks/gang.h"

namespace cli {

void declare_member(Arguments& /*arguments*/) {}

int run_member(const Arguments& /*arguments*/) {
  int kind = 0;
  socklen_t size = sizeof kind;
  if (::getsockopt(tasks::kMemberChannel, SOL_SOCKET, SO_TYPE, &kind, &size) != 0 ||
      kind != SOCK_SEQPACKET)
    throw base::Error(base::Errc::usage,
                      "member: this process has no connection to a training; expected to be "
                      "started by train --execution gang:N");
  tasks::be_member(base::File(tasks::kMemberChannel));
  return 0;
}

}  // namespace cli
