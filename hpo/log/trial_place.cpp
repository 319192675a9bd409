#include "hpo/log/trial_place.h"

namespace hpo {

std::string trial_folder_name(std::uint64_t trial) {
  std::string number = std::to_string(trial);
  if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
  return "trials/" + number;
}

}  // namespace hpo
