#pragma once
// command: a program decides. At each of its turns it reads one JSON object with the state of the
// training from its input and prints what is to be done:
//
//   null or "keep"                                  nothing
//   {"widen": {"layer": "fc1", "by": 8}}            one operation, as a timetable has them
//   [{...}, {...}]                                  several, one after another
//   {"race": [[], [{...}]], "length": 0.25}         each list of operations on a copy of its own;
//                                                   the best one is gone on with
//
// The network as it is takes part in every race. The policy itself runs nothing: Turn::ask is the
// object, answered() takes what was printed. A turn is a round whatever the answer was, so a
// restarted trial asks nothing again that the log has. For users: docs/deciding-program.md.

#include "nn/adapt/policy.h"

namespace nn {

[[nodiscard]] PolicyKind command_policy();

/// What answered() of this policy takes: for messages.
[[nodiscard]] std::string command_answer_forms();

}  // namespace nn
