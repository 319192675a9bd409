#include "nn/training/staleness.h"

#include <algorithm>
#include <cmath>

#include "nn/training/random.h"

namespace nn {
namespace {

struct Replica {
  std::int64_t finished = 0, step = -1;  // step -1: it has none
  double end = 0;
};

class Course {
 public:
  Course(const Staleness& staleness, std::uint64_t stream, std::int64_t epoch)
      : staleness_(staleness),
        key_(RandomKey{stream}.derive("staleness").derive(static_cast<std::uint64_t>(epoch))),
        replicas_(static_cast<std::size_t>(staleness.replicas)) {}

  StaleEpoch run(std::int64_t steps, const std::function<std::int64_t(std::int64_t)>& rows) {
    for (std::int64_t next = 0;;) {
      for (Replica& replica : replicas_) {
        if (next == steps || !may_begin(replica)) continue;
        replica.step = next;
        replica.end = out_.time + static_cast<double>(rows(next)) * slowness(next);
        add(true, replica);
        ++next;
      }
      Replica* const first = first_to_end();
      if (first == nullptr) return std::move(out_);
      out_.time = first->end;
      add(false, *first);
      ++first->finished;
      first->step = -1;
    }
  }

 private:
  [[nodiscard]] bool may_begin(const Replica& replica) const {
    const auto slowest = std::ranges::min(replicas_, {}, &Replica::finished).finished;
    return replica.step < 0 && replica.finished - slowest <= staleness_.bound;
  }
  [[nodiscard]] double slowness(std::int64_t step) const {
    const auto at = static_cast<std::uint64_t>(step);
    const auto drawn = random_block(
        key_, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), 0, 0})[0];
    return static_cast<double>(drawn) < std::ldexp(staleness_.probability, 32) ? staleness_.factor
                                                                               : 1;
  }
  /// Null if no replica computes.
  [[nodiscard]] Replica* first_to_end() {
    Replica* first = nullptr;
    for (Replica& replica : replicas_)
      if (replica.step >= 0 && (first == nullptr || replica.end < first->end)) first = &replica;
    return first;
  }
  void add(bool begins, const Replica& replica) {
    const auto number = static_cast<std::int32_t>(&replica - replicas_.data());
    out_.events.push_back({.begins = begins, .replica = number, .step = replica.step});
  }

  const Staleness& staleness_;
  RandomKey key_;
  std::vector<Replica> replicas_;
  StaleEpoch out_;
};

}  // namespace

StaleEpoch stale_epoch(const Staleness& staleness, std::uint64_t stream, std::int64_t epoch,
                       std::int64_t steps, const std::function<std::int64_t(std::int64_t)>& rows) {
  return Course(staleness, stream, epoch).run(steps, rows);
}

}  // namespace nn
