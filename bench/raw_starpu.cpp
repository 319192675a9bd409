#include "bench/raw_starpu.h"

#include <starpu.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <vector>

namespace {

void nothing(void**, void*) {}

/// A codelet must outlive its tasks, and its name must stay where it is.
starpu_codelet make_codelet(int buffers) {
  starpu_codelet c;
  starpu_codelet_init(&c);
  c.cpu_funcs[0] = nothing;
  c.cpu_funcs_name[0] = "nothing";
  c.nbuffers = buffers;
  if (buffers > 0) c.modes[0] = STARPU_RW;
  c.name = "raw";
  return c;
}

starpu_codelet g_plain = make_codelet(0);
starpu_codelet g_chain = make_codelet(1);

double submit_all(int tasks, const std::vector<starpu_data_handle_t>& handles) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < tasks; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = handles.empty() ? &g_plain : &g_chain;
    if (!handles.empty()) task->handles[0] = handles[static_cast<std::size_t>(i) % handles.size()];
    if (const int code = starpu_task_submit(task); code != 0) return code;
  }
  if (const int code = starpu_task_wait_for_all(); code != 0) return code;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

extern "C" double trellis_raw_starpu(int tasks, int handles) {
  if (starpu_is_initialized() == 0) return -ENODEV;
  std::vector<double> data(static_cast<std::size_t>(handles));
  std::vector<starpu_data_handle_t> registered(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    starpu_variable_data_register(&registered[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(&data[i]), sizeof(double));
  }
  const double seconds = submit_all(tasks, registered);
  for (starpu_data_handle_t handle : registered) starpu_data_unregister(handle);
  return seconds;
}
