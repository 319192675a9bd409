#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "hpo/samplers/registry.h"
#include "hpo/space/random.h"
#include "tests/hpo/samplers/spaces.h"

namespace hpo {
namespace {

TEST(Random, AProposalIsNamedBySeedAndOrdinal) {
  Space space = spaces::continuous();
  Stream stream(7, "proposal", 3u);
  std::vector<double> u(space.size());
  for (double& x : u) x = stream.uniform();
  EXPECT_EQ(make_sampler("random", {space, 7, {}})->propose(3), space.from_unit(u));
}

TEST(Random, SeedsAndOrdinalsDiffer) {
  Space space = spaces::continuous();
  auto a = make_sampler("random", {space, 1, {}}), b = make_sampler("random", {space, 2, {}});
  EXPECT_NE(a->propose(0), b->propose(0));
  EXPECT_NE(a->propose(0), a->propose(1));
}

TEST(Random, FindsWhatForbidHardlyLeaves) {
  const Space thin({{"x", FloatRange{0, 1}, {}}}, {{{{"x", Clause::Is::above, {5e-6}}}}});
  auto sampler = make_sampler("random", {thin, 1, {}});
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto point = sampler->propose(i);
    ASSERT_TRUE(point) << i;
    EXPECT_TRUE(thin.allows(*point));
  }
}

TEST(Random, MakesPointsOfWhatNoDrawWouldComeUpon) {
  std::vector<Parameter> parameters{{"free", FloatRange{0, 1}, {}}};
  std::vector<Forbidden> forbidden;
  for (int i = 0; i < 20; ++i) {
    parameters.push_back({"x" + std::to_string(i), FloatRange{0, 1}, {}});
    if (i > 0) {
      forbidden.push_back({{{.parameter = parameters.back().name,
                             .is = Clause::Is::above,
                             .other = parameters[parameters.size() - 2].name}}});
    }
  }
  const Space thin(parameters, forbidden);
  auto sampler = make_sampler("random", {thin, 1, {}}),
       same = make_sampler("random", {thin, 1, {}});
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto point = sampler->propose(i);
    ASSERT_TRUE(point) << "of 1 in 20!";
    EXPECT_EQ(thin.reason_outside(*point), "");
    EXPECT_TRUE(seen.insert(text_of(*point)).second) << i;
    EXPECT_EQ(same->propose(i), point);
  }
}

TEST(Random, FindsWhatForbidLeavesOfManyParametersTogether) {
  std::vector<Parameter> parameters{{"kind", Choice{{std::string("a"), std::string("b")}}, {}}};
  std::vector<Forbidden> forbidden;
  for (const char* name : {"v", "w", "x", "y", "z"}) {
    parameters.push_back({name, FloatRange{0, 1}, {}});
    forbidden.push_back({{{name, Clause::Is::above, {0.01}}}});
  }
  parameters[3].when = {{"kind", {std::string("b")}}};
  const Space thin(parameters, forbidden);
  for (const base::KindInfo& kind : sampler_kinds()) {
    if (kind.kind == "grid" || is_population(kind.kind)) continue;
    auto sampler = make_sampler(kind.kind, {thin, 1, options_of(kind)});
    for (std::uint64_t i = 0; i < 20; ++i) {
      const auto point = sampler->propose(i);
      ASSERT_TRUE(point) << kind.kind << i;
      EXPECT_TRUE(thin.contains(*point)) << kind.kind << thin.reason_outside(*point);
      sampler->created(i, *point);
      sampler->reported(i, 1, Score(static_cast<double>(i % 7)));
      sampler->ended(i, TrialState::complete);
    }
  }
}

TEST(Random, ComesBackToNoPointWhereOthersAreRarelyDrawn) {
  const Space space({{"a", IntRange{.min = 2, .max = 64, .scale = Scale::log, .step = 2}, {}},
                     {"b", FloatRange{0, 1}, {{"a", {std::int64_t{54}}}}}});
  auto sampler = make_sampler("random", {space, 1, {}});
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Params point = sampler->propose(i).value();
    EXPECT_TRUE(seen.insert(text_of(point)).second) << text_of(point);
    sampler->created(i, point);
  }
}

TEST(Random, IsUniformInTheLogarithm) {
  Space space = spaces::continuous();
  auto sampler = make_sampler("random", {space, 3, {}});
  constexpr int kDraws = 6000;
  std::map<int, int> decades;
  for (int i = 0; i < kDraws; ++i) {
    double lr = std::get<double>(*sampler->propose(static_cast<std::uint64_t>(i))->find("lr"));
    ++decades[static_cast<int>(std::floor(std::log10(lr)))];
  }
  // 2000 expected in each decade; 5 standard deviations are 183.
  for (int decade : {-4, -3, -2}) EXPECT_NEAR(decades[decade], kDraws / 3, 183) << decade;
}

TEST(Random, ANearlyExhaustedSpaceStillGivesItsLastPoints) {
  Space space({{.name = "n", .domain = IntRange{.min = 1, .max = 5000}}});
  auto sampler = make_sampler("random", {space, 1, {}});
  for (std::int64_t n = 1; n <= 5000; ++n) {
    if (n != 1234) sampler->created(static_cast<std::uint64_t>(n), {{"n", n}});
  }
  EXPECT_EQ(sampler->propose(4999), (Params{{"n", std::int64_t{1234}}}));
}

}  // namespace
}  // namespace hpo
