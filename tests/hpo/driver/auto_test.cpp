// `adapt: auto` under every sampler and every rule: the same table and the same network on any
// number of workers.

#include <string>
#include <vector>

#include "hpo/driver/sweep.h"
#include "hpo/export/export.h"
#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

struct Search {
  std::string method, rule;
};

/// Each kind of sampler with the default rule, and each kind of rule with random search.
std::vector<Search> searches() {
  std::vector<Search> all;
  for (const base::KindInfo& kind : sampler_kinds())
    if (!is_population(kind.kind) && kind.kind != "sobol")
      all.push_back({kind.kind, kind.kind == "nsga2" ? "none" : "asha"});
  for (const base::KindInfo& kind : stopping_kinds()) all.push_back({"sobol", kind.kind});
  return all;
}

class Auto : public SmallStudy, public testing::WithParamInterface<Search> {
 protected:
  [[nodiscard]] StudySpec adapting() const {
    const auto& [method, rule] = GetParam();
    const bool several = method == "nsga2";
    std::string options;
    if (rule == "threshold") options = ": {worst: 0.3, min: 2}";
    if (rule == "patience") options = ": {wait: 2}";
    if (rule == "any_of") options = ": [median, {type: asha, min: 2}]";
    if (rule == "all_of") options = ": [median, {type: asha, min: 2}]";
    return parse_study(
        base::cat("name: small\ndata: {csv: rows.csv, target: kind}\n"
                  "network: [dense: {units: 8}, dense: {units: 8}]\n"
                  "train: {optimizer: {adam: {lr: $lr}}, batch: 16, epochs: 4}\nadapt: auto\n"
                  "parameters: {lr: {min: 0.002, max: 0.05, ",
                  method == "grid" ? "step: 0.02" : "scale: log", "}}\nmethod: ", method,
                  "\nearly_stop: ", options.empty() ? rule : base::cat("{", rule, options, "}"),
                  several ? "\nmetric: [valid.loss, weights]" : "", "\nparallel: 2\n",
                  method == "grid" ? "" : "limits: {trials: 3}\n"),
        "small.yaml", folder_.path().string());
  }

  struct Outcome {
    std::string table, model;
    bool operator==(const Outcome&) const = default;
  };
  [[nodiscard]] Outcome run(const std::string& name, int workers) const {
    RunOptions options{.folder = folder_ / name / "small", .store = {}, .workers = workers};
    options.engine = workers > 1 ? Engine::starpu_cpu : Engine::sequential;
    options.commit_delay = {};
    Stopper never(0);
    const SweepResult result = run_sweep(adapting(), options, never);
    Outcome outcome{.table = export_csv(StudyReader(options.folder)), .model = {}};
    if (result.model) outcome.model = base::read_file(result.model->file, std::uint64_t{1} << 30);
    return outcome;
  }
};

TEST_P(Auto, IsTheSameOnAnyNumberOfWorkers) {
  const Outcome alone = run("one", 1);
  EXPECT_FALSE(alone.model.empty());
  EXPECT_EQ(run("two", 2), alone);
}

INSTANTIATE_TEST_SUITE_P(Every, Auto, testing::ValuesIn(searches()), [](const auto& info) {
  return info.param.method + "_" + info.param.rule;
});

}  // namespace
}  // namespace hpo
