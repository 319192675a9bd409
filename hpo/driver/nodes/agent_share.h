#pragma once
// The part of its machine that an agent takes: cores and GPUs that no other agent there uses.

#include <optional>
#include <string>

#include "base/claims.h"

namespace hpo {

/// What an agent asks for.
struct ShareWish {
  int workers = 0;      ///< CPU workers, a core each; 0: all cores that the process may use
  int gpus = -1;        ///< -1: all that it sees
  bool insists = true;  ///< on cores of its own. False: it runs beside others where none are free
  bool asked = true;    ///< somebody named the number of workers: fewer of them are a warning
};

/// Claimed for as long as this object lives. Leaves the process those cores alone, and in
/// CUDA_VISIBLE_DEVICES the GPUs that it was given. Before other threads run.
class AgentShare {
 public:
  /// Throws base::Error: locked, where it insists and no core is free, or fewer GPUs than it asks
  /// for; no_device, where there are not so many; storage, where nothing can be claimed.
  explicit AgentShare(const ShareWish& wish, base::Path folder = base::claims_folder());

  /// CPU workers, at most those of the wish; 0: one for each core that the process may use.
  [[nodiscard]] int workers() const noexcept { return workers_; }
  /// "host" for the first agent of this machine, "host-2" for the next one.
  [[nodiscard]] const std::string& node() const noexcept { return node_; }

 private:
  void claim_cores(const ShareWish& wish);
  void claim_gpus(const ShareWish& wish);

  base::Claims claims_;
  int workers_ = 0;
  std::string node_;
};

}  // namespace hpo
