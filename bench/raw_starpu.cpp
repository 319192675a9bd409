#include <starpu.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "bench/rival_tasks.h"

namespace {

void body(void**, void* argument) {
  bench::compute_for(static_cast<const RivalTasks*>(argument)->microseconds);
}

/// A codelet must outlive its tasks, and its name must stay where it is.
starpu_codelet make_codelet(int buffers) {
  starpu_codelet c;
  starpu_codelet_init(&c);
  c.cpu_funcs[0] = body;
  c.cpu_funcs_name[0] = "body";
  c.nbuffers = buffers;
  if (buffers > 0) c.modes[0] = STARPU_RW;
  c.name = "raw";
  return c;
}

starpu_codelet g_plain = make_codelet(0);
starpu_codelet g_chain = make_codelet(1);

double submit_all(const RivalTasks& what, const std::vector<starpu_data_handle_t>& handles) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < what.tasks; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = handles.empty() ? &g_plain : &g_chain;
    task->cl_arg = const_cast<RivalTasks*>(&what);
    task->cl_arg_size = sizeof what;
    task->cl_arg_free = 0;
    if (!handles.empty()) task->handles[0] = handles[static_cast<std::size_t>(i) % handles.size()];
    if (const int code = starpu_task_submit(task); code != 0) return code;
  }
  if (const int code = starpu_task_wait_for_all(); code != 0) return code;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

extern "C" double trellis_raw_starpu(const RivalTasks& what) {
  if (starpu_is_initialized() == 0) return -ENODEV;
  std::vector<double> data(static_cast<std::size_t>(what.chains));
  std::vector<starpu_data_handle_t> registered(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    starpu_variable_data_register(&registered[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(&data[i]), sizeof(double));
  }
  const double seconds = submit_all(what, registered);
  for (starpu_data_handle_t handle : registered) starpu_data_unregister(handle);
  return seconds;
}
