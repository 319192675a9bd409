// The kinds of samplers. Adding one: a file pair in this folder that defines `SamplerKind
// <kind>_sampler()`, and its line in the list below.

#include "hpo/samplers/registry.h"

#include "base/registry.h"

#define TRELLIS_SAMPLERS(ADD) \
  ADD(auto)                   \
  ADD(random)                 \
  ADD(grid)                   \
  ADD(sobol)                  \
  ADD(halton)                 \
  ADD(tpe)                    \
  ADD(gp)                     \
  ADD(cmaes)                  \
  ADD(nsga2)                  \
  ADD(bohb)                   \
  ADD(pbt)

namespace hpo {

#define TRELLIS_DECLARE(kind) SamplerKind kind##_sampler();
TRELLIS_SAMPLERS(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

namespace {

const base::Registry<SamplerKind>& sampler_registry() {
#define TRELLIS_ENTRY(kind) kind##_sampler(),
  static const base::Registry<SamplerKind> kRegistry{TRELLIS_SAMPLERS(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kRegistry;
}

}  // namespace

std::span<const base::KindInfo> sampler_kinds() { return sampler_registry().infos(); }

const SamplerKind* find_sampler_kind(std::string_view kind) {
  return sampler_registry().find(kind);
}

std::unique_ptr<Sampler> make_sampler(std::string_view kind, const SamplerSetup& setup) {
  const SamplerKind* found = find_sampler_kind(kind);
  return found != nullptr ? found->make(setup) : nullptr;
}

bool is_population(std::string_view kind) {
  const SamplerKind* found = find_sampler_kind(kind);
  return found != nullptr && found->population;
}

std::string sampler_refuses(std::string_view kind, const Space& space, const Params& options) {
  const SamplerKind* found = find_sampler_kind(kind);
  return found != nullptr && found->refuses != nullptr ? found->refuses(space, options) : "";
}

bool searches_several(std::string_view kind) {
  const SamplerKind* found = find_sampler_kind(kind);
  return found != nullptr && found->several;
}

std::vector<std::string> kinds_for_several() {
  std::vector<std::string> names;
  for (const SamplerKind& kind : sampler_registry().entries())
    if (kind.several) names.push_back(kind.info.kind);
  return names;
}

std::string sampler_reason(std::string_view kind, const Space& space, const Prospect& prospect) {
  const SamplerKind* found = find_sampler_kind(kind);
  return found != nullptr && found->reason != nullptr ? found->reason(space, prospect) : "";
}

}  // namespace hpo
