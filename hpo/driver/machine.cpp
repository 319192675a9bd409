#include "hpo/driver/machine.h"

#include <sched.h>

#include <thread>

#include "hpo/driver/gpu_share.h"
#include "hpo/driver/network_work.h"

namespace hpo {

int usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0
             ? CPU_COUNT(&set)
             : static_cast<int>(std::thread::hardware_concurrency());
}

void require_resources(const Resources& asked) {
  require_resources(asked, usable_cores(), static_cast<int>(visible_gpus().size()));
}

}  // namespace hpo
