#include "hpo/samplers/registry.h"

#include <array>
#include <vector>

#include "hpo/samplers/auto.h"
#include "hpo/samplers/bohb.h"
#include "hpo/samplers/cmaes.h"
#include "hpo/samplers/gp.h"
#include "hpo/samplers/grid.h"
#include "hpo/samplers/halton.h"
#include "hpo/samplers/nsga2.h"
#include "hpo/samplers/pbt.h"
#include "hpo/samplers/random.h"
#include "hpo/samplers/sobol.h"
#include "hpo/samplers/tpe.h"

namespace hpo {

namespace {

const auto& kinds() {
  static const std::array kinds{
      auto_kind(), random_kind(), grid_kind(),  sobol_kind(), halton_kind(), tpe_kind(),
      gp_kind(),   cmaes_kind(),  nsga2_kind(), bohb_kind(),  pbt_kind(),
  };
  return kinds;
}

const SamplerKind* find(std::string_view name) {
  for (const SamplerKind& kind : kinds()) {
    if (kind.info.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace

std::span<const KindInfo> sampler_kinds() {
  static const std::vector<KindInfo> infos = [] {
    std::vector<KindInfo> all;
    for (const SamplerKind& kind : kinds()) all.push_back(kind.info);
    return all;
  }();
  return infos;
}

std::unique_ptr<Sampler> make_sampler(std::string_view kind, const SamplerSetup& setup) {
  const SamplerKind* found = find(kind);
  return found ? found->make(setup) : nullptr;
}

bool is_population(std::string_view kind) {
  const SamplerKind* found = find(kind);
  return found != nullptr && found->population;
}

std::string sampler_refuses(std::string_view kind, const Space& space, const Params& options) {
  const SamplerKind* found = find(kind);
  return found && found->refuses ? found->refuses(space, options) : "";
}

bool searches_several(std::string_view kind) {
  const SamplerKind* found = find(kind);
  return found != nullptr && found->several;
}

std::vector<std::string> kinds_for_several() {
  std::vector<std::string> names;
  for (const SamplerKind& kind : kinds())
    if (kind.several) names.push_back(kind.info.name);
  return names;
}

std::string sampler_reason(std::string_view kind, const Space& space, const Prospect& prospect) {
  const SamplerKind* found = find(kind);
  return found && found->reason ? found->reason(space, prospect) : "";
}

}  // namespace hpo
