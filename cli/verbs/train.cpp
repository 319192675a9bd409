#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/run_options.h"
#include "cli/runs.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/train_progress.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/interrupt.h"
#include "hpo/driver/nodes/gang_hosts.h"
#include "hpo/driver/nodes/slurm_step.h"
#include "hpo/log/event.h"
#include "hpo/study/asked.h"
#include "runtime/net/step.h"
#include "runtime/net/sums/schedule.h"

namespace cli {

namespace {

/// The params of the trial that `word`, RUN:TRIAL, names.
hpo::Params params_of_trial(const Arguments& arguments, const std::string& word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string::npos)
    throw base::Error(base::Errc::usage, base::cat("--trial: '", base::printable(word, 60),
                                                   "', expected RUN:NUMBER or RUN:best"));
  const hpo::StudyReader run(hpo::find_run(word.substr(0, colon), runs_folder(arguments)));
  return trial_to_repeat(run, word.substr(colon + 1), "--trial").params;
}

/// The one set of params of a file without parameters, or what --set and --trial name.
hpo::Params chosen_params(const Arguments& arguments, const hpo::StudySpec& study) {
  hpo::Params given, base;
  if (arguments.has("--trial")) base = params_of_trial(arguments, arguments.text("--trial"));
  for (const std::string& word : arguments.texts("--set")) {
    std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::Error(base::Errc::usage,
                        base::cat("--set: '", base::printable(word, 60), "', expected NAME=VALUE"));
    given.set(word.substr(0, equals), hpo::parse_value(word.substr(equals + 1)));
  }
  hpo::Params params = study.space.adopt(given, base);
  std::string wrong = study.space.reason_outside(params);
  if (!wrong.empty())
    throw base::Error(
        base::Errc::usage,
        base::cat(wrong, study.space.size() == 0
                             ? ""
                             : "; give every parameter with --set NAME=VALUE or --trial RUN:N"));
  return params;
}

/// What an adapting network spent on its rounds, and where what it tried can be read.
std::string rounds_summary(const hpo::TrainResult& result, const base::Path& folder) {
  if (result.rounds.empty()) return "";
  std::size_t tried = 0;
  double spent = 0;
  for (const hpo::Adapted& round : result.rounds) {
    tried += round.candidates.size();
    for (const hpo::Tried& candidate : round.candidates) spent += candidate.flops;
  }
  return base::cat(", of which ", short_amount(spent, "FLOP"), " on ", tried, " candidates in ",
                   result.rounds.size(),
                   " rounds\n  tried: ", (folder / "model-candidates.csv").string());
}

/// What the members of its gang did together.
tasks::MemberUse use_of_all(const hpo::TrainResult& result) {
  return std::accumulate(result.members.begin(), result.members.end(), tasks::MemberUse());
}

/// How busy the members of a gang were while they trained, what they sent, and who was lost.
std::string gang_summary(const hpo::TrainResult& result) {
  const tasks::MemberUse all = use_of_all(result);
  if (all.bytes == 0) return "";  // the store had it all
  const std::string busy = base::listed(result.members, [](const tasks::MemberUse& member) {
    return base::cat(std::lround(100 * tasks::compute_ratio(member)), "%");
  });
  std::string out =
      result.staged
          ? base::cat("  pipeline: ", result.members.size(), " members with a stage each, sent ",
                      base::format_bytes(all.bytes), ", busy ", busy,
                      ", the rest of the time waiting for other stages\n")
          : base::cat("  gang: ", result.members.size(), " members, sums sent ",
                      base::format_bytes(all.bytes), ", busy ", busy,
                      ", the rest of the time waiting for sums; computing hid ",
                      std::lround(100 * tasks::overlap_of(all)), "% of their time\n");
  const tasks::GangChanges& changes = result.changes;
  if (changes.lost > 0)
    out += base::cat("  lost: ", changes.lost, changes.lost == 1 ? " member, " : " members, ",
                     changes.joined, " replaced, the longest pause between two steps ",
                     short_seconds(changes.longest_pause), "\n");
  return out;
}

std::string json_of(const hpo::StudySpec& study, const hpo::TrainResult& result) {
  const hpo::TrialRow& trial = result.trial;
  base::JsonWriter json;
  json.begin_object().field("study", study.name).field("state", hpo::name_of(trial.state));
  json.key("cause");
  trial.cause == hpo::Cause::none ? json.null() : json.value(hpo::name_of(trial.cause));
  json.field("metric", result.metric).field("value", trial.value);
  json.key("params").raw(hpo::json_of(trial.params));
  json.key("metrics").raw(hpo::json_of(trial.metrics));
  json.field("epochs", trial.epochs).field("seconds", result.seconds);
  json.key("flops").begin_object().field("train", trial.train_flops);
  json.field("inference", result.inference_flops).end_object();
  json.field("weights", result.weights).field("shape", result.shape);
  if (!result.rounds.empty()) {
    json.key("rounds").begin_array();
    for (const hpo::Adapted& round : result.rounds) json.raw(hpo::payload_of(round));
    json.end_array();
  }
  if (!result.members.empty()) {
    json.key("members").begin_array();
    for (const tasks::MemberUse& member : result.members)
      json.begin_object()
          .field("busy_seconds", member.busy)
          .field("waiting_seconds", member.waited)
          .field("communication_seconds", member.moved)
          .field("compute_ratio", tasks::compute_ratio(member))
          .field("overlap", tasks::overlap_of(member))
          .field("bytes", member.bytes)
          .end_object();
    json.end_array();
    const tasks::MemberUse all = use_of_all(result);
    json.key("gang").begin_object().field("members", result.members.size());
    json.field("stages", result.staged ? result.members.size() : 1);
    json.field("ratio", tasks::compute_ratio(all)).field("bytes", all.bytes);
    json.field("overlap", tasks::overlap_of(all)).end_object();
    const tasks::GangChanges& changes = result.changes;
    json.key("changes").begin_object().field("lost", changes.lost).field("joined", changes.joined);
    json.field("longest_pause_seconds", changes.longest_pause);
    json.field("longest_join_seconds", changes.longest_join).end_object();
  }
  if (!result.arrivals.empty()) json.field("arrivals", result.arrivals.string());
  json.key("model");
  result.model.empty() ? json.null() : json.value(result.model.string());
  json.key("verdict").raw(hpo::verdict_json(result.verdict));
  json.key("calibration").raw(hpo::calibrated_json(result.calibration));
  json.end_object();
  return std::move(json).text();
}

std::string text_of(const hpo::StudySpec& study, const hpo::TrainResult& result,
                    const base::Path& folder) {
  const hpo::TrialRow& trial = result.trial;
  const bool unfinished = result.ending == hpo::Ending::interrupted;
  std::string out = base::cat(study.name, ": ", unfinished ? "stopped" : hpo::name_of(trial.state),
                              " after ", trial.epochs);
  if (unfinished) out += base::cat(" of ", result.epochs);
  out += base::cat(trial.epochs == 1 && !unfinished ? " epoch, " : " epochs, ",
                   short_seconds(result.seconds), "\n");
  if (!trial.message.empty()) out += base::cat("  ", trial.message, "\n");
  for (const auto& [name, value] : trial.metrics)
    out += base::cat("  ", name, " = ", result_number(value), "\n");
  if (!trial.params.empty()) out += base::cat("  params: ", hpo::text_of(trial.params), "\n");
  out += base::cat("  shape: ", result.shape, ", ", result.weights, " weights, one row ",
                   short_amount(result.inference_flops, "FLOP"), "\n  cost: training ",
                   short_amount(trial.train_flops, "FLOP"), rounds_summary(result, folder), "\n",
                   gang_summary(result));
  if (!result.arrivals.empty())
    out += base::cat("  arrivals: ", result.arrivals.string(), ", repeats it with --replay\n");
  if (!result.model.empty()) out += base::cat("  model: ", result.model.string(), "\n");
  out += text_calibration(result.calibration) + text_verdict(result.verdict);
  return out;
}

constexpr const char* kExecution = "--execution";

/// Reads the number behind `kind` if the word begins with it.
bool take_number(const std::string& word, std::string_view kind, int most, int& number) {
  if (!word.starts_with(kind)) return false;
  const char* const end = word.data() + word.size();
  const auto [stop, code] = std::from_chars(word.data() + kind.size(), end, number);
  if (code == std::errc{} && stop == end && number >= 1 && number <= most) return true;
  throw base::Error(base::Errc::usage,
                    base::cat(kExecution, ": '", base::printable(word, 60), "', expected ", kind,
                              " and a number from 1 to ", most));
}

void require_members(int members) {
  if (members > rt::net::sums::kMostMembers)
    throw base::Error(base::Errc::usage,
                      base::cat("a gang has at most ", rt::net::sums::kMostMembers,
                                " members, and these would be ", members));
}

/// The processes that the command line has for a gang, this one included.
int processes(const hpo::RunOptions& options) {
  if (options.step != nullptr) return options.step->tasks;
  return static_cast<int>(options.hosts.size()) + 1;
}

/// How many processes there may be where the way to run a step is chosen.
int most_members(const hpo::StudySpec& study, const hpo::RunOptions& options) {
  const std::int64_t asked = study.resources.members.value_or(0);
  const int most = options.on_agents() ? processes(options) : rt::net::sums::kMostMembers;
  return static_cast<int>(
      std::min<std::int64_t>({most, rt::net::sums::kMostMembers, asked > 0 ? asked : most}));
}

/// Without --execution: a gang of all processes that there are, unless `resources.members` says how
/// many there may be.
void take_members(const hpo::StudySpec& study, hpo::RunOptions& options) {
  options.members = processes(options);
  options.members_asked = options.step != nullptr ? "several tasks of one step" : kHosts;
  if (study.resources.members) {
    options.members = most_members(study, options);
    options.chooses = options.members > 1;
  }
  require_members(options.members);
}

/// What --execution says.
void take_execution(const Arguments& arguments, const hpo::StudySpec& study,
                    hpo::RunOptions& options) {
  constexpr int kMostStages = 64;
  static const std::vector<std::string> kWords{"serial", "shards", "gang:2", "pipeline:2", "auto"};
  if (!arguments.has(kExecution)) return take_members(study, options);
  const std::string word = arguments.text(kExecution);
  options.members_asked = base::cat(kExecution, ": ", word);
  if (word == "auto") {
    options.chooses = true;
    options.members = most_members(study, options);
    return;
  }
  if (options.on_agents() && !word.starts_with("gang:") && !word.starts_with("pipeline:"))
    throw base::Error(
        base::Errc::usage,
        base::cat(kExecution, ": '", base::printable(word, 60),
                  "', expected gang:N, pipeline:N or auto ",
                  options.step != nullptr ? "for several tasks of one step" : "beside --hosts"));
  options.serially = word == "serial";
  if (options.serially || word == "shards") return;
  const bool staged = take_number(word, "pipeline:", kMostStages, options.stages);
  if (staged && options.on_agents()) options.members = options.stages;
  if (staged || take_number(word, "gang:", rt::net::sums::kMostMembers, options.members)) {
    if (options.step != nullptr && options.members > options.step->tasks)
      throw base::Error(base::Errc::usage,
                        base::cat(kExecution, ": '", word, "', expected at most ",
                                  options.step->tasks, " members, the tasks of this step"));
    return;
  }
  throw base::Error(base::Errc::usage,
                    base::cat(kExecution, ": '", base::printable(word, 60),
                              "', expected serial, shards, gang:N, pipeline:N or auto",
                              base::did_you_mean(word, kWords)));
}

int train(const Arguments& arguments, hpo::StudySpec study, hpo::RunOptions options) {
  hpo::Params params = chosen_params(arguments, study);
  // Nobody is compared, so no rule has to see it at its rungs: it reports after every epoch. But a
  // trial of a study keeps its rungs, where the store has its networks.
  if (!arguments.has("--trial")) study.early_stop = {"none", {}};
  hpo::Interrupts interrupts;
  options.interrupts = interrupts.asked();
  TrainDisplay display(study.name, arguments.has("--quiet"));
  hpo::TrainResult result = hpo::train_once(study, params, options, display);
  display.finish();
  print_view(
      arguments, [&] { return json_of(study, result); },
      [&] { return text_of(study, result, options.folder); });
  if (result.ending == hpo::Ending::interrupted)
    std::fputs(base::cat("what is done is kept; to continue: ", called_as(), " train ",
                         arguments.retyped(), "\n")
                   .c_str(),
               stderr);
  return result.exit_code();
}

/// A task of a step that is not the first. What is wrong with the study that one says.
int be_member(const Arguments& arguments, const hpo::StudySpec& study, const rt::net::Step& step) {
  const base::Path folder = run_options(arguments, study).folder;
  base::make_folder(folder);
  return hpo::work_in_step(step, folder, [&](const std::function<bool()>& ended) {
    return hpo::be_member_in_step(study, folder, step.node, ended);
  });
}

}  // namespace

void declare_train(Arguments& arguments) {
  declare_run_options(arguments);
  arguments.option("--set", "NAME=VALUE", "a parameter of the file", true);
  arguments.option("--trial", "RUN:N",
                   "the parameters of a trial, or of RUN:best; --set changes single ones");
  arguments.option("--from", "MODEL",
                   "a trained network to continue from, instead of the file's `from.model`");
  arguments.option(
      "--execution", "E",
      "where the shards of a batch are computed: serial, shards (side by side), gang:N "
      "(N processes), pipeline:N (N stages of the network; with --hosts or in a step, each in a "
      "process) or auto (what takes the least time on paper) (default: shards, or a gang of all "
      "--hosts); never changes a result");
  arguments.option(kHosts, "LIST",
                   "machines of the other members of a gang or a pipeline, in turn: names for ssh, "
                   "or localhost, with commas between them; each sees the program at the same "
                   "path");
  arguments.option("--replay", "FILE",
                   "the arrivals of a training with `staleness: {order: arrival}`, to repeat it");
  declare_json(arguments);
}

int run_train(const Arguments& arguments) {
  hpo::StudySpec study = load_study(arguments);
  hpo::require_own_trials(study);
  if (study.runs_command)
    throw base::Error(base::Errc::usage,
                      base::cat(arguments.text("FILE"),
                                " runs a command, but train trains a network; use trellis sweep, "
                                "or rerun for one trial"));
  const auto step = arguments.has(kHosts) ? std::nullopt : rt::net::current_step();
  if (step && step->rank > 0) return be_member(arguments, study, *step);
  hpo::RunOptions options = run_options(arguments, study);
  if (step) options.step = &*step;
  options.hosts = hosts_option(arguments);
  take_execution(arguments, study, options);
  if (arguments.has("--replay")) options.repeat = arguments.text("--replay");
  if (!step) return train(arguments, std::move(study), options);
  return hpo::lead_step(*step, options.folder,
                        [&] { return train(arguments, std::move(study), options); });
}

}  // namespace cli
