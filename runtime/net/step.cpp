#include "runtime/net/step.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/hash.h"
#include "base/machine.h"
#include "base/text.h"
#include "runtime/net/slurm.h"

namespace rt::net {

namespace {

constexpr const char* kMpiRank = "OMPI_COMM_WORLD_RANK";
constexpr const char* kMpiTasks = "OMPI_COMM_WORLD_SIZE";

/// Of an mpirun: its job's name, which has a process number in it, and its random key, so that a
/// later mpirun with the same number is another one. Versions call the key by different names.
std::string mpi_id() {
  base::Hasher hasher;
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports",
                           "OMPI_MCA_precondition_transports"}) {
    const char* const value = std::getenv(name);
    hasher.add(value != nullptr ? value : "");
  }
  return "mpi-" + hasher.finish().hex();
}

/// Empty where it is somebody else's, or has ended.
std::string text_of_process(pid_t process, const char* file) {
  std::ifstream in(base::cat("/proc/", process, "/", file), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::optional<std::size_t> cores_of_launcher() {
  constexpr int kMostAbove = 32;  // shells and wrappers
  pid_t process = ::getppid();
  // A process of another PID namespace has the number 0, by which this process would ask for
  // itself.
  for (int i = 0; i < kMostAbove && process > 0; ++i) {
    const std::string environment = '\0' + text_of_process(process, "environ");
    if (environment.find('\0' + base::cat(kMpiRank, "=")) == environment.npos)
      return base::allowed_cores(process).size();
    // "PID (NAME) STATE PARENT ...": a name may have brackets and blanks in it.
    const std::string stat = text_of_process(process, "stat");
    const std::size_t name_ends = stat.rfind(") ");
    if (name_ends == stat.npos) break;
    process = std::atoi(stat.c_str() + name_ends + 4);
  }
  return {};
}

std::optional<int> variable_number(const char* name) {
  const char* const value = std::getenv(name);
  const auto number = base::parse_int(value != nullptr ? value : "");
  constexpr int kMost = 1'000'000'000;
  if (!number || *number < 0 || *number > kMost) return {};
  return static_cast<int>(*number);
}

bool is_bound() {
  const auto own = static_cast<long>(base::allowed_cores().size());
  return own > 0 && own < ::sysconf(_SC_NPROCESSORS_ONLN);
}

std::optional<Step> mpi_step() {
  const auto rank = variable_number(kMpiRank);
  const auto tasks = variable_number(kMpiTasks);
  if (!rank || tasks.value_or(1) < 2) return {};
  const int local = variable_number("OMPI_COMM_WORLD_LOCAL_RANK").value_or(0);
  const int here = std::max(1, variable_number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1));
  Step step;
  step.id = mpi_id();
  step.rank = *rank;
  step.tasks = *tasks;
  step.node = base::cat(base::host_name(), local > 0 ? base::cat("-", local + 1) : std::string());
  if (step.rank == 0 && here < step.tasks) step.peer = "another node";
  if (is_bound()) {
    // Bound to a socket, or to what all of them inherited: who has which of its cores is to be
    // seen. One that is bound to cores of its own has those. Where nothing is to be seen, all tasks
    // may have the same ones.
    const std::size_t own = base::allowed_cores().size();
    const std::size_t all = cores_of_launcher().value_or(own),
                      tasks_here = static_cast<std::size_t>(here);
    if (own * tasks_here > all) step.cores = std::max(1, static_cast<int>(all / tasks_here));
    return step;
  }
  step.parts = here;
  step.part = std::min(local + 1, here);
  return step;
}

std::optional<Step> current_step() {
  // An mpirun within a job of Slurm has steps of its own, of a task a node.
  if (std::optional<Step> step = mpi_step()) return step;
  return slurm_step();
}

bool is_later_task() noexcept {
  const auto above = [](const char* name, int least) {
    const char* const value = std::getenv(name);
    return value != nullptr && std::atol(value) > least;
  };
  return (above(kMpiRank, 0) && above(kMpiTasks, 1)) ||
         (above("SLURM_PROCID", 0) && above("SLURM_STEP_NUM_TASKS", 1));
}

}  // namespace rt::net
