#include "cli/self_test/test_study.h"
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/executable.h"
#include "base/process/program.h"
#include "base/process/start.h"
#include "base/text.h"
#include "hpo/export/export.h"
#include "hpo/log/study_reader.h"

namespace cli {

namespace {

constexpr const char* kName = "self-test";
constexpr const char* kTooLate =
    " was not through when the minute was over: try again while the machine has less to do";

// Large enough that a kill meets it half-way, small enough that eight runs fit into the minute. Its
// value is a loss, which shows every bit, and its layers use each of exp, erf and tanh.
constexpr std::string_view kStudy = R"(name: self-test
seed: 7
data: {csv: table.csv, target: kind, split: {valid: 0.25, test: 0.25}, scale: standard}
network:
  - dense: {units: $width, activation: gelu}
  - batch_norm
  - dropout: {rate: 0.1}
  - dense: {units: 12, activation: tanh}
train: {optimizer: {type: $optimizer, lr: $lr}, batch: 16, epochs: 9, shards: 2}
metric: {name: valid.loss, goal: minimize}
method: tpe
parameters:
  lr: {min: 1e-3, max: 1e-1, scale: log}
  width: {type: int, min: 8, max: 48}
  optimizer: {values: [adam, sgd, rmsprop]}
early_stop: {type: asha, min: 1, eta: 3}
parallel: 8
limits: {trials: 48}
)";
constexpr int kRows = 2400, kColumns = 6;

/// Rows of halves and one of three classes, by whole numbers alone.
std::string table() {
  std::string out;
  for (int column = 0; column < kColumns; ++column) out += base::cat("x", column, ",");
  out += "kind\n";
  std::uint32_t state = 7;
  const auto draw = [&state] {
    state = state * 1664525U + 1013904223U;
    return static_cast<int>(state >> 16) % 101 - 50;
  };
  for (int row = 0; row < kRows; ++row) {
    int sum = draw() / 2;
    for (int column = 0; column < kColumns; ++column) {
      const int value = draw();
      if (column < 3) sum += value;
      out += base::cat(value * 0.5, ",");
    }
    out += sum < -20 ? "low\n" : sum < 20 ? "middle\n" : "high\n";
  }
  return out;
}

/// The last line of a text that says something, fit for a message.
std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t before = text.rfind('\n');
  if (before != std::string_view::npos) text.remove_prefix(before + 1);
  return text.empty() ? "" : base::cat(": ", base::printable(text, 300));
}

/// Waits for the end of a process.
int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

base::Error failed_check(const std::string& what) { return {base::Errc::internal, what}; }

TestStudy::TestStudy(base::Moment deadline)
    : deadline_(deadline), folder_("trellis-self-test-"), program_(base::this_program().string()) {
  base::write_file_atomic(folder_.path() / "study.yaml", kStudy, base::Durability::cached);
  base::write_file_atomic(folder_.path() / "table.csv", table(), base::Durability::cached);
}

std::string TestStudy::call(const std::vector<std::string>& words, const Environment& more,
                            int also) const {
  constexpr double kLeast = 0.1;  // seconds; 0 would be no limit
  base::Program program{.command = {program_},
                        .folder = folder_.path().string(),
                        .environment = more,
                        .timeout = std::max(kLeast, base::seconds(deadline_ - base::now()))};
  program.command.insert(program.command.end(), words.begin(), words.end());
  base::ProgramResult result = base::run_program(program);
  const bool good =
      result.end == base::ProcessEnd::exited && (result.status == 0 || result.status == also);
  if (good) return std::move(result.output);
  if (result.end == base::ProcessEnd::timed_out)
    throw failed_check(base::cat("trellis ", words.at(0), kTooLate));
  throw failed_check(base::cat("trellis ", words.at(0), " ", base::end_text(program, result),
                               last_line(result.errors)));
}

void TestStudy::require_time() const {
  if (base::now() > deadline_) throw failed_check("the minute was over before it began");
}

std::vector<std::string> TestStudy::sweep(const std::string& place) const {
  return {"sweep", "study.yaml", "--dir", place, "--quiet"};
}

std::string TestStudy::exported(const std::string& place) const {
  return hpo::export_csv(hpo::StudyReader(folder_.path() / place / kName));
}

std::string TestStudy::run(const std::string& place, const std::vector<std::string>& options,
                           const Environment& more) const {
  std::vector<std::string> words = sweep(place);
  words.insert(words.end(), options.begin(), options.end());
  (void)call(words, more);
  return exported(place);
}

const std::string& TestStudy::undisturbed() {
  if (undisturbed_.empty()) undisturbed_ = run("undisturbed", {});
  return undisturbed_;
}

bool TestStudy::kill_after(const std::string& place, std::int64_t trials) const {
  constexpr auto kLook = std::chrono::milliseconds(1);
  std::vector<std::string> words = sweep(place);
  words.insert(words.begin(), program_);
  const base::Spawned child = base::spawn({.path = program_,
                                           .words = words,
                                           .environment = base::environment_with({}),
                                           .folder = folder_.path().string()},
                                          {.input = true, .output = true, .errors = true});
  int status = 0;
  while (::waitpid(child.process, &status, WNOHANG) == 0) {
    const bool late = base::now() > deadline_;
    if (late || std::ssize(ended(place)) >= trials) {
      (void)::kill(-child.process, SIGKILL);
      status = wait_for(child.process);
      if (late) throw failed_check(base::cat("trellis sweep", kTooLate));
      break;
    }
    base::sleep_for(kLook);
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return false;
  std::array<std::byte, 4096> said{};
  const base::ReadResult read = base::read_into(child.errors.fd(), said);
  throw failed_check(
      base::cat("trellis sweep ended by itself",
                last_line({reinterpret_cast<const char*>(said.data()), read.bytes})));
}

TestStudy::EndedTrials TestStudy::ended(const std::string& place) const {
  EndedTrials found;
  try {
    for (const hpo::TrialRow& row : hpo::StudyReader(folder_.path() / place / kName).trials()) {
      if (!hpo::has_ended(row.state)) continue;
      found[row.trial] = {row.state, row.value, row.attempts, row.seconds};
    }
  } catch (const base::Error&) {  // not there yet
    return {};
  }
  return found;
}

}  // namespace cli
