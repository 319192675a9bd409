#pragma once
// Bringing half-done work to the disk while trials train.
//
// A segment of training ends with its network in the store's memory: that copy is the snapshot. A
// task of its own writes it, when the study's `checkpoint: {overhead: ...}` allows: on a worker
// that would rest, or, when none rests for a while, before the others. So the time between two
// checkpoints follows from what they cost, and nothing but the time does.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "hpo/log/event.h"
#include "hpo/log/lineage.h"
#include "runtime/store.h"
#include "runtime/value.h"

namespace hpo {

/// The networks of a trial that has not ended which its going on may need: the last two checkpoints
/// of its network's life, the newest, and what is left should that one turn out to be damaged; and
/// the network that its metrics are of, which lies before them with `take: best`.
[[nodiscard]] std::vector<base::Key> kept_networks(const std::vector<Reported>& reports,
                                                   const Lineage& lineage);

/// Driver thread only, inside the Runtime whose store it is.
class Checkpoints {
 public:
  /// Null: does nothing. `owner` names the study among those that share the store.
  Checkpoints(std::shared_ptr<rt::Store> store, std::string owner);

  /// The networks that must not be evicted, in place of those named before.
  void keep(std::vector<base::Key> networks);

  /// To be called often: calls a persisting task when one is due. Networks that agents keep come to
  /// the store first, one after another, by the same share of the time.
  void tick();

 private:
  void bring();

  std::shared_ptr<rt::Store> store_;
  std::string owner_;
  std::vector<base::Key> networks_;
  bool coming_ = false;   ///< one of them, from an agent
  base::Moment asked_{};  ///< when it was asked for
  base::Moment next_{};   ///< when the next one may be
  std::optional<rt::Value<void>> running_;
  base::Moment called_{};
  bool urgent_ = false;
};

}  // namespace hpo
