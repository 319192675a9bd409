#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/runs.h"
#include "cli/self_test/self_test.h"
#include "cli/verbs/verb_functions.h"
#include "kernels/kernels.h"
#include "runtime/instance.h"

namespace cli {

namespace {

struct Findings {
  std::string cpu;
  int cores = 0, workers = 0, gpus = 0, gpu_workers = 0;
  std::string executor, starpu;
  kern::CpuReport arithmetic;
  std::vector<std::string> problems;
};

/// Starts the runtime as a sweep would and asks what came up. What it warns of is a problem here.
void try_runtime(Findings& found) {
  const base::LogSink before =
      base::set_log_sink([&found](base::LogLevel level, std::string_view line) {
        if (level == base::LogLevel::warning) found.problems.emplace_back(line);
      });
  try {
    rt::Runtime runtime;
    found.executor = rt::executor_name(runtime.executor());
    found.workers = runtime.workers();
    found.gpus = runtime.gpus();
    found.gpu_workers = runtime.gpu_workers();
    if (found.executor.starts_with("starpu")) found.starpu = TRELLIS_STARPU_VERSION;
  } catch (const base::Error& error) {
    found.problems.emplace_back(error.what());
  }
  base::set_log_sink(before);
  if (found.starpu.empty())
    found.problems.emplace_back(
        "StarPU is not there, so tasks run one after another: install StarPU 1.4 where pkg-config "
        "finds it, remove the folder build, and ./trellis --version builds again");
}

Findings examine() {
  Findings found;
  found.cpu = base::cpu_name();
  found.cores = base::usable_cores();
  found.arithmetic = kern::cpu_report();
  try_runtime(found);
  if (!found.arithmetic.remedy.empty()) found.problems.emplace_back(found.arithmetic.remedy);
  try {
    base::require_writable(base::cache_folder());
  } catch (const base::Error& error) {
    found.problems.emplace_back(error.what());
  }
  return found;
}

/// What networks can be trained with on cores.
std::vector<std::string> precisions_here() {
  std::vector<std::string> words;
  for (const kern::Precision precision : kern::precisions())
    if (kern::cpu_lacks(precision).empty()) words.emplace_back(kern::precision_name(precision));
  return words;
}

std::string json_of(const Findings& found) {
  std::vector<std::string> gpus;
  for (int i = 0; i < found.gpus; ++i) gpus.push_back(base::cat("cuda ", i));
  base::JsonWriter json;
  json.begin_object().field("version", TRELLIS_VERSION).field("cpu", found.cpu);
  json.field("cores", found.cores).key("gpus").list(gpus).key("starpu");
  found.starpu.empty() ? json.null() : json.value(found.starpu);
  json.key("features").begin_object().field("executor", found.executor);
  json.field("instruction_set", found.arithmetic.instruction_set);
  json.field("blas_core", found.arithmetic.blas_core).field("arithmetic", kern::fingerprint());
  json.key("precisions").list(precisions_here()).field("workers", found.workers);
  json.field("gpu_workers", found.gpu_workers).end_object();
  json.key("problems").list(found.problems).end_object();
  return std::move(json).text() + "\n";
}

std::string text_of(const Findings& found) {
  std::string out =
      base::cat("trellis ", TRELLIS_VERSION, "\ncpu         ", found.cpu, ", ",
                base::counted(found.cores, "core"), ", ", base::counted(found.workers, "worker"),
                "\ngpus        ", found.gpus, "\nStarPU      ",
                found.starpu.empty() ? std::string("not there") : found.starpu, " (executor ",
                found.executor, ")\narithmetic  ", kern::fingerprint(), "\nprecisions  ",
                base::listed(precisions_here()), " on cores\n");
  for (const std::string& problem : found.problems) out += base::cat("problem: ", problem, "\n");
  return found.problems.empty() ? out + "no problem found\n" : out;
}

constexpr const char* kSelfTest = "--self-test";
// For tests/golden, which keeps the checksum: no check, so not among the names.
constexpr const char* kChecksum = "checksum";

std::string json_of(const std::vector<SelfCheck>& checks) {
  base::JsonWriter json;
  json.begin_object().field("version", TRELLIS_VERSION).key("checks").begin_array();
  for (const SelfCheck& check : checks) {
    json.begin_object().field("check", check.name).field("passed", check.passed);
    json.field("found", check.found).field("seconds", check.seconds).end_object();
  }
  json.end_array().end_object();
  return std::move(json).text() + "\n";
}

std::string text_of(const std::vector<SelfCheck>& checks) {
  std::string out;
  for (const SelfCheck& check : checks)
    out += base::cat(
        check.passed ? "ok      " : "FAILED  ", check.name,
        std::string(std::max<std::size_t>(10, check.name.size() + 1) - check.name.size(), ' '),
        check.found, " (", base::format_seconds(check.seconds), ")\n");
  return out;
}

int run_self_test(const Arguments& arguments, const std::string& which) {
  if (which == kChecksum) {
    print_result(self_test_checksum());
    return kDone;
  }
  const std::vector<SelfCheck> checks = self_test(which);
  print_view(
      arguments, [&] { return json_of(checks); }, [&] { return text_of(checks); });
  return std::ranges::all_of(checks, &SelfCheck::passed) ? kDone : kNothingUsable;
}

}  // namespace

void declare_doctor(Arguments& arguments) {
  declare_json(arguments);
  arguments.flag(kSelfTest, "CHECK", std::string(kAllChecks),
                 base::cat("try out what Trellis promises, in a minute at most: ",
                           base::listed(self_check_names()), "; or one of them"));
}

int run_doctor(const Arguments& arguments) {
  if (arguments.has(kSelfTest)) return run_self_test(arguments, arguments.text(kSelfTest));
  Findings found = examine();
  print_view(
      arguments, [&] { return json_of(found); }, [&] { return text_of(found); });
  return found.problems.empty() ? kDone : kNothingUsable;
}

}  // namespace cli
