#include "hpo/driver/programs/command_end.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/driver/programs/printed_metric.h"
#include "hpo/driver/programs/start_failure.h"
#include "hpo/driver/programs/visible_text.h"
#include "hpo/log/metrics.h"
#include "hpo/search/diverged.h"

namespace hpo {

namespace {

Ended failed(Cause cause, std::string message) {
  return {TrialState::failed, cause, std::move(message)};
}

bool decides(const StudySpec& study, std::string_view metric) {
  const std::vector<std::string> names = deciding_metrics(study);
  return std::ranges::find(names, metric) != names.end();
}

/// As the C library's `sigabbrev_np`, which those before 2.32 do not have.
using Signal = std::pair<int, std::string_view>;
constexpr Signal kSignals[] = {
    {SIGHUP, "HUP"},   {SIGINT, "INT"},       {SIGQUIT, "QUIT"}, {SIGILL, "ILL"},
    {SIGTRAP, "TRAP"}, {SIGABRT, "ABRT"},     {SIGBUS, "BUS"},   {SIGFPE, "FPE"},
    {SIGKILL, "KILL"}, {SIGUSR1, "USR1"},     {SIGSEGV, "SEGV"}, {SIGUSR2, "USR2"},
    {SIGPIPE, "PIPE"}, {SIGALRM, "ALRM"},     {SIGTERM, "TERM"}, {SIGSTKFLT, "STKFLT"},
    {SIGCHLD, "CHLD"}, {SIGCONT, "CONT"},     {SIGSTOP, "STOP"}, {SIGTSTP, "TSTP"},
    {SIGTTIN, "TTIN"}, {SIGTTOU, "TTOU"},     {SIGURG, "URG"},   {SIGXCPU, "XCPU"},
    {SIGXFSZ, "XFSZ"}, {SIGVTALRM, "VTALRM"}, {SIGPROF, "PROF"}, {SIGWINCH, "WINCH"},
    {SIGPOLL, "POLL"}, {SIGPWR, "PWR"},       {SIGSYS, "SYS"}};

std::string signal_words(int signal) {
  const auto* const found = std::ranges::find(kSignals, signal, &Signal::first);
  std::string words = base::cat("killed by signal ", signal);
  return found != std::end(kSignals) ? base::cat(words, " (SIG", found->second, ")") : words;
}

/// Hydra ends with this advice, whatever went wrong. Above it stands an error of Python, or one of
/// Hydra's with a list of folders below.
constexpr std::string_view kAdvice = "Set the environment variable HYDRA_FULL_ERROR";

std::string with_last(std::string what, std::vector<std::string> last, Library library) {
  const auto drop = [&](auto drops) {
    while (!last.empty() && drops(last.back())) last.pop_back();
  };
  drop(is_blank);
  if (!last.empty() && last.back().starts_with(kAdvice)) {
    last.pop_back();
    drop([](const std::string& line) {
      return is_blank(line) || line.starts_with("\\t") || line.ends_with(':');
    });
  }
  if (last.empty()) return what;
  what += base::cat("; it printed last: ", last.back());
  if (last.back().find("No API key configured") != std::string::npos)
    what += library == Library::wandb
                ? "; with library: wandb, a trial has no connection to W&B: leave wandb.agent and "
                  "mode=\"online\" out of the script"
                : "; with library: wandb in the study file, a trial needs no account";
  return what;
}

std::vector<std::string> names_of(const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name);
  return names;
}

/// What to say of a program that ended well and did not report the metric; `others` is what it did
/// report.
std::string nothing_reported(const Metric& metric, const StudySpec& study, const Metrics& others,
                             const std::optional<NoNumber>& no_number,
                             const std::vector<std::string>& printed) {
  std::string message = base::cat("exited with status 0 without reporting ", metric.name);
  if (no_number && no_number->as_step)
    return base::cat(
        message, ": metric.regex took \"", base::printable(no_number->text, 120),
        "\" for the step, expected a whole number; if the value comes before the step, "
        "name the groups: (?P<value>...) and (?P<step>...)");
  if (no_number && no_number->of_output)
    return base::cat(message, ": metric.regex took \"", base::printable(no_number->text, 120),
                     "\", which is not a number; put the group around the number");
  if (no_number)
    return base::cat(message, ": its report has ", base::printable(no_number->text, 120),
                     ", expected a number such as 0.5, without quotes");
  const std::optional<PrintedMetric> number =
      find_printed(metric.name, printed, names_of(study.space));
  const std::string reads = number
                                ? base::cat("; it printed \"", base::printable(number->text, 120),
                                            "\", which metric.regex: '",
                                            base::printable(number->expression, 120), "' reads")
                                : "";
  if (!metric.regex.empty())
    return base::cat(message, ", expected a line of its output that metric.regex matches", reads);
  std::vector<std::string> names;
  for (const auto& [name, value] : others) names.push_back(name);
  if (!names.empty())
    message += base::cat(" (it reported ", base::printable(base::listed(names), 200), ")");
  const std::string call = study.library == Library::wandb
                               ? base::cat("wandb.log({\"", metric.name, "\": 0.5})")
                               : base::cat("a line such as {\"step\": 1, \"", metric.name,
                                           "\": 0.5} in the file $TRELLIS_METRICS");
  return base::cat(message, ", expected ", call, base::did_you_mean(metric.name, names),
                   names.empty() ? reads : "");
}

void require_reports(const StudySpec& study, const CommandReports& reports,
                     const std::vector<std::string>& printed) {
  const std::string* name = reports.missing();
  if (name == nullptr) return;
  const auto is_it = [&](const Metric& metric) { return metric.name == *name; };
  const auto other = std::ranges::find_if(study.others, is_it);
  const Metric metric = is_it(study.metric)           ? study.metric
                        : other != study.others.end() ? *other
                                                      : Metric{.name = *name};
  throw TrialFailure(Cause::error, nothing_reported(metric, study, reports.pending(),
                                                    reports.no_number(*name), printed));
}

}  // namespace

Ended command_end(const StudySpec& study, const std::string& path,
                  const tasks::SupervisorNews& news, const std::vector<std::string>& last,
                  bool starved) {
  using base::ProcessEnd;
  const Limits& limits = study.limits;
  constexpr int kShellsKill = 128 + SIGKILL;
  switch (news.end) {
    case ProcessEnd::exited:
      if (news.status == 0 || decides(study, "exit")) return {};
      if (starved && news.status == kShellsKill)
        return failed(Cause::out_of_memory, "killed by the system, which had no memory left");
      return failed(Cause::error,
                    with_last(base::cat("exited with status ", news.status), last, study.library));
    case ProcessEnd::killed:
      if (starved && news.status == SIGKILL)
        return failed(Cause::out_of_memory, "killed by the system, which had no memory left");
      return failed(Cause::killed, with_last(signal_words(news.status), last, study.library));
    case ProcessEnd::timed_out:
      return failed(Cause::timeout,
                    base::cat("limits.trial_time of ",
                              base::format_seconds(limits.trial_time.value_or(0)), " is over"));
    case ProcessEnd::stalled:
      return failed(Cause::timeout, base::cat("neither output nor a report for ",
                                              base::format_seconds(limits.no_progress.value_or(0)),
                                              ", as long as limits.no_progress allows"));
    case ProcessEnd::out_of_memory:
      return failed(Cause::out_of_memory, "took more than resources.memory");
    case ProcessEnd::refused:
      return failed(Cause::error, start_failure(path, news.status));
    case ProcessEnd::stopped:
      return failed(Cause::killed, "was stopped");
    case ProcessEnd::flooded:  // a trial's log is cut instead
    case ProcessEnd::lost:
      break;
  }
  return failed(Cause::lost, "its supervisor was killed, and the program with it");
}

void require_numbers(const StudySpec& study, const Report& report) {
  const std::string why = reason_diverged(study, report.value, report.metrics, report.step);
  if (!why.empty()) throw TrialFailure(Cause::diverged, why);
}

std::optional<Report> closing_report(const StudySpec& study, CommandReports& reports, int status,
                                     double seconds, const std::vector<std::string>& printed) {
  Metrics measures;
  for (const std::string& name : deciding_metrics(study)) {
    if (name == "exit") measures.emplace_back(name, status);
    if (name == "seconds") measures.emplace_back(name, seconds);
  }
  std::optional<Report> last = reports.closing(measures);
  require_reports(study, reports, printed);
  if (last) require_numbers(study, *last);
  return last;
}

bool may_be_of_the_job(const tasks::SupervisorNews& news) {
  constexpr int kShells = 128;  ///< a shell's status of what a signal killed, above its number
  if (!news.over || news.job_signal) return news.over;
  const bool killed = news.end == base::ProcessEnd::killed;
  if (!killed && news.end != base::ProcessEnd::exited) return false;
  const int signal = killed ? news.status : news.status - kShells;
  return signal == SIGTERM || signal == SIGINT;
}

std::uint64_t killed_for_memory() {
  const base::File file(::open("/proc/vmstat", O_RDONLY | O_CLOEXEC));
  std::string text(65536, '\0');
  text.resize(base::read_into(file.fd(), std::as_writable_bytes(std::span(text))).bytes);
  constexpr std::string_view kName = "\noom_kill ";
  const std::size_t at = text.find(kName);
  return at == text.npos ? 0 : std::strtoull(text.c_str() + at + kName.size(), nullptr, 10);
}

}  // namespace hpo
