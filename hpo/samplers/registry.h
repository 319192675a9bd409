#pragma once
// Every sampler there is: `method: NAME` or `method: {type: NAME, option: value}`.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hpo/samplers/sampler.h"
#include "hpo/space/chosen.h"

namespace hpo {

/// What a study looks like before it begins.
struct Prospect {
  std::size_t metrics = 1;                            ///< that are searched for
  std::optional<std::int64_t> trials = std::nullopt;  ///< it ends after so many; none: nobody knows
  std::int64_t parallel = 0;                          ///< trials at once; 0: nobody knows
};

/// What a file pair of this folder offers to the registry.
struct SamplerKind {
  base::KindInfo info;
  std::unique_ptr<Sampler> (*make)(const SamplerSetup& setup);
  /// Why this sampler cannot work on a space, one line; empty when it can. Null: it works on every
  /// space.
  std::string (*refuses)(const Space& space, const Params& options) = nullptr;
  /// What a sampler that chooses does on a space and why, one line. Null: it does what its name
  /// says. What it does follows from its history alone: limits may change.
  std::string (*reason)(const Space& space, const Prospect& prospect) = nullptr;
  /// Its trials are one population of `members` that train to the end together, and its option
  /// `every` says after how many epochs they are compared. It explores while they train.
  bool population = false;
  /// Whether it searches for several metrics at once.
  bool several = false;
};

/// All kinds, in the order of the registry. Valid for the life of the process; any thread.
[[nodiscard]] std::span<const base::KindInfo> sampler_kinds();

/// The kind of that name; null when there is none.
[[nodiscard]] const SamplerKind* find_sampler_kind(std::string_view kind);

/// A sampler of that kind; null when there is no such kind.
[[nodiscard]] std::unique_ptr<Sampler> make_sampler(std::string_view kind,
                                                    const SamplerSetup& setup);

/// Whether the trials of that kind of sampler are one population (SamplerKind::population).
[[nodiscard]] bool is_population(std::string_view kind);

/// Why a sampler of that kind cannot work on `space` ("a grid needs a step for lr ..."), one line;
/// empty when it can.
[[nodiscard]] std::string sampler_refuses(std::string_view kind, const Space& space,
                                          const Params& options);

/// Whether that kind of sampler searches for several metrics at once.
[[nodiscard]] bool searches_several(std::string_view kind);

/// The names of all that do.
[[nodiscard]] std::vector<std::string> kinds_for_several();

/// What a sampler of that kind chose to do on `space` and why, one line; empty when it has no
/// choice.
[[nodiscard]] std::string sampler_reason(std::string_view kind, const Space& space,
                                         const Prospect& prospect = {});

}  // namespace hpo
