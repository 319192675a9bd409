#include "hpo/driver/nodes/agent.h"

#include <cstdio>
#include <optional>

#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "hpo/driver/interrupt.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/programs/program_host.h"
#include "hpo/driver/run_config.h"
#include "hpo/study/asked.h"
#include "runtime/instance.h"
#include "runtime/nodes.h"
#include "tasks/tasks.h"

namespace hpo {

std::string_view engine_word(Engine engine) noexcept {
  switch (engine) {
    case Engine::sequential:
      return "sequential";
    case Engine::starpu_cpu:
      return "cpu";
    case Engine::starpu_cuda:
      return "cuda";
    case Engine::automatic:
      break;
  }
  return "automatic";
}

int run_agent(const AgentOptions& options) {
  base::take_part_of_cores(options.part, options.parts);
  const NetFolder net(options.folder);
  if (!net.driver())
    throw base::Error(
        base::Errc::usage,
        base::cat(options.folder.string(),
                  ": no driver waits for agents there: start the sweep with --hosts"));
  const StudySpec study =
      parse_study(base::read_file(options.folder / "study.yaml"), "study.yaml", "/");
  if (!study.runs_command) tasks::setup_process();
  RunOptions run;
  run.folder = options.folder;
  run.workers = options.workers;
  run.engine = options.engine;
  const Interrupts interrupts;
  const auto leaving = [&interrupts] { return interrupts.asked()->load() > 0; };
  std::optional<ProgramHost> programs;
  if (study.runs_command) programs.emplace(study, options.folder, leaving);
  rt::Config config = config_of(run, study);
  config.pace_file.clear();
  const rt::Runtime runtime(config);
  if (!study.runs_command) prepare_gpu(trial_resources(study, study.space.middle()));
  rt::AgentConfig agent;
  agent.identity = rt::net::load_network().issue(net.authority(), false);
  agent.address = [&net] {
    const auto driver = net.driver();
    return driver ? driver->address : std::string();
  };
  agent.node = options.node.empty() ? base::host_name() : options.node;
  agent.build = rt::program_stamp();
  agent.arithmetic = tasks::arithmetic(study.precision);
  agent.stopping = leaving;
  std::string text;
  const rt::net::Dismissal why = rt::serve(agent, text);
  if (!text.empty()) base::warn(text);
  return rt::exit_code(why);
}

}  // namespace hpo
