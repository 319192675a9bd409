// Writes the studies that the browser opens, each in a folder of its own:
//
//   make-report-studies FOLDER [TRIALS]
//
// TRIALS: of one more study, "large", with 27 reports a trial.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "tests/hpo/report/studies.h"

namespace hpo {
namespace {

void write_sixty(const base::Path& folder) {
  made::Made made(folder, made::facts("sixty"));
  made.add({}, Opened{.host = "node7", .pid = 1, .build = "1.2.3", .arithmetic = "avx2"});
  made::add_sixty(made);
  made::judge(made, 22);
  made.note("active_seconds", "62");
  made.use();
  (void)made.reader();
}

void write_one(const base::Path& folder) {
  made::Made made(folder, made::facts("one"));
  constexpr std::int64_t kSteps[] = {1, 2, 3};
  made.trial(0, made::params_of(0), kSteps, TrialState::complete);
  (void)made.reader();
}

void write_failed(const base::Path& folder) {
  made::Made made(folder, made::facts("failed"));
  for (std::uint64_t i = 0; i < 6; ++i) {
    made.create(i, made::params_of(i));
    made.end(i, TrialState::failed, Cause::error, "<script>window.canary = 1</script>");
  }
  (void)made.reader();
}

void write_hostile(const base::Path& folder) {
  StudyFacts facts = made::facts("hostile");
  const std::string name = "</script><script>window.canary = 1</script>";
  facts.parameters = {name, "\u202edrow", std::string(1000, 'n')};
  facts.metric = "<img src=x onerror='window.canary = 1'>";
  made::Made made(folder, facts);
  for (std::uint64_t i = 0; i < 40; ++i) {
    made.create(i, {{name, std::string(i % 2 == 0 ? "\"><svg onload=canary()>" : "javascript:1")},
                    {"\u202edrow", made::spread(i, 0.618)},
                    {std::string(1000, 'n'), static_cast<std::int64_t>(i)}});
    made.add(i, Reported{.step = 1,
                         .epochs = 1,
                         .value = i == 3 ? NAN : 0.5 + 0.01 * static_cast<double>(i),
                         .metrics = {{facts.metric, 0.5}}});
    made.end(i, TrialState::complete);
  }
  (void)made.reader();
}

void write_population(const base::Path& folder) {
  made::Made made(folder, made::facts("population"));
  constexpr std::uint64_t kMembers = 8;
  for (std::uint64_t i = 0; i < kMembers; ++i) made.create(i, made::params_of(i));
  for (std::int64_t step = 1; step <= 20; ++step) {
    for (std::uint64_t i = 0; i < kMembers; ++i)
      made.report(i, step, made::value_of(made::params_of(i), step), {}, Decision::pause);
    const auto taker = static_cast<std::uint64_t>(step * 5 % 8), giver = (taker + 3) % 8;
    if (step % 2 == 0)
      made.add(taker, Replaced{giver, step, made::params_of(giver + 1),
                               R"([{"widen": {"layer": "fc1", "by": 8}}])"});
    for (std::uint64_t i = 0; i < kMembers; ++i) made.add(i, Resumed{});
  }
  for (std::uint64_t i = 0; i < kMembers; ++i) made.end(i, TrialState::complete);
  (void)made.reader();
}

void write_adaptive(const base::Path& folder) {
  StudyFacts facts = made::facts("adaptive");
  facts.objective.others = {{.name = "size", .maximize = false}};
  made::Made made(folder, facts);
  for (std::uint64_t i = 0; i < 6; ++i) {
    made.create(i, made::params_of(i));
    for (std::int64_t round = 0; round < 4; ++round) {
      Adapted adapted{
          .grid = 1, .from = 2 * round, .until = 2 * round + 2, .rows = 100, .candidates = {}};
      for (int k = 0; k < 4; ++k)
        adapted.candidates.push_back(
            {.operations = "[]",
             .change = k == 0 ? "keep" : base::cat("widen fc1 by ", 8 * k),
             .shape = base::cat("64-", 16 + 8 * (round + k), "-10"),
             .weights = 1000,
             .inference_flops = 2000.0 * static_cast<double>(1 + round + k),
             .loss = 0.5,
             .accuracy = 0.8 + 0.03 * static_cast<double>(round) + 0.01 * k,
             .accepted = k == 1,
             .why = "worth its cost"});
      made.add(i, adapted);
      made.report(i, 2 * round + 2, made::value_of(made::params_of(i), 2 * round + 2),
                  {{"size", 100 - 10.0 * static_cast<double>(i)}});
    }
    made.end(i, TrialState::complete);
  }
  (void)made.reader();
}

/// A rule stopped every trial; some still wait.
void write_stopped(const base::Path& folder) {
  made::Made made(folder, made::facts("stopped"));
  constexpr std::int64_t kSteps[] = {1, 3};
  for (std::uint64_t i = 0; i < 25; ++i)
    made.trial(i, made::params_of(i), kSteps, TrialState::stopped);
  for (std::uint64_t i = 25; i < 30; ++i) made.create(i, made::params_of(i));
  (void)made.reader();
}

/// Programs, whose metric is a loss; every fourth one fails, and one reports no number.
void write_programs(const base::Path& folder) {
  StudyFacts facts = made::facts("programs");
  facts.metric = "loss";
  facts.objective.maximize = false;
  made::Made made(folder, facts);
  made.note(kStepsFact, "1");
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Params params = made::params_of(i);
    made.create(i, params);
    for (std::int64_t step = 10; step <= 50; step += 10) {
      const double loss = i == 5 ? NAN : 1 - made::value_of(params, step);
      made.add(i, Reported{.step = step, .value = loss, .metrics = {{"loss", loss}}});
    }
    const bool failed = i % 4 == 3;
    made.end(i, failed ? TrialState::failed : TrialState::complete,
             failed ? Cause::error : Cause::none, failed ? "exit code 3" : "");
  }
  (void)made.reader();
}

void write_wide(const base::Path& folder) {
  StudyFacts facts = made::facts("wide");
  facts.parameters.clear();
  facts.resolved = "name: wide\nparameters:\n";
  constexpr std::uint64_t kParameters = 200;
  for (std::uint64_t k = 0; k < kParameters; ++k) {
    facts.parameters.push_back(base::cat("p", k));
    facts.resolved += base::cat("  p", k, ": {type: float, min: 0.0, max: 1.0, scale: linear}\n");
  }
  made::Made made(folder, facts);
  for (std::uint64_t i = 0; i < 40; ++i) {
    Params params;
    for (std::uint64_t k = 0; k < kParameters; ++k)
      params.append(base::cat("p", k), made::spread(i * kParameters + k, 0.618034));
    made.create(i, params);
    made.report(i, 1, 0.5 + 0.4 * std::get<double>(*params.find("p7")));
    made.end(i, TrialState::complete);
  }
  (void)made.reader();
}

void write_large(const base::Path& folder, std::uint64_t trials) {
  made::Made made(folder, made::facts("large"));
  for (std::uint64_t i = 0; i < trials; ++i) {
    const Params params = made::params_of(i);
    made.create(i, params);
    for (std::int64_t step = 1; step <= 27; ++step)
      made.report(i, step,
                  made::value_of(params, step) +
                      0.01 * made::spread(i * 27 + static_cast<std::uint64_t>(step), 0.754877));
    made.end(i, TrialState::complete);
  }
  (void)made.reader();
}

}  // namespace
}  // namespace hpo

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: make-report-studies FOLDER [TRIALS]\n", stderr);
    return 2;
  }
  const base::Path folder = argv[1];
  hpo::write_sixty(folder / "sixty");
  hpo::write_one(folder / "one");
  hpo::write_failed(folder / "failed");
  hpo::write_hostile(folder / "hostile");
  hpo::write_population(folder / "population");
  hpo::write_adaptive(folder / "adaptive");
  hpo::write_stopped(folder / "stopped");
  hpo::write_programs(folder / "programs");
  hpo::write_wide(folder / "wide");
  if (argc > 2) hpo::write_large(folder / "large", std::strtoull(argv[2], nullptr, 10));
}
