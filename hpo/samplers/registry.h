#pragma once
// Every sampler there is: `method: NAME` or `method: {type: NAME, option: value}`.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hpo/samplers/sampler.h"
#include "hpo/space/option.h"

namespace hpo {

/// What a file pair of this folder offers to the registry.
struct SamplerKind {
  KindInfo info;
  std::unique_ptr<Sampler> (*make)(const SamplerSetup& setup);
  /// Why this sampler cannot work on a space, one line; empty when it can. Null: it works on every
  /// space.
  std::string (*refuses)(const Space& space, const Params& options) = nullptr;
  /// What a sampler that chooses does on a space and why, one line. Null: it does what its name
  /// says.
  std::string (*reason)(const Space& space) = nullptr;
  /// Its trials are one population of `members` that train to the end together, and its option
  /// `every` says after how many epochs they are compared. It explores while they train.
  bool population = false;
};

/// All kinds, in the order of the registry. Valid for the life of the process; any thread.
[[nodiscard]] std::span<const KindInfo> sampler_kinds();

/// A sampler of that kind; null when there is no such kind.
[[nodiscard]] std::unique_ptr<Sampler> make_sampler(std::string_view kind,
                                                    const SamplerSetup& setup);

/// Whether the trials of that kind of sampler are one population (SamplerKind::population).
[[nodiscard]] bool is_population(std::string_view kind);

/// Why a sampler of that kind cannot work on `space` ("a grid needs a step for lr ..."), one line;
/// empty when it can.
[[nodiscard]] std::string sampler_refuses(std::string_view kind, const Space& space,
                                          const Params& options);

/// What a sampler of that kind chose to do on `space` and why, one line; empty when it has no
/// choice.
[[nodiscard]] std::string sampler_reason(std::string_view kind, const Space& space);

}  // namespace hpo
