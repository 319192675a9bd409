#include "cli/self_test/self_test.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>

#include "base/hash.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/self_test/exact.h"
#include "cli/self_test/golden.h"
#include "cli/self_test/test_study.h"
#include "cli/verb.h"
#include "kernels/kernels.h"

namespace cli {

namespace {

constexpr auto kLimit = std::chrono::seconds(60);

std::string checksum(const std::string& text) {
  return base::hash_bytes(std::as_bytes(std::span(text))).hex();
}

/// What `doctor` says of the machine, from a process of its own: a broken plugin may end it.
std::string examined(const TestStudy& study, const TestStudy::Environment& more = {}) {
  return study.call({"doctor", "--json"}, more, kNothingUsable);
}

std::string executor(TestStudy& study) {
  const std::string text = examined(study);
  const base::Json found = base::Json::parse(text);
  const std::string name = found.at("features").at("executor").text();
  if (name.starts_with("starpu")) return base::cat(name, ", StarPU ", found.at("starpu").text());
  std::string why;
  for (const auto& [ignored, problem] : found.at("problems").members())
    why += (why.empty() ? ": " : "; ") + problem.text();
  throw failed_check(
      base::cat("tasks do not run on StarPU, ",
                name.empty() ? "nor on anything else" : "but on the executor " + name, why));
}

std::string workers(TestStudy& study) {
  const std::string text = examined(study);
  const base::Json found = base::Json::parse(text);
  const base::Json& features = found.at("features");
  const std::int64_t cores = found.at("cores").integer();
  const std::int64_t workers = features.at("workers").integer();
  const std::int64_t drivers = features.at("gpu_workers").integer();
  const int threads = base::threads_of_a_core();
  const std::string here = base::cat(
      base::counted(workers, "worker"), drivers > 0 ? base::cat(" and ", drivers, " for GPUs") : "",
      " on ", base::counted(cores, "core"),
      threads > 1 ? base::cat(", where ", threads, " are hardware threads of one") : "");
  // Each worker of a GPU takes a core; one is left for tasks in any case. Where hardware threads
  // share a core, StarPU counts the core.
  for (const std::int64_t usable : {cores, cores / threads})
    if (workers == std::max<std::int64_t>(1, usable - drivers)) return here;
  throw failed_check(base::cat(here, ", expected one for each core"));
}

/// Whether the run under an instruction set gave the checksum that is kept for it, as part of a
/// sentence.
std::string compared(const TestStudy& study, const GoldenValue& kept) {
  // What tests/golden computed it with.
  const TestStudy::Environment held{{"TRELLIS_ISA", std::string(kept.isa)},
                                    {"OPENBLAS_CORETYPE", "Haswell"},
                                    {"ONEDNN_MAX_CPU_ISA", "AVX2"}};
  const std::string text = examined(study, held);
  const std::string here = base::Json::parse(text).at("features").at("arithmetic").text();
  const std::size_t number = here.find("; ");  // of the kernels: a new one must change no value
  if (number == std::string::npos || std::string_view(here).substr(number + 2) != kept.arithmetic)
    return base::cat(kept.isa, " not compared, other libraries than its checksum's");
  const std::string found = checksum(study.run(base::cat("golden-", kept.isa), {}, held));
  if (found == kept.checksum) return base::cat(kept.isa, " as stored");
  throw failed_check(base::cat("the study's checksum under ", kept.isa, " is ", found,
                               ", expected ", kept.checksum));
}

std::string golden(TestStudy& study) {
  const int threads = std::max(2, base::usable_cores());
  if (const std::string wrong = wrong_arithmetic(threads); !wrong.empty())
    throw failed_check(base::cat(wrong, " (", kern::fingerprint(), ")"));
  std::string out = base::cat("kernels as their reference on ", threads, " threads");
  for (const GoldenValue& value : golden_values())
    if (kern::isa_lacks(value.isa).empty()) out += "; " + compared(study, value);
  return out;
}

/// Throws a failed check that names the first trial in which two exports differ.
void require_equal(const std::string& one, const std::string& other, std::string_view which) {
  if (one == other) return;
  std::size_t line = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()) && one[i] == other[i]; ++i)
    if (one[i] == '\n') ++line;
  throw failed_check(base::cat(which, ": the exports differ, first in ",
                               line == 0 ? "their head" : base::cat("trial ", line - 1)));
}

std::string trials_and_bytes(const std::string& text) {
  return base::cat(TestStudy::kTrials, " trials, ", text.size(), " bytes");
}

std::string equal(TestStudy& study) {
  const std::string one = study.run("one", {"--workers", "1"});
  const std::string all = base::counted(base::usable_cores(), "core");
  require_equal(one, study.undisturbed(), base::cat("1 worker and all of ", all));
  return base::cat("the same with 1 worker and all of ", all, ": ", trials_and_bytes(one));
}

/// Seconds: the log has whole microseconds, a driver that has not died yet knows more digits.
constexpr double kRounding = 5e-6;

/// Throws a failed check unless the trials that had ended are as they were.
void require_kept(const TestStudy::EndedTrials& before, const TestStudy::EndedTrials& now) {
  for (const auto& [trial, ended] : before) {
    const auto found = now.find(trial);
    if (found == now.end())
      throw failed_check(base::cat("trial ", trial, " had ended and is lost"));
    const TestStudy::Ended& after = found->second;
    const bool same = after.state == ended.state && after.value == ended.value &&
                      after.attempts == ended.attempts &&
                      std::abs(after.seconds - ended.seconds) < kRounding;
    if (!same) throw failed_check(base::cat("trial ", trial, " had ended and ran again"));
  }
}

std::string resume(TestStudy& study) {
  constexpr const char* kPlace = "killed";
  constexpr std::array kMoments{TestStudy::kTrials / 4, TestStudy::kTrials / 2,
                                TestStudy::kTrials * 3 / 4};
  TestStudy::EndedTrials ended;
  int kills = 0;
  for (const std::int64_t moment : kMoments) {
    if (!study.kill_after(kPlace, moment)) break;
    ++kills;
    TestStudy::EndedTrials now = study.ended(kPlace);
    require_kept(ended, now);
    ended = std::move(now);
  }
  if (kills == 0) throw failed_check("the study ended before it could be killed");
  const std::string text = study.run(kPlace, {});
  require_kept(ended, study.ended(kPlace));
  require_equal(text, study.undisturbed(), "killed and undisturbed");
  return base::cat("killed ", base::counted(kills, "time"),
                   " and continued, no ended trial ran again: ", trials_and_bytes(text));
}

struct Check {
  std::string_view name;
  std::string (*run)(TestStudy&);  ///< returns what it saw; throws when that is not as it should be
};

constexpr std::array kChecks{Check{"executor", executor}, Check{"workers", workers},
                             Check{"golden", golden}, Check{"equal", equal},
                             Check{"resume", resume}};

}  // namespace

std::vector<std::string> self_check_names() {
  std::vector<std::string> names;
  for (const Check& check : kChecks) names.emplace_back(check.name);
  return names;
}

std::vector<SelfCheck> self_test(const std::string& which) {
  const bool all = which == kAllChecks;
  if (!all && std::ranges::find(kChecks, which, &Check::name) == kChecks.end())
    throw base::Error(base::Errc::usage,
                      base::cat("--self-test: '", base::printable(which, 60), "'",
                                base::expected_one_of(self_check_names(), which)));
  TestStudy study(base::now() + kLimit);
  std::vector<SelfCheck> found;
  for (const Check& check : kChecks) {
    if (!all && which != check.name) continue;
    const base::Moment start = base::now();
    SelfCheck one{.name = std::string(check.name)};
    try {
      study.require_time();
      one.found = check.run(study);
      one.passed = true;
    } catch (const std::exception& error) {
      one.found = error.what();
    }
    one.seconds = base::seconds_since(start);
    found.push_back(std::move(one));
  }
  return found;
}

std::string self_test_checksum() { return checksum(TestStudy(base::now() + kLimit).undisturbed()); }

}  // namespace cli
