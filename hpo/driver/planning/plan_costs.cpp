#include "hpo/driver/planning/plan_costs.h"

#include <algorithm>
#include <cmath>

#include "hpo/driver/networks/trial_plan.h"

namespace hpo {

namespace {

/// The table stays in main memory.
void stream(Piece& piece, const Work& work, const rt::DeviceModel& gpu) {
  piece.gpu_memory = work.slab + work.counted.memory + work.counted.streaming->memory;
  piece.gpu_seconds =
      rt::seconds_streaming(gpu, work.counted) + rt::seconds_to_move(gpu, work.brought);
}

PaperTrial pieces_of(const std::vector<Work>& done, const rt::Platform& platform,
                     std::uint64_t data) {
  PaperTrial trial;
  for (const Work& work : done) {
    Piece piece{.step_flops = work.step_flops,
                .cpu_seconds = rt::seconds_on(platform.cpu, work.counted)};
    if (platform.gpu.count > 0) {
      piece.gpu_seconds = rt::seconds_on(platform.gpu, work.counted) +
                          rt::seconds_to_move(platform.gpu, work.brought);
      const bool works_there = work.counted.memory > 0;  // a core reshapes
      piece.gpu_memory = works_there ? work.slab + work.counted.memory + data : 0;
      if (platform.gpu.memory != 0 && piece.gpu_memory > platform.gpu.memory &&
          work.counted.streaming)
        stream(piece, work, platform.gpu);
    }
    trial.push_back(piece);
  }
  return trial;
}

/// No more networks share a GPU than the study has slots for.
rt::Platform with_slots(rt::Platform platform, std::int64_t slots) {
  rt::DeviceModel& gpu = platform.gpu;
  if (gpu.count > 0)
    gpu.sharers =
        static_cast<int>(std::min<std::int64_t>(gpu.sharers, (slots + gpu.count - 1) / gpu.count));
  return platform;
}

}  // namespace

PlanCosts::PlanCosts(const LoadedStudy& loaded, const rt::Platform& platform)
    : data_(loaded.data),
      slots_(slots_on(platform, loaded)),
      platform_(with_slots(platform, slots_)),
      open_(loaded.asked.any_gpu && !loaded.asked.gpu_from),
      gpu_from_(device_rule(loaded.asked).gpu_from) {}

double PlanCosts::add(std::uint64_t trial, const std::vector<Work>& segment, int networks,
                      std::int64_t epochs) {
  double flops = 0;
  for (Work work : segment) {
    work.flops *= networks;
    work.steps *= networks;
    work.epochs *= networks;
    flops += work.flops;
    counts_.steps += work.steps;
    if (!seen_.insert(work.key).second) continue;
    note(trial, work, networks);
    counts_.distinct_steps += work.steps;
    counts_.distinct_flops += work.flops;
    seconds_ += networks * seconds_of(work);
    distinct_epochs_ += work.epochs;
  }
  counts_.epochs += epochs * networks;
  counts_.flops += flops;
  return flops;
}

Plan PlanCosts::counts() const {
  Plan plan = counts_;
  plan.distinct_epochs = std::llround(distinct_epochs_);
  plan.memory = static_cast<std::uint64_t>(slots_) * largest_;
  return plan;
}

std::vector<PaperTrial> PlanCosts::on_paper() const {
  std::vector<PaperTrial> trials;
  const std::uint64_t data = nn::Dataset::byte_size(data_.value.get().header());
  for (const std::vector<Work>& done : done_) trials.push_back(pieces_of(done, platform_, data));
  return trials;
}

/// Where as many trials at once do such work as there are places on devices and slots, on the
/// better kind where the study leaves that open.
double PlanCosts::seconds_of(const Work& work) const {
  const auto shared = [&](const rt::DeviceModel& device) {
    return rt::seconds_on(device, work.counted) /
           static_cast<double>(std::min<std::int64_t>(device.count * device.sharers, slots_));
  };
  if (platform_.gpu.count == 0) return shared(platform_.cpu);
  if (open_) return std::min(shared(platform_.cpu), shared(platform_.gpu));
  return shared(work.step_flops < gpu_from_ ? platform_.cpu : platform_.gpu);
}

void PlanCosts::note(std::uint64_t trial, Work work, int times) {
  work.counted.flops *= times;
  work.counted.bytes *= times;
  work.counted.launches *= times;
  if (work.counted.streaming) work.counted.streaming->bytes *= times;
  work.brought *= times;
  if (done_.size() <= trial) done_.resize(trial + 1);
  done_[trial].push_back(work);
}

}  // namespace hpo
