#include "runtime/starpu/submission.h"

#include <cstdlib>
#include <new>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/starpu/order.h"

namespace rt::detail {

namespace {

std::vector<unsigned> worker_numbers;  // ours, by StarPU's worker id

starpu_data_access_mode starpu_mode(AccessMode mode) {
  switch (mode) {
    case AccessMode::read:
      return STARPU_R;
    case AccessMode::write:
      return STARPU_W;
    case AccessMode::read_write:
      return STARPU_RW;
    case AccessMode::commute:
      return static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  }
  return STARPU_RW;
}

#ifdef TRELLIS_SIMULATED
/// Devices that are not there have no memory: a simulated body finds a buffer where it is.
std::byte* address_of(const Launch& launch, unsigned access, void* const*) {
  return static_cast<std::byte*>(starpu_data_handle_to_pointer(
      static_cast<starpu_data_handle_t>(launch.accesses[access].handle), STARPU_MAIN_RAM));
}
#else
/// Where a buffer is on this worker's device. The interface is StarPU's own memory, which StarPU
/// also frees, in an order that only StarPU sees: not a matter for the sanitizer.
__attribute__((noinline, no_sanitize("thread"))) std::byte* address_of(const Launch&,
                                                                       unsigned access,
                                                                       void* const* interfaces) {
  return reinterpret_cast<std::byte*>(STARPU_VARIABLE_GET_PTR(interfaces[access]));
}
#endif

void run_task(void* interfaces[], void* argument) {
  auto& launch = *static_cast<Launch*>(argument);
  const Turn turn(launch);
  std::byte* bytes[256];
  for (unsigned i = 0; i < launch.access_count; ++i) bytes[i] = address_of(launch, i, interfaces);
  run_launch(launch, worker_number(), bytes);
}

/// More buffers than fit into the task itself; StarPU frees the lists.
void give_long_lists(starpu_task& task, const Launch& launch) {
  task.dyn_handles = static_cast<starpu_data_handle_t*>(
      std::calloc(launch.access_count, sizeof *task.dyn_handles));
  task.dyn_modes = static_cast<starpu_data_access_mode*>(
      std::calloc(launch.access_count, sizeof *task.dyn_modes));
  if (task.dyn_handles == nullptr || task.dyn_modes == nullptr) throw std::bad_alloc();
}

}  // namespace

starpu_codelet make_codelet(std::uint32_t where) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.where = where;
  if ((where & STARPU_CPU) != 0) codelet.cpu_funcs[0] = run_task;
  if ((where & STARPU_CUDA) != 0) codelet.cuda_funcs[0] = run_task;
  codelet.name = where == STARPU_CPU ? "trellis-cpu" : "trellis-cuda";
  return codelet;
}

void submit_task(Launch& launch, starpu_codelet& codelet) {
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = &launch;
  task->name = launch.name;
  task->priority = launch.priority;
  task->nbuffers = launch.access_count;
  if (launch.access_count > STARPU_NMAXBUFS) give_long_lists(*task, launch);
  starpu_data_handle_t* handles = task->dyn_handles != nullptr ? task->dyn_handles : task->handles;
  starpu_data_access_mode* modes = task->dyn_modes != nullptr ? task->dyn_modes : task->modes;
  for (unsigned i = 0; i < launch.access_count; ++i) {
    handles[i] = static_cast<starpu_data_handle_t>(launch.accesses[i].handle);
    modes[i] = starpu_mode(launch.accesses[i].mode);
  }
#ifdef __SANITIZE_THREAD__
  starpu_task_get_job_id(
      task);  // what StarPU keeps about the task is made now, not in the submission
#endif
  comes_before(&launch);
  if (const int code = starpu_task_submit(task); code != 0) {
    starpu_task_destroy(task);
    throw Error(Errc::no_device, "StarPU refuses a task: " + errno_words(-code));
  }
}

starpu_data_handle_t starpu_buffer(std::byte* bytes, std::size_t size) {
  static std::byte turn;  // never read: only the order of the tasks that name it counts
  starpu_data_handle_t handle = nullptr;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(size == 0 ? &turn : bytes),
                                size == 0 ? 1 : size);
  return handle;
}

void number_workers() {
  worker_numbers.assign(starpu_worker_get_count(), 0);
  const unsigned cpus = starpu_cpu_worker_get_count();
  unsigned cpu = 0;
  unsigned cuda = 0;
  for (unsigned id = 0; id < worker_numbers.size(); ++id) {
    const bool is_cpu = starpu_worker_get_type(static_cast<int>(id)) == STARPU_CPU_WORKER;
    worker_numbers[id] = is_cpu ? cpu++ : cpus + cuda++;
  }
}

unsigned worker_number() {
  return worker_numbers[static_cast<unsigned>(starpu_worker_get_id_check())];
}

}  // namespace rt::detail
