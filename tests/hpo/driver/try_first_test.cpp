// The points that a study tries before its sampler's.

#include <gtest/gtest.h>

#include "hpo/driver/search.h"

namespace hpo {
namespace {

const char* const kStudy = R"(
name: tried
command: [/bin/true, --lr=$lr, --kind=$kind, --momentum=$momentum]
metric: {name: loss, goal: minimize}
method: random
parameters:
  lr: {min: 1e-4, max: 1.0, scale: log}
  kind: {values: [adam, sgd]}
  momentum: {min: 0.0, max: 0.9, when: {kind: sgd}}
try_first:
  - {lr: 1, kind: sgd, momentum: 0.5}
  - {kind: adam}
limits: {trials: 5}
)";

StudySpec study() { return parse_study(kStudy, "tried.yaml", "/"); }

TEST(TryFirst, TheFirstTrialsAreTheFilesAndThoseAfterThemTheSamplers) {
  const StudySpec spec = study();
  Search search(spec);
  std::vector<Params> trials;
  for (std::uint64_t i = 0; i < 4; ++i) {
    trials.push_back(search.propose().value());
    EXPECT_TRUE(spec.space.contains(trials.back())) << json_of(trials.back());
    search.tell(i, Created{.params = trials.back(), .inference_flops = 0, .parent = {}});
  }
  EXPECT_EQ(trials[0], (Params{{"lr", 1.0}, {"kind", std::string("sgd")}, {"momentum", 0.5}}));
  EXPECT_EQ(*trials[1].find("kind"), ParamValue(std::string("adam")));
  StudySpec without = spec;
  without.try_first.clear();
  Search plain(without);
  for (std::uint64_t i = 0; i < 2; ++i)
    plain.tell(i, Created{.params = trials[i], .inference_flops = 0, .parent = {}});
  EXPECT_EQ(trials[2], plain.propose().value());
}

TEST(TryFirst, TheResolvedFileHasThem) {
  const StudySpec spec = study(), again = parse_study(resolved_yaml(spec), "study.yaml", "/");
  ASSERT_EQ(spec.try_first.size(), 2U);
  EXPECT_EQ(again.try_first, spec.try_first);
}

}  // namespace
}  // namespace hpo
