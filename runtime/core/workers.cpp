#include "runtime/core/workers.h"

#include <cstdlib>

#include "runtime/core/backend.h"
#include "runtime/core/records.h"

namespace rt::inline v0::detail {

namespace {

/// TRELLIS_SLOW_WORKER=0:5 makes worker 0 five times slower: tests show with it that results do not
/// hang on timing.
void slow_down(std::span<const std::unique_ptr<Worker>> executors) {
  const char* asked = std::getenv("TRELLIS_SLOW_WORKER");
  if (asked == nullptr) return;
  char* end = nullptr;
  const unsigned long index = std::strtoul(asked, &end, 10);
  if (*end != ':' || index >= executors.size()) return;
  executors[index]->slowness = std::strtod(end + 1, nullptr);
}

}  // namespace

Workers::Workers(const Backend& backend, Records& records) {
  const auto add = [&](Device kind, int index) -> Worker& {
    auto& worker = *all_.emplace_back(std::make_unique<Worker>());
    worker.id = {0, kind, index};
    worker.number = static_cast<unsigned>(all_.size() - 1);
    return worker;
  };
  for (int i = 0; i < backend.cpu_workers(); ++i) add(Device::cpu, i);
  for (int i = 0; i < backend.cuda_workers(); ++i) add(Device::cuda, i);
  for (const auto& worker : all_) worker->lane = records.add_lane(worker->name());
  add(Device::cuda, backend.cuda_workers()).lane = records.add_driver_lane();
  slow_down(executors());
}

std::uint64_t Workers::ended() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& worker : all_) sum += worker->ended.load();
  return sum;
}

std::uint64_t Workers::with_executor() const noexcept {
  // Returned first: a node counted there is then counted as launched too.
  std::uint64_t returned = 0;
  std::uint64_t launched = 0;
  for (const auto& worker : all_) returned += worker->returned.load();
  for (const auto& worker : all_) launched += worker->launched.load();
  return launched - returned;
}

}  // namespace rt::inline v0::detail
