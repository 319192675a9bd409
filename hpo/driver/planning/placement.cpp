#include "hpo/driver/planning/placement.h"

#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/driver/networks/trial_plan.h"
#include "hpo/driver/planning/plan.h"
#include "hpo/driver/same_study.h"
#include "hpo/place/round_figures.h"
#include "hpo/place/threshold.h"
#include "hpo/study/gpus.h"

namespace hpo {

namespace {

/// This machine: what decides results may not be measured.
rt::Platform machine_in_round_figures(int cores, int gpus) {
  return round_figures(base::cat("this machine's ", base::counted(cores, "core")), cores, gpus,
                       base::usable_memory());
}

/// Throws where some of the work is for a GPU and the platform has none.
void require_gpu(const TrialResources& asked, const rt::Platform& platform,
                 std::span<const PaperTrial> trials, double gpu_from) {
  if (platform.gpu.count > 0) return;
  for (const PaperTrial& trial : trials) {
    for (const Piece& piece : trial) {
      if (piece.step_flops < gpu_from) continue;
      const double wanted = asked.any_gpu ? gpu_from : asked.gpus;
      throw base::Error(base::Errc::no_device,
                        base::cat("\"resources.", asked.any_gpu ? "gpu_from: " : "gpus: ",
                                  base::format_double(wanted),
                                  "\" needs a GPU for networks of this study, but there is none (",
                                  platform.name, ")"));
    }
  }
}

}  // namespace

std::string Placement::kinds(std::size_t trials) const {
  if (expected.gpu_trials == 0) return "cpu";
  return expected.gpu_trials == trials && expected.cpu_busy == 0 ? "gpu" : "cpu and gpu";
}

Placement place_study(const LoadedStudy& loaded, const rt::Platform& platform) {
  return place_trials(loaded, platform, paper_trials(loaded, platform));
}

Placement place_trials(const LoadedStudy& loaded, const rt::Platform& platform,
                       std::span<const PaperTrial> trials) {
  const auto slots = static_cast<std::size_t>(slots_on(platform, loaded));
  const bool open = loaded.asked.any_gpu && !loaded.asked.gpu_from;
  const bool cores_too =
      platform.gpu.count == 0 || tasks::cores_lack(loaded.study.precision).empty();
  Placement placement;
  placement.gpu_from = device_rule(loaded.asked).gpu_from;
  if (open) placement.gpu_from = cores_too ? best_threshold(trials, platform, slots) : 0;
  require_gpu(loaded.asked, platform, trials, placement.gpu_from);
  placement.expected = timetable(trials, platform, slots, split_at(placement.gpu_from));
  return placement;
}

StudySpec with_threshold(const LoadedStudy& loaded, const std::string& resolved, int cores,
                         int gpus) {
  if (!loaded.asked.any_gpu || loaded.asked.gpu_from) return loaded.study;
  if (!resolved.empty()) {
    const std::string here = with_places_of(resolved, resolved_yaml(loaded.study));
    const StudySpec before = parse_study(here, "study.yaml", "/");
    const std::optional<double> threshold = trial_resources(before, before.space.middle()).gpu_from;
    return with_gpus_by_size(loaded.study, threshold.value_or(kNoGpu));
  }
  if (gpus == 0) return with_gpus_by_size(loaded.study, kNoGpu);
  return with_gpus_by_size(loaded.study,
                           place_study(loaded, machine_in_round_figures(cores, gpus)).gpu_from);
}

void settle_threshold(LoadedStudy& loaded, int cores, int gpus) {
  loaded.study = with_threshold(loaded, "", cores, gpus);
  loaded.asked = trial_resources(loaded.study, loaded.study.space.middle());
}

rt::Platform platform_here(int cores, int gpus) {
  rt::Platform platform = machine_in_round_figures(cores, gpus);
  platform.gpu.memory = 0;  // nobody asked
  platform.cpu.peak = tasks::product_rate();
  return platform;
}

}  // namespace hpo
