#include "hpo/driver/networks/asking.h"

#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hpo/driver/trial_work.h"

namespace hpo {

namespace {

/// The last lines of an error stream, as the end of a message.
std::string last_lines(std::string_view errors) {
  constexpr std::size_t kMost = 400;
  while (!errors.empty() && (errors.back() == '\n' || errors.back() == ' '))
    errors.remove_suffix(1);
  if (errors.empty()) return "";
  std::size_t begin = errors.size() > kMost ? errors.size() - kMost : 0;
  if (const std::size_t line = errors.find('\n', begin); begin > 0 && line != errors.npos)
    begin = line + 1;
  return base::cat("; it wrote: ", base::printable(errors.substr(begin), kMost));
}

/// The beginning of an answer.
std::string shown(std::string_view answer) {
  while (!answer.empty() && answer.back() == '\n') answer.remove_suffix(1);
  return answer.empty() ? "nothing" : base::printable(answer, 120);
}

Cause cause_of(const base::ProgramResult& result) {
  if (result.end == base::ProcessEnd::timed_out) return Cause::timeout;
  return result.end == base::ProcessEnd::killed ? Cause::killed : Cause::error;
}

}  // namespace

base::Program program_of(const nn::Adaptation& adaptation, std::string question,
                         std::uint64_t trial, std::int64_t cpus) {
  return {.command = adaptation.command,
          .folder = adaptation.folder,
          .environment = {{"TRELLIS_TRIAL", std::to_string(trial)},
                          {"OMP_NUM_THREADS", std::to_string(cpus)}},
          .input = std::move(question),
          .timeout = adaptation.timeout};
}

nn::Turn turn_of(const base::Program& program, const base::ProgramResult& result,
                 nn::Policy& policy, const nn::Situation& situation) {
  const std::string who = base::cat("adapt.command: ", base::title(program));
  if (result.end != base::ProcessEnd::exited || result.status != 0) {
    throw TrialFailure(cause_of(result),
                       base::cat(who, " ", base::end_text(program, result), ", expected an answer",
                                 last_lines(result.errors)));
  }
  try {
    return policy.answered(situation, result.output);
  } catch (const base::Error& error) {
    throw TrialFailure(Cause::error,
                       base::cat(who, " answered ", shown(result.output), ": ",
                                 base::printable(error.what(), 400), last_lines(result.errors)));
  }
}

}  // namespace hpo
