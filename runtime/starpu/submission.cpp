#include "runtime/starpu/submission.h"

#include <starpu_expert.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <vector>

#include "base/error.h"
#include "runtime/starpu/order.h"

namespace rt::inline v0::detail {

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

std::byte* scratch_of(const Launch& launch, void* const* interfaces) {
  const starpu_task* task = starpu_task_get_current();
  if (STARPU_TASK_GET_NBUFFERS(task) == launch.access_count) return nullptr;
  return reinterpret_cast<std::byte*>(STARPU_VARIABLE_GET_PTR(interfaces[launch.access_count]));
}

void run_task(void* interfaces[], void* argument) {
  auto& launch = *static_cast<Launch*>(argument);
  const Turn turn(launch);
  std::byte* bytes[256];
  for (unsigned i = 0; i < launch.access_count; ++i) bytes[i] = address_of(launch, i, interfaces);
  launch.scratch_at = scratch_of(launch, interfaces);
  run_launch(launch, worker_number(), bytes);
}

/// More buffers than fit into the task itself; StarPU frees the lists.
void give_long_lists(starpu_task& task) {
  const auto count = static_cast<std::size_t>(task.nbuffers);
  task.dyn_handles =
      static_cast<starpu_data_handle_t*>(std::calloc(count, sizeof(starpu_data_handle_t)));
  task.dyn_modes =
      static_cast<starpu_data_access_mode*>(std::calloc(count, sizeof *task.dyn_modes));
  if (task.dyn_handles == nullptr || task.dyn_modes == nullptr) throw std::bad_alloc();
}

std::uint64_t kept_back = 0, sharers = 1;

/// Bytes that one launch may hold where the worker computes; none: StarPU does not count them.
std::optional<std::uint64_t> room_of(unsigned worker) {
  const starpu_ssize_t all = starpu_memory_get_total(starpu_worker_get_memory_node(worker));
  if (all < 0) return std::nullopt;
  const auto counted = static_cast<std::uint64_t>(all);
  return (counted - std::min(kept_back, counted / 2)) / sharers;
}

/// Whether the device that the worker computes on could ever hold the launch.
int device_holds(unsigned worker, starpu_task* task, unsigned) {
  const std::optional<std::uint64_t> room = room_of(worker);
  const auto& launch = *static_cast<const Launch*>(task->cl_arg);
  return !room || launch.footprint <= *room ? 1 : 0;
}

#ifdef TRELLIS_SIMULATED
std::atomic<std::uint64_t> largest{0};  // footprint so far

bool memory_is_scarce() {
  for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node) {
    const starpu_ssize_t left = starpu_memory_get_available(node);
    if (left >= 0 && static_cast<std::uint64_t>(left) < largest) return true;
  }
  return false;
}

/// StarPU's workers sleep on a simulated machine until something they know of happens, and do not
/// know of memory that came free: a transfer that found none would wait for ever.
void tell_of_free_memory() {
  if (memory_is_scarce()) starpu_wake_all_blocked_workers();
}

void expect(const Launch& launch) {
  if (launch.footprint > largest) largest = launch.footprint;
}
#else
void tell_of_free_memory() {}
void expect(const Launch&) {}
#endif

/// Behind a task, when its buffers are free again.
void after_task(void* scratch) {
  if (scratch != nullptr) starpu_data_unregister_submit(static_cast<starpu_data_handle_t>(scratch));
  tell_of_free_memory();
}

void tell_ready(void* launch) { launch_ready(*static_cast<Launch*>(launch)); }

void tell_taken(void* launch) { launch_taken(*static_cast<Launch*>(launch), worker_number()); }

/// Memory that StarPU allocates where the task runs, and frees behind it.
starpu_data_handle_t lend_scratch(starpu_task& task, std::size_t bytes) {
  starpu_data_handle_t handle = nullptr;
  starpu_variable_data_register(&handle, /*home_node=*/-1, 0, bytes);
  task.callback_arg = handle;
  return handle;
}

#ifdef TRELLIS_SIMULATED
double seconds_of(const Launch& launch, int worker) {
  constexpr double kLeast = 1e-9;  // 0 would mean that nobody knows
  const bool gpu = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
  return std::max(kLeast, launch.simulated[gpu ? 1 : 0]);
}
#else
double seconds_of(const Launch& launch, int) { return launch.seconds; }
#endif

double expected_micros(starpu_task* task, unsigned worker, unsigned) {
  return 1e6 * seconds_of(*static_cast<const Launch*>(task->cl_arg), static_cast<int>(worker));
}

}  // namespace

starpu_perfmodel make_model() {
  starpu_perfmodel model{};
  model.type = STARPU_PER_WORKER;
  model.worker_cost_function = expected_micros;
  model.symbol = "trellis";
  return model;
}

starpu_codelet make_codelet(std::uint32_t where) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.where = where;
  if ((where & STARPU_CPU) != 0) codelet.cpu_funcs[0] = run_task;
  if ((where & STARPU_CUDA) != 0) {
    codelet.cuda_funcs[0] = run_task;
    codelet.can_execute = device_holds;
  }
  codelet.name = where == STARPU_CPU ? "trellis-cpu" : "trellis-cuda";
  return codelet;
}

struct Leaving::One {
  One(const starpu_codelet& like, std::uint8_t access) : codelet(like) {
    nodes.fill(STARPU_SPECIFIC_NODE_LOCAL);
    nodes[access] = STARPU_MAIN_RAM;
    codelet.specific_nodes = 1;
    codelet.dyn_nodes = nodes.data();
  }
  starpu_codelet codelet;
  std::array<int, 256> nodes{};
};

void Leaving::Delete::operator()(One* one) const noexcept { delete one; }

starpu_codelet& Leaving::at_home(std::uint8_t access) {
  const std::scoped_lock lock(mutex_);
  auto& one = made_[access];
  if (!one) one.reset(new One(like_, access));
  return one->codelet;
}

void submit_task(Launch& launch, starpu_codelet& codelet) {
  expect(launch);
  starpu_task* task = starpu_task_create();
  const bool lends = launch.scratch > 0 && (codelet.where & STARPU_CUDA) != 0;
  task->cl = &codelet;
  task->cl_arg = &launch;
  task->name = launch.name;
  task->priority = launch.priority;
  task->callback_func = after_task;
  task->prologue_callback_func = tell_ready;
  task->prologue_callback_arg = &launch;
  if (starpu_memory_nodes_get_count() > 1) {
    task->prologue_callback_pop_func = tell_taken;
    task->prologue_callback_pop_arg = &launch;
  }
  task->nbuffers = launch.access_count + (lends ? 1 : 0);
  if (task->nbuffers > STARPU_NMAXBUFS) give_long_lists(*task);
  starpu_data_handle_t* handles = task->dyn_handles != nullptr ? task->dyn_handles : task->handles;
  starpu_data_access_mode* modes = task->dyn_modes != nullptr ? task->dyn_modes : task->modes;
  for (unsigned i = 0; i < launch.access_count; ++i) {
    handles[i] = static_cast<starpu_data_handle_t>(launch.accesses[i].handle);
    modes[i] = starpu_mode(launch.accesses[i].mode);
  }
  if (lends) {
    handles[launch.access_count] = lend_scratch(*task, launch.scratch);
    modes[launch.access_count] = STARPU_SCRATCH;
  }
#ifdef __SANITIZE_THREAD__
  starpu_task_get_job_id(
      task);  // what StarPU keeps about the task is made now, not in the submission
#endif
  comes_before(&launch);
  if (const int code = starpu_task_submit(task); code != 0) {
    after_task(task->callback_arg);
    starpu_task_destroy(task);
    throw base::Error(base::Errc::no_device, "StarPU refuses a task: " + base::errno_words(-code));
  }
}

std::uint64_t largest_gpu() {
  std::uint64_t largest = 0;
  for (unsigned id = 0; id < starpu_worker_get_count(); ++id) {
    if (starpu_worker_get_type(static_cast<int>(id)) != STARPU_CUDA_WORKER) continue;
    largest = std::max(largest, room_of(id).value_or(0));
  }
  return largest;
}

void keep_back(std::uint64_t bytes) { kept_back = bytes; }

void divide_memory(unsigned parts) { sharers = parts; }

void* OnStarPu::register_buffer(std::byte* bytes, std::size_t size) {
  static std::byte turn;  // never read: only the order of the tasks that name it counts
  starpu_data_handle_t handle = nullptr;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(size == 0 ? &turn : bytes),
                                size == 0 ? 1 : size);
  return handle;
}

void OnStarPu::unregister_buffer(void* handle) noexcept {
  starpu_data_unregister_submit(static_cast<starpu_data_handle_t>(handle));
  tell_of_free_memory();
}

int OnStarPu::bring_home(void* handle) noexcept {
  auto* data = static_cast<starpu_data_handle_t>(handle);
  const int code = starpu_data_acquire(data, STARPU_R);
  comes_after(handle);
  if (code == 0) starpu_data_release(data);
  return -code;
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

std::vector<int> gpus_of_workers() {
  std::vector<int> devices;
  for (int id = 0; id < static_cast<int>(worker_numbers.size()); ++id) {
    if (starpu_worker_get_type(id) == STARPU_CUDA_WORKER)
      devices.push_back(starpu_worker_get_devid(id));
  }
  const std::set<int> used(devices.begin(), devices.end());
  for (int& device : devices)
    device = static_cast<int>(std::distance(used.begin(), used.find(device)));
  return devices;
}

unsigned worker_number() {
  return worker_numbers[static_cast<unsigned>(starpu_worker_get_id_check())];
}

}  // namespace rt::inline v0::detail
