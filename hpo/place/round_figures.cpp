#include "hpo/place/round_figures.h"

#include <utility>

namespace hpo {

rt::Platform round_figures(std::string name, int cores, int gpus, std::uint64_t memory) {
  return {.name = std::move(name),
          .cpu = {.count = cores,
                  .peak = 1e11,
                  .half = 2e5,
                  .launch = 1e-6,
                  .bandwidth = 8e9,
                  .memory = memory},
          .gpu = {.count = gpus,
                  .peak = 1.5e13,
                  .half = 3e8,
                  .launch = 8e-6,
                  .bandwidth = 8e11,
                  .memory = 16'000'000'000,
                  .link = 1.2e10,
                  .latency = 1e-5}};
}

}  // namespace hpo
