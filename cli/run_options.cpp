#include "cli/run_options.h"

#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/going_on.h"
#include "cli/held_isa.h"
#include "cli/runs.h"
#include "runtime/net/hosts.h"

namespace cli {

namespace {

constexpr std::int64_t kMaxWorkers = 256;
constexpr std::int64_t kMaxSlots = 4096;
constexpr std::int64_t kMaxSeed = std::int64_t{1} << 53;  // as in a study file

hpo::Engine engine_of(const std::string& word) {
  constexpr base::EnumNames<hpo::Engine> kEngines{{{hpo::Engine::automatic, "automatic"},
                                                   {hpo::Engine::sequential, "sequential"},
                                                   {hpo::Engine::starpu_cpu, "cpu"},
                                                   {hpo::Engine::starpu_cuda, "cuda"}}};
  if (const std::optional<hpo::Engine> known = kEngines.find(word)) return *known;
  const std::vector<std::string> words(kEngines.all().begin(), kEngines.all().end());
  throw base::Error(base::Errc::usage, base::cat("--executor: '", base::printable(word, 60),
                                                 "', expected automatic, sequential, cpu or cuda",
                                                 base::did_you_mean(word, words)));
}

}  // namespace

int workers_option(const Arguments& arguments) {
  return static_cast<int>(arguments.integer("--workers", 1, kMaxWorkers).value_or(0));
}

hpo::Engine engine_option(const Arguments& arguments) {
  return engine_of(arguments.text("--executor"));
}

void declare_run_options(Arguments& arguments) {
  arguments.positional("FILE", "study file (YAML)");
  declare_dir(arguments);
  arguments.option("--name", "NAME", "in place of the file's name");
  arguments.option("--seed", "N", "in place of the file's seed");
  arguments.option("--workers", "N", "number of CPU workers (default: one per core)");
  arguments.option("--executor", "E", "automatic, sequential, cpu or cuda (default: automatic)");
  arguments.flag("--no-sharing",
                 "every trial computes its own work, to compare with; never changes a result");
  arguments.flag("--quiet", "no progress, only the result");
}

hpo::StudySpec load_study(const Arguments& arguments) {
  hpo::Overrides overrides;
  if (arguments.has("--name")) overrides.name = arguments.text("--name");
  if (auto seed = arguments.integer("--seed", 0, kMaxSeed))
    overrides.seed = static_cast<std::uint64_t>(*seed);
  overrides.parallel = arguments.integer("--parallel", 1, kMaxSlots);
  if (arguments.has("--from")) overrides.from = arguments.text("--from");
  hpo::StudySpec study = hpo::load_study(arguments.text("FILE"), overrides);
  hold_to_isa(study.resources.isa);
  return study;
}

std::vector<std::string> hosts_option(const Arguments& arguments) {
  if (!arguments.has(kHosts)) return {};
  return rt::net::hosts_of(arguments.text(kHosts), kHosts);
}

hpo::RunOptions run_options(const Arguments& arguments, const hpo::StudySpec& study) {
  hpo::RunOptions options;
  options.folder = runs_folder(arguments) / study.name;
  options.workers = workers_option(arguments);
  options.sharing = !arguments.has("--no-sharing");
  options.gpu_failed = go_on_without;
  if (arguments.has("--executor")) options.engine = engine_option(arguments);
  return options;
}

}  // namespace cli
