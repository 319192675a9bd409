#pragma once
// Carries a channel over a link to another machine: each end of the channel is on the machine that
// uses it, and a thread there carries what is said. Files go along as their bytes.

#include "base/file.h"
#include "runtime/net/sums/links.h"
#include "tasks/members/places.h"

namespace tasks {

/// Carries orders from `end` to the other member of the link, and notices back, until one of both
/// ends. The data of a training goes only once.
void carry_orders(base::File end, rt::net::sums::Links& link);

/// The other side. Notes the epochs that are halted as soon as it hears of it: somebody may wait on
/// their links.
void carry_notices(base::File end, rt::net::sums::Links& link, Halted& halted);

}  // namespace tasks
