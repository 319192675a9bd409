// What a process that trains does first.
#include <mutex>

#include "kernels/kernels.h"
#include "runtime/process.h"
#include "tasks/tasks.h"

namespace tasks {

void setup_process() {
  static std::once_flag once;
  std::call_once(once, [] {
    rt::set_fingerprint(std::string(kern::fingerprint()));
    rt::on_worker_start(&kern::prepare_thread);
  });
}

}  // namespace tasks
