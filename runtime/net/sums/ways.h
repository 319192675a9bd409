// The rounds of each way (schedule.h): each function appends them to a member's schedule.
#pragma once

#include <vector>

#include "runtime/net/sums/schedule.h"

namespace rt::net::sums {

/// Appends the additions of the member's own shards, up to its largest whole subtrees. The sum of a
/// subtree is in the buffer of its first shard.
void add_own(const Shape& shape, int member, Schedule& schedule);

void add_doubling(const Shape& shape, int member, Schedule& schedule);
void add_halving(const Shape& shape, int member, Schedule& schedule);
void add_subtrees(const Shape& shape, int member, Schedule& schedule);
void add_rings(const std::vector<int>& dimensions, const Shape& shape, int member,
               Schedule& schedule);

}  // namespace rt::net::sums
