// The points that a study tries before its sampler's.

#include <gtest/gtest.h>

#include "hpo/search/search.h"

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

const char* const kFalling = R"(
metric: {name: a, goal: minimize}
method: random
parameters:
  w1: {min: 4, max: 1024}
  w2: {min: 4, max: 1024}
  w3: {min: 4, max: 1024}
  w4: {min: 4, max: 1024}
forbid: [{w2: {above: $w1}}, {w3: {above: $w2}}, {w4: {above: $w3}}]
)";

StudySpec falling(const std::string& points) {
  return parse_study(std::string(kFalling) + "try_first: " + points + "\n", "falling.yaml", "/");
}

TEST(TryFirst, WhereForbidLeavesLittleAPointStaysTheUsers) {
  const StudySpec spec = falling("[{w1: 16}, {w4: 1000}, {w1: 4}, {w2: 7, w3: 7}]");
  Search search(spec);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Params point = search.propose().value();
    EXPECT_EQ(spec.space.reason_outside(point), "");
    for (const auto& [name, value] : spec.try_first[i]) EXPECT_EQ(*point.find(name), value) << name;
    EXPECT_EQ(search.propose(), point) << "the same when asked again";
    search.tell(i, Created{.params = point, .inference_flops = 0, .parent = {}});
  }
}

TEST(TryFirst, TheSamplersValuesStayWhereTheyAreAllowed) {
  StudySpec spec = falling("[{w1: 1024}]");
  const Params point = Search(spec).propose().value();
  spec.try_first.clear();
  const Params own = Search(spec).propose().value();
  EXPECT_EQ(*point.find("w1"), ParamValue(std::int64_t{1024}));
  for (const char* name : {"w2", "w3", "w4"}) EXPECT_EQ(*point.find(name), *own.find(name)) << name;
}

TEST(TryFirst, APointWithWhichNothingIsLeftIsRefusedInItsPlace) {
  try {
    (void)falling("[{w1: 16}, {w1: 16, w4: 17}]");
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(),
                 "falling.yaml:10:23: forbid excludes every point with these values of try_first; "
                 "change one of them");
  }
}

TEST(TryFirst, TheResolvedFileHasThem) {
  const StudySpec spec = study(), again = parse_study(resolved_yaml(spec), "study.yaml", "/");
  ASSERT_EQ(spec.try_first.size(), 2U);
  EXPECT_EQ(again.try_first, spec.try_first);
}

}  // namespace
}  // namespace hpo
