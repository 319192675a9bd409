#include "hpo/driver/planning/simulate.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/temporary_folder.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/driver/adopt.h"
#include "hpo/driver/device_use.h"
#include "hpo/driver/driver.h"
#include "hpo/driver/networks/folded_work.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan.h"
#include "hpo/driver/planning/scratch.h"
#include "hpo/log/event_log.h"
#include "hpo/study/gpus.h"
#include "runtime/instance.h"
#include "tasks/device_rule.h"

namespace hpo {

namespace {

double threshold_of(const Scheme& scheme, const LoadedStudy& loaded, const rt::Platform& platform) {
  if (scheme.kinds == Scheme::Kinds::cores || platform.gpu.count == 0)
    return tasks::DeviceRule::kNever;
  if (scheme.kinds == Scheme::Kinds::gpus) return 0;
  return place_study(loaded, platform).gpu_from;
}

void run_driver(LoadedStudy& loaded, const rt::Runtime& runtime, const base::Path& folder,
                bool as_born) {
  EventLog log(folder);
  std::vector<Changed> changes = adopt(log, loaded.study, &loaded.data, folder);
  const std::unique_ptr<NetworkWork> work =
      network_work(loaded.study, runtime, folder, /*model_file=*/"", /*sharing=*/true);
  work->provide(loaded.params, loaded.data);
  if (as_born) work->stay_as_born();
  Observer silent;
  Driver driver({.study = loaded.study,
                 .log = log,
                 .runtime = runtime,
                 .work = *work,
                 .observer = silent,
                 .folder = folder,
                 .changes = std::move(changes),
                 .arithmetic = "simulated"});
  (void)driver.run();
}

std::uint64_t most_memory(const std::vector<rt::SimulatedRun>& runs) {
  std::uint64_t most = 0;
  for (const rt::SimulatedRun& run : runs)
    if (run.worker.kind == rt::Device::cuda) most = std::max(most, run.memory);
  return most;
}

}  // namespace

std::span<const Scheme> schemes() {
  using enum Scheme::Kinds;
  static constexpr std::array kSchemes{
      Scheme{"trellis", "prio", false, rule,
             "the kind of device by the size of the network, the longest task first"},
      Scheme{"as-born", "prio", false, born,
             "the same by its size at birth: one that grows stays where it began"},
      Scheme{"gpu-only", "prio", false, gpus, "everything on GPUs"},
      Scheme{"cpu-only", "prio", false, cores, "everything on cores"},
      Scheme{"fifo", "eager", true, rule, "the oldest task on whatever device is free"},
      Scheme{"lws", "lws", true, rule, "StarPU's work stealing, on any device"},
      Scheme{"dmda", "dmda", true, rule, "StarPU's earliest finish, data included, on any device"},
      Scheme{"dmdas", "dmdas", true, rule, "the same with priorities"},
  };
  return kSchemes;
}

const Scheme& find_scheme(std::string_view name) {
  std::vector<std::string> names;
  for (const Scheme& scheme : schemes()) {
    if (scheme.name == name) return scheme;
    names.emplace_back(scheme.name);
  }
  throw base::Error(base::Errc::usage,
                    base::cat("--scheduler: \"", base::printable(name, 60), "\" is unknown",
                              base::expected_one_of(names, name)));
}

std::string refuses(const Scheme& scheme, const StudySpec& study) {
  if (study.precision != kern::Precision::tf32) return "";
  if (!scheme.any_kind && scheme.kinds != Scheme::Kinds::cores) return "";
  return base::cat("--scheduler: ", scheme.name,
                   " puts networks of precision tf32 on cores; use trellis, as-born or gpu-only: ",
                   tasks::cores_lack(study.precision));
}

SimulationReport simulate(const StudySpec& study, const rt::Platform& platform,
                          const Scheme& scheme, std::vector<rt::SimulatedRun>* record) {
  if (const std::string refusal = refuses(scheme, study); !refusal.empty())
    throw base::Error(base::Errc::no_device, refusal);
  tasks::setup_process();
  rt::Config config{.executor = rt::Executor::simulated};
  config.simulation = std::make_shared<rt::Simulation>();
  config.simulation->platform = platform;
  config.simulation->scheduler = scheme.policy;
  config.simulation->any_kind = scheme.any_kind;
  SimulationReport report{.scheduler = std::string(scheme.name)};
  const base::TemporaryFolder scratch(scratch_parent(), "trellis-simulated-");
  rt::run_within(config, [&] {
    const rt::Runtime runtime(config);
    LoadedStudy loaded = load_settled(study);
    loaded.asked = {.any_gpu = true, .gpu_from = loaded.asked.gpu_from};
    report.gpu_from = threshold_of(scheme, loaded, platform);
    if (!loaded.study.limits.trials && loaded.study.limits.time)
      loaded.study.limits.trials = std::ssize(paper_trials(loaded, platform));
    loaded.study.limits.time.reset();  // real time
    loaded.study = with_gpus_by_size(loaded.study, report.gpu_from);
    loaded.study.parallel = slots_on(platform, loaded);
    loaded.study.limits.target.reset();  // scores are made up
    loaded.study.limits.patience.reset();
    run_driver(loaded, runtime, scratch.path(), scheme.kinds == Scheme::Kinds::born);
    report.devices = worker_infos(runtime.summary());
    report.trials = static_cast<std::int64_t>(StudyReader(scratch.path()).trials().size());
  });
  std::vector<rt::SimulatedRun>& runs = config.simulation->runs;
  if (record != nullptr) *record = runs;
  std::erase_if(runs, [](const rt::SimulatedRun& run) { return run.ended <= run.begun; });
  report.tasks = std::ssize(runs);
  report.moved = std::ranges::count_if(
      runs, [](const rt::SimulatedRun& run) { return run.worker.kind != run.kind; });
  report.most_memory = most_memory(runs);
  const auto ready = std::ranges::min_element(runs, {}, &rt::SimulatedRun::ready);
  const auto ended = std::ranges::max_element(runs, {}, &rt::SimulatedRun::ended);
  if (ready != runs.end()) report.seconds = ended->ended - ready->ready;
  return report;
}

}  // namespace hpo
