#include "bench/step_case.h"

#include <utility>

namespace bench {

Case step_case(std::string name, const Sample& ours, std::string rival, double seconds) {
  return {.name = std::move(name),
          .ours = 1e3 * ours.median,
          .unit = "ms/step",
          .rival = std::move(rival),
          .rival_value = 1e3 * seconds,
          .ratio = seconds / ours.median,
          .spread = ours.spread};
}

}  // namespace bench
