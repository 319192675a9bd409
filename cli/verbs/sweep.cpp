#include <signal.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/process/attachment.h"
#include "base/shell.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/devices.h"
#include "cli/progress.h"
#include "cli/reports.h"
#include "cli/run_options.h"
#include "cli/runs.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/interrupt.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/driver/nodes/hosts.h"
#include "hpo/driver/nodes/slurm_jobs.h"
#include "hpo/driver/nodes/slurm_step.h"
#include "hpo/log/stop_driver.h"
#include "hpo/log/study_claim.h"
#include "hpo/samplers/registry.h"
#include "hpo/search/search.h"
#include "hpo/study/arguments.h"
#include "runtime/net/step.h"

namespace cli {

namespace {

constexpr const char* kRetryFailed = "--retry-failed";
constexpr const char* kAnyCause = "any";
constexpr const char* kNodes = "--nodes";
constexpr const char* kSlurm = "--slurm";
constexpr const char* kDetach = "--detach";
constexpr const char* kHosted = "hosted";
constexpr const char* kAttached = "--attached";

/// The cause after which trials run again; `none`: any.
hpo::Cause cause_of(const std::string& word) {
  if (word == kAnyCause) return hpo::Cause::none;
  const auto cause = word.empty() ? std::nullopt : hpo::cause_of(word);
  if (cause) return *cause;
  std::vector<std::string> words;
  for (const std::string_view known : hpo::kCauseNames.all())
    if (!known.empty()) words.emplace_back(known);
  words.emplace_back(kAnyCause);
  throw base::Error(
      base::Errc::usage,
      base::cat(kRetryFailed, ": unknown cause '", base::printable(word, 60), "', expected ",
                base::either(words), base::did_you_mean(word, words)));
}

/// How what failed runs again; empty where nothing did, or the study is over all the same.
std::string failed_line(const Arguments& arguments, const hpo::SweepResult& result) {
  const auto ended_by = [&](hpo::Finish why) {
    return result.finished && result.finished->why == why;
  };
  if (ended_by(hpo::Finish::target) || ended_by(hpo::Finish::patience) ||
      ended_by(hpo::Finish::time))
    return "";
  return text_failed(result.counts.failed,
                     base::cat(called_as(), " sweep ", arguments.retyped({kAttached, kRetryFailed}),
                               " ", kRetryFailed));
}

std::string ending(const Arguments& arguments, const hpo::StudySpec& study,
                   const hpo::RunOptions& options, const hpo::SweepResult& result) {
  const hpo::TrialCounts& counts = result.counts;
  const std::string counted = base::counted(counts.all(), "trial");
  std::string out =
      base::cat(study.name, ": ", counted, " (", counts.complete, " complete, ", counts.stopped,
                " stopped, ", counts.failed, " failed), ", short_seconds(result.seconds));
  std::string_view reason;
  if (result.finished) reason = result.finished->message;
  if (reason == counted) reason = {};  // is said already
  if (reason.starts_with(counted + ": ")) reason.remove_prefix(counted.size() + 2);
  if (!reason.empty()) out += base::cat(", ", reason);
  out += "\n";
  if (result.best) {
    const hpo::StudyReader reader(options.folder);
    out += text_best(reader, *result.best) + text_front(reader);
    out += text_baselines(reader.baselines(), reader.info().metric);
    out += text_verdict(reader.verdict(result.best->trial));
  }
  out += failed_line(arguments, result);
  return out + base::cat("everything is in ", options.folder.string(), "\n");
}

/// The limit without which the study would have gone on; empty when there is none.
std::string limit_of(hpo::Finish why) {
  if (why == hpo::Finish::exhausted || why == hpo::Finish::first) return "";
  const std::string_view other = why == hpo::Finish::target ? "better" : "larger";
  return base::cat(other, " limits.", hpo::name_of(why));
}

std::string next_steps(const Arguments& arguments, const hpo::StudySpec& study,
                       const hpo::SweepResult& result) {
  const std::string trellis = called_as();
  // Trials that fail from here on are not meant.
  const std::string again =
      base::cat(trellis, " sweep ", arguments.retyped({kAttached, kRetryFailed}), "\n");
  if (result.ending == hpo::Ending::interrupted) return base::cat("stopped; to continue: ", again);
  const bool late = result.finished && result.finished->why == hpo::Finish::time;
  if (!result.best && late && result.counts.failed == 0)
    return base::cat("next: no trial got as far as a report; with a larger limits.time, ", again);
  if (!result.best && result.counts.failed == 0 && result.counts.all() > 0)
    return base::cat("next: ", study.metric.name,
                     " is not a number in any trial; with another metric, ", again);
  if (!result.best) {
    std::string option;
    if (result.finished && study.command)
      option =
          hpo::study::dashed_option(result.finished->message, study.command.node(), study.space);
    if (!option.empty())
      return base::cat("next: for options with dashes, such as ", option,
                       ", write $args_dashes in the command (docs/command.md), then ", again);
    return base::cat("next: fix what failed, then ", again);
  }
  std::string run = study.name;
  if (arguments.has("--dir")) run = base::shell_quoted(runs_folder(arguments) / study.name);
  std::string steps = "next: ";
  if (result.model) {
    // Beside a network of train the name alone does not say which one is meant.
    const base::Path& best = result.model->file;
    const bool alone = !base::file_size(best.parent_path() / "model.safetensors");
    steps += base::cat(trellis, " predict ", alone ? run : base::shell_quoted(best), " FILE; ");
  }
  steps += base::cat(trellis, " trials ", run, "; ", trellis, " export ", run);
  if (result.finished && !hpo::is_population(study.method.kind)) {
    const std::string limit = limit_of(result.finished->why);
    if (!limit.empty())
      steps += base::cat("; a ", limit, " in the file and the same sweep again extend it");
  }
  return steps + "\n";
}

}  // namespace

void declare_sweep(Arguments& arguments) {
  declare_run_options(arguments);
  arguments.option("--parallel", "N",
                   "slots of the search in place of the file's; part of the result, and logged");
  arguments.flag(kRetryFailed, "CAUSE", kAnyCause,
                 "trials that failed before, or did so by CAUSE, run again from where they were");
  arguments.option(kHosts, "A,B,...",
                   "machines that run the tasks: names for ssh, or localhost for a part of this "
                   "machine's cores; changes no result");
  arguments.option(kNodes, "slurm:N|hosted",
                   "slurm:N: N agents, each a job that Slurm starts when it has a node free, in "
                   "place of the file's `nodes`; 0: none. hosted: agents that others start, with "
                   "`trellis ticket` or `trellis agent`; changes no result");
  arguments.option(kSlurm, "OPTIONS",
                   "what sbatch is told for each of them, such as \"-p gpu --gres=gpu:4\"");
  arguments.flag(kDetach,
                 "the driver is one of those jobs, too, and this command does not wait for it");
  arguments.flag(
      kAttached,
      "stop when standard input ends or the process that started this one: its agents end, "
      "too");
  arguments.flag("--trace",
                 "write trace.json (Perfetto) and trace.paje (ViTE) into the study's folder");
  arguments.flag("--graph", "write graph.dot into the study's folder");
}

namespace {

/// "slurm:8" or "8".
int nodes_option(const Arguments& arguments) {
  constexpr std::string_view kPrefix = "slurm:";
  constexpr std::int64_t kMost = 4096;
  const std::string text = arguments.text(kNodes);
  const auto count =
      base::parse_int(text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text);
  if (!count || *count < 0 || *count > kMost)
    throw base::Error(base::Errc::usage,
                      base::cat(kNodes, ": '", base::printable(text, 60),
                                "', expected slurm:N with N from 0 to ", kMost, ", or ", kHosted));
  return static_cast<int>(*count);
}

bool is_hosted(const Arguments& arguments) { return arguments.text(kNodes) == kHosted; }

/// What Slurm is asked for: by the command line, else by the study, where that is possible.
hpo::SlurmWish slurm_wish(const Arguments& arguments, const hpo::StudySpec& study) {
  hpo::SlurmWish wish;
  const bool silent = !arguments.has(kNodes) && !arguments.has(kHosts);
  if (arguments.has(kNodes) && !is_hosted(arguments)) wish.agents = nodes_option(arguments);
  if (silent && hpo::may_ask_slurm()) wish.agents = static_cast<int>(study.nodes.value_or(0));
  for (const char* option : {kSlurm, kDetach}) {
    if (wish.agents == 0 && arguments.has(option))
      throw base::Error(base::Errc::usage,
                        base::cat(option, " is for ", kNodes, " slurm:N",
                                  silent ? ", or `nodes` in a study file where Slurm is" : ""));
  }
  if (arguments.has(kSlurm)) wish.options = hpo::words_of(arguments.text(kSlurm), kSlurm);
  return wish;
}

/// Leaves the study to a job of Slurm.
int detach(const Arguments& arguments, const hpo::StudySpec& study, const base::Path& folder,
           const hpo::SlurmWish& wish) {
  if (arguments.has(kHosts))
    throw base::Error(base::Errc::usage, base::cat(kDetach, " and ", kHosts,
                                                   " exclude each other: the driver is a job"));
  if (hpo::is_driven(folder)) throw hpo::StudyLock::refusal(folder);
  const std::string command = base::cat(base::shell_quoted(hpo::program_file()), " sweep ",
                                        arguments.retyped({kDetach, kNodes, kSlurm, kRetryFailed}));
  std::string first;  // the start that it is asked for, not those after it
  if (arguments.has(kRetryFailed))
    first = base::cat(kRetryFailed, "=", arguments.text(kRetryFailed));
  const std::string job =
      hpo::submit_driver(std::filesystem::absolute(folder), wish, command, first);
  const std::string trellis = called_as();
  std::string run = study.name;
  if (arguments.has("--dir")) run = base::shell_quoted(folder);
  print_result(base::cat("job ", job, " of Slurm drives ", study.name, "\nnext: ", trellis,
                         " status ", run, "; ", trellis, " stop ", run, "\n"));
  return kDone;
}

int drive(const Arguments& arguments, const hpo::StudySpec& study, hpo::RunOptions options) {
  options.hosts = hosts_option(arguments);
  options.hosted = is_hosted(arguments);
  options.attached = arguments.has(kAttached);
  if (arguments.has("--trace")) options.trace_file = options.folder / "trace.json";
  if (arguments.has("--graph")) options.graph_file = options.folder / "graph.dot";
  if (arguments.has(kRetryFailed)) options.retry_failed = cause_of(arguments.text(kRetryFailed));
  hpo::Interrupts interrupts;
  options.interrupts = interrupts.asked();
  std::optional<base::Attachment> attachment;
  if (arguments.has(kAttached))
    attachment.emplace(true, [&interrupts](const std::stop_token&) {
      // A second signal would end the process at once.
      if (interrupts.asked()->load() == 0) (void)::raise(SIGTERM);
    });
  ProgressDisplay display(study.name, hpo::objective_of(study), study.runs_command,
                          arguments.has("--quiet"), options.folder);
  hpo::SweepResult result = hpo::run_sweep(study, options, display);
  display.finish();
  print_result(ending(arguments, study, options, result));
  if (study.report != hpo::WriteReport::off) name_report(options.folder);
  const hpo::StudyReader reader(options.folder);
  if (options.on_agents()) {
    if (!arguments.has("--quiet"))
      std::fputs((nodes_text(reader.nodes()) + lent_text(reader.work())).c_str(), stderr);
  } else if (!arguments.has("--quiet") && !study.runs_command) {
    std::fputs(devices_text(reader.workers(), Cores::together).c_str(), stderr);
  }
  if (!arguments.has("--quiet") || result.ending == hpo::Ending::interrupted)
    std::fputs(next_steps(arguments, study, result).c_str(), stderr);
  return result.exit_code();
}

/// A task of a Slurm step that is not the first. What is wrong with the study that one says.
int be_agent(const Arguments& arguments, const rt::net::Step& step) {
  hpo::RunOptions options;
  try {
    options = run_options(arguments, load_study(arguments));
    base::make_folder(options.folder);
  } catch (const base::Error& error) {
    // What this machine lacks the first one's may have.
    if (error.kind() == base::Errc::no_device) throw;
    return base::exit_code(error.kind());
  }
  return hpo::work_in_step(
      step, {.folder = options.folder, .workers = options.workers, .engine = options.engine});
}

}  // namespace

int run_sweep_verb(const Arguments& arguments) {
  const bool told = arguments.has(kHosts) || arguments.has(kNodes);
  const auto step = told ? std::nullopt : rt::net::current_step();
  if (step && step->rank == 0 && (arguments.has(kDetach) || arguments.has(kSlurm)))
    throw base::Error(base::Errc::usage, base::cat(kDetach, " and ", kSlurm, " are for ", kNodes,
                                                   " slurm:N; these nodes are there already"));
  if (step && step->rank > 0) return be_agent(arguments, *step);
  const hpo::StudySpec study = load_study(arguments);
  hpo::RunOptions options = run_options(arguments, study);
  if (!step) {
    options.slurm = slurm_wish(arguments, study);
    if (arguments.has(kDetach)) return detach(arguments, study, options.folder, options.slurm);
    const base::Path folder = options.folder;
    const int code = drive(arguments, study, std::move(options));
    const bool stopped = code == base::exit_code(base::Errc::cancelled);
    if (stopped && hpo::is_submitted_driver() && !base::file_size(hpo::stop_wish(folder)))
      hpo::requeue_this_job();
    return code;
  }
  options.step = &*step;
  return hpo::lead_step(*step, options.folder, [&] { return drive(arguments, study, options); });
}

}  // namespace cli
