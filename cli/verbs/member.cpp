#include <sys/socket.h>

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/held_isa.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/nodes/gang_hosts.h"
#include "tasks/gang.h"

namespace cli {

void declare_member(Arguments& arguments) {
  arguments.flag("--orders", "the first process says on standard input what this member needs");
  declare_isa(arguments);
}

int run_member(const Arguments& arguments) {
  hold_to_isa(isa_option(arguments));
  if (arguments.has("--orders")) {
    hpo::be_member_by_orders();
    return 0;
  }
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
