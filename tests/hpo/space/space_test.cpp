#include "hpo/space/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "hpo/space/share.h"
#include "runtime/codec.h"

namespace hpo {
namespace {

using Int = std::int64_t;

Parameter optimizer() {
  return {"optimizer", Choice{{std::string("adam"), std::string("sgd")}}, {}};
}
Condition when_sgd() { return {"optimizer", {std::string("sgd")}}; }

Space digits() {
  return Space({{"momentum", FloatRange{0, 0.99}, {when_sgd()}},
                {"lr", FloatRange{1e-4, 1e-1, Scale::log, 0}, {}},
                optimizer(),
                {"nesterov", Choice{{true, false}}, {when_sgd(), {"width", {Int{16}, Int{17}}}}},
                {"width", IntRange{16, 20}, {}}});
}

TEST(Space, OrdersParentsFirstAndKeepsTheRest) {
  const Space space = digits();
  const std::vector<std::size_t> expected{2, 0, 1, 4, 3};
  EXPECT_TRUE(std::ranges::equal(space.order(), expected));
  EXPECT_EQ(space.index_of("width"), 4U);
  EXPECT_EQ(space.find("nobody"), nullptr);
}

TEST(Space, InactiveParametersAreAbsentWhateverTheirCoordinate) {
  const Space space = digits();
  const Params adam = space.from_unit(std::vector{0.3, 0.5, 0.1, 0.9, 0.0});
  EXPECT_EQ(text_of(adam), "lr=0.00316227766017 optimizer=adam width=16");
  const Params sgd = space.from_unit(std::vector{0.5, 0.5, 0.9, 0.9, 0.0});
  EXPECT_EQ(text_of(sgd),
            "momentum=0.495 lr=0.00316227766017 optimizer=sgd nesterov=false width=16");
  const Params wide = space.from_unit(std::vector{0.5, 0.5, 0.9, 0.9, 0.99});
  EXPECT_EQ(text_of(wide), "momentum=0.495 lr=0.00316227766017 optimizer=sgd width=20");
  for (const Params& params : {adam, sgd, wide}) {
    EXPECT_TRUE(space.contains(params));
    EXPECT_EQ(space.from_unit(space.to_unit(params)), params);
  }
  EXPECT_THROW((void)space.from_unit(std::vector{0.5}), base::Error);
}

TEST(Space, SaysWhyParamsLieOutside) {
  const Space space = digits();
  const Params good{{"lr", 0.01}, {"optimizer", std::string("adam")}, {"width", Int{16}}};
  EXPECT_EQ(space.reason_outside(good), "");
  Params params = good;
  params.set("lrr", 0.1);
  EXPECT_EQ(
      space.reason_outside(params),
      "there is no parameter \"lrr\", expected one of momentum, lr, optimizer, nesterov, width; "
      "did you mean 'lr'?");
  params = good;
  params.set("momentum", 0.5);
  EXPECT_EQ(space.reason_outside(params), "parameter \"momentum\" is not active with these values");
  params = good;
  params.set("lr", 0.5);
  EXPECT_EQ(space.reason_outside(params),
            "parameter \"lr\" is 0.5, expected a float from 0.0001 to 0.1 (log)");
  params = good;
  params.set("width", 16.0);
  EXPECT_EQ(space.reason_outside(params),
            "parameter \"width\" is 16.0, expected an int from 16 to 20; did you mean 16?");
  EXPECT_EQ(space.reason_outside(Params{{"lr", 0.01}, {"optimizer", std::string("adam")}}),
            "parameter \"width\" has no value");
  EXPECT_EQ(space.reason_outside(
                Params{{"width", Int{16}}, {"lr", 0.01}, {"optimizer", std::string("adam")}}),
            "parameter \"lr\" is out of order");
}

TEST(Space, RefusesWhatMakesNoSense) {
  const Parameter x{"depth", IntRange{0, 3}, {}};
  struct Case {
    std::vector<Parameter> parameters;
    std::size_t at;
    std::string field, message;
  };
  const Case cases[] = {
      {{x, x}, 1, "", "parameter \"depth\": is used twice; parameter names must be unique"},
      {{{"", Constant{true}, {}}}, 0, "", "parameter \"\": has no name, expected one"},
      {{{"y", IntRange{3, 0}, {}}},
       0,
       "max",
       "parameter \"y\": max is 0, expected at least min, which is 3"},
      {{x, {"y", IntRange{0, 3}, {{"dept", {Int{1}}}}}},
       1,
       "when",
       "parameter \"y\": when names \"dept\", expected the name of a parameter; did you mean "
       "\"depth\"?"},
      {{x, {"y", IntRange{0, 3}, {{"depth", {Int{4}}}}}},
       1,
       "when",
       "parameter \"y\": when can never hold: depth is never 4, expected an int from 0 to 3"},
      {{{"a", IntRange{0, 3}, {{"b", {Int{1}}}}}, {"b", IntRange{0, 3}, {{"a", {Int{1}}}}}},
       1,
       "when",
       "parameter \"b\": when depends on itself in a circle"},
      {{{"a", IntRange{0, 3}, {{"a", {Int{1}}}}}},
       0,
       "when",
       "parameter \"a\": when depends on itself in a circle"},
  };
  for (const Case& c : cases) {
    try {
      const Space space(c.parameters);
      ADD_FAILURE() << c.message;
    } catch (const SpaceError& error) {
      EXPECT_STREQ(error.what(), c.message.c_str());
      EXPECT_EQ(error.parameter(), c.at);
      EXPECT_EQ(error.field(), c.field);
      EXPECT_EQ(error.kind(), base::Errc::study);
    }
  }
}

TEST(Space, AdoptsWhatAPersonChose) {
  const Space space({{"lr", FloatRange{1e-4, 10, Scale::log, 0}, {}},
                     {"decay", Choice{{0.5, 1.0}}, {}},
                     {"either", Choice{{Int{1}, 1.5}}, {}},
                     {"width", IntRange{1, 64}, {}},
                     optimizer(),
                     {"momentum", FloatRange{0, 1}, {when_sgd()}}});
  const Params given{{"width", Int{8}},  {"momentum", Int{1}}, {"optimizer", std::string("sgd")},
                     {"either", Int{1}}, {"decay", Int{1}},    {"lr", Int{1}}};
  const Params all = space.adopt(given);
  EXPECT_EQ(text_of(all), "lr=1.0 decay=1.0 either=1 width=8 optimizer=sgd momentum=1.0");
  EXPECT_TRUE(space.contains(all));

  // A changed choice takes what depends on it along; a given value that cannot be stays, to be
  // named.
  const Params adam{{"optimizer", std::string("adam")}};
  EXPECT_EQ(text_of(space.adopt(adam, all)), "lr=1.0 decay=1.0 either=1 width=8 optimizer=adam");
  Params odd = adam;
  odd.set("momentum", 0.5);
  EXPECT_EQ(space.reason_outside(space.adopt(odd, all)),
            "parameter \"momentum\" is not active with these values");
  EXPECT_EQ(space.reason_outside(space.adopt({{"lrr", Int{1}}}, all)),
            "there is no parameter \"lrr\", expected one of lr, decay, either, width, optimizer, "
            "momentum; did you mean 'lr'?");

  // Never the other way round, and only where the parameter has that float.
  const Params width = space.adopt({{"width", 8.0}}, all);
  EXPECT_EQ(space.reason_outside(width),
            "parameter \"width\" is 8.0, expected an int from 1 to 64; did you mean 8?");
  EXPECT_EQ(std::get<Int>(*space.adopt({{"lr", Int{11}}}, all).find("lr")), 11);
}

TEST(Space, LongChainsOfConditionsAreFine) {
  std::vector<Parameter> chain{{"p0", Choice{{true, false}}, {}}};
  for (int i = 1; i < 3000; ++i) {
    chain.push_back(
        {"p" + std::to_string(i), Choice{{true, false}}, {{"p" + std::to_string(i - 1), {true}}}});
  }
  std::ranges::reverse(chain);
  const Space space(chain);
  EXPECT_EQ(space.order().front(), 2999U);
  EXPECT_EQ(space.order().back(), 0U);
}

TEST(Space, AForbiddenCombinationIsOutside) {
  using Is = Clause::Is;
  const Space space({optimizer(), {"lr", FloatRange{0, 1}, {}}, {"warm", FloatRange{0, 1}, {}}},
                    {{{{"optimizer", Is::equal, {std::string("sgd")}}, {"lr", Is::above, {0.1}}}},
                     {{{"warm", Is::equal, {}, "lr"}}}});
  const std::string sgd = "sgd", adam = "adam";
  EXPECT_TRUE(space.contains({{"optimizer", adam}, {"lr", 0.5}, {"warm", 0.0}}));
  EXPECT_TRUE(space.contains({{"optimizer", sgd}, {"lr", 0.1}, {"warm", 0.0}}));
  EXPECT_EQ(space.reason_outside({{"optimizer", sgd}, {"lr", 0.5}, {"warm", 0.0}}),
            "forbid excludes this point: optimizer is sgd and lr is above 0.1");
  EXPECT_EQ(space.reason_outside({{"optimizer", adam}, {"lr", 0.5}, {"warm", 0.5}}),
            "forbid excludes this point: warm is $lr");
  EXPECT_TRUE(space.allows({{"lr", 0.5}})) << "nothing holds of what is not there";
  EXPECT_THROW(Space({optimizer()}, {{{{"lr", Is::above, {0.1}}}}}), base::Error);
  const Space copy = rt::decode<Space>(rt::encode(space));
  EXPECT_EQ(copy, space);
  EXPECT_NE(copy, Space(space.parameters()));
}

TEST(Space, SaysHowMuchIsLeft) {
  using Is = Clause::Is;
  const std::vector<Parameter> square{{"x", FloatRange{0, 1}, {}}, {"y", FloatRange{0, 1}, {}}};
  EXPECT_EQ(allowed_share(Space(square)), 1);
  EXPECT_NEAR(allowed_share(Space(square, {{{{"x", Is::above, {}, "y"}}}})), 0.5, 0.02);
  EXPECT_EQ(allowed_share(Space(square, {{{{"x", Is::above, {1e-5}}}}})), 1e-6);
  EXPECT_EQ(allowed_share(Space(square, {{{{"x", Is::above, {-1.0}}}}})), 0);
  const std::vector<Parameter> digits{{"a", IntRange{1, 999}, {}}, {"b", IntRange{1, 999}, {}}};
  const double corner = allowed_share(
      Space(digits, {{{{"a", Is::above, {Int{1}}}}}, {{{"b", Is::above, {Int{1}}}}}}));
  EXPECT_GT(corner, 2e-7) << "what nothing ties together is drawn one without the other";
  EXPECT_LT(corner, 2e-6);
  const Space nothing(digits, {{{{"a", Is::above, {Int{0}}}}}});
  EXPECT_EQ(allowed_share(nothing), 0);
  EXPECT_FALSE(leaves_some(nothing));
  EXPECT_FALSE(leaves_some(Space(square, {{{{"x", Is::above, {-1.0}}}}})));
  EXPECT_TRUE(leaves_some(Space(square)));
  EXPECT_TRUE(leaves_some(Space(square, {{{{"x", Is::above, {1e-5}}}}})));
  EXPECT_TRUE(
      leaves_some(Space(digits, {{{{"a", Is::above, {Int{1}}}}}, {{{"b", Is::above, {Int{1}}}}}})));
}

TEST(Space, WhatIsLeftOfManyParametersIsKnownAtOnce) {
  using Is = Clause::Is;
  std::vector<Parameter> all;
  std::vector<Forbidden> rare, none;
  for (int i = 0; i < 40; ++i) {
    all.push_back({"x" + std::to_string(i), FloatRange{0, 1}, {}});
    rare.push_back({{{all.back().name, Is::above, {1e-3}}}});
    none.push_back({{{all.back().name, Is::above, {}, "x0"}, {all.back().name, Is::above, {0.0}}}});
  }
  EXPECT_TRUE(leaves_some(Space(all, rare))) << "1e-120 of it, a thousandth in each direction";
  none.push_back({{{"x0", Is::above, {0.0}}}});
  EXPECT_TRUE(leaves_some(Space(all, none))) << "one point, where all are 0";
  none.push_back({{{"x39", Is::below, {1e-9}}}});
  const auto begin = std::clock();
  EXPECT_FALSE(leaves_some(Space(all, none)));
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
}

TEST(Space, ALongChainLeavesSome) {
  using Is = Clause::Is;
  std::vector<Parameter> all;
  std::vector<Forbidden> forbidden;
  for (int i = 0; i < 30; ++i) {
    all.push_back({"x" + std::to_string(i), FloatRange{0, 1}, {}});
    if (i > 0) forbidden.push_back({{{all[i - 1].name, Is::above, {}, all[i].name}}});
    if (i == 8 || i == 29) {
      EXPECT_TRUE(leaves_some(Space(all, forbidden))) << i;
    }
  }
  EXPECT_GT(allowed_share(Space(all, forbidden)), 0);
  EXPECT_LT(allowed_share(Space(all, forbidden)), 1e-4);
}

TEST(Space, APartIsDrawnWithWhatItsConditionsNeed) {
  using Is = Clause::Is;
  const Space space({optimizer(),
                     {"nesterov", Choice{{true, false}}, {when_sgd()}},
                     {"x", FloatRange{0, 1}, {}},
                     {"y", FloatRange{0, 1}, {}}},
                    {{{{"nesterov", Is::equal, {true}}}}, {{{"x", Is::above, {}, "y"}}}});
  EXPECT_NEAR(allowed_share(space), 0.75 * 0.5, 0.02) << "one of two optimizers, one of two";
}

TEST(Space, ConditionsThatExcludeEachOtherAreRefused) {
  const std::vector<Parameter> all{
      optimizer(),
      {"nesterov", Choice{{true, false}}, {when_sgd()}},
      {"both", Choice{{true, false}}, {{"nesterov", {true}}, {"optimizer", {std::string("sgd")}}}},
      {"none", IntRange{1, 2}, {{"both", {true}}, {"optimizer", {std::string("adam")}}}}};
  EXPECT_NO_THROW(Space({all[0], all[1], all[2]}));
  try {
    const Space space(all);
    ADD_FAILURE();
  } catch (const SpaceError& error) {
    EXPECT_EQ(error.parameter(), 3U);
    EXPECT_EQ(error.field(), "when");
    EXPECT_EQ(error.problem(), "can never hold: it needs two different values of optimizer");
  }
}

TEST(Space, HasACanonicalByteForm) {
  const Space space = digits();
  const Space copy = rt::decode<Space>(rt::encode(space));
  EXPECT_EQ(copy, space);
  EXPECT_TRUE(std::ranges::equal(copy.order(), space.order()));
}

TEST(Space, CompletesAPointFromAnotherAndFromTheMiddle) {
  const Space space({{.name = "kind", .domain = Choice{{std::string("a"), std::string("b")}}},
                     {.name = "x", .domain = FloatRange{.min = 0, .max = 1}},
                     {.name = "y",
                      .domain = FloatRange{.min = 0, .max = 10},
                      .when = {{"kind", {std::string("b")}}}},
                     {.name = "z",
                      .domain = FloatRange{.min = 0, .max = 10},
                      .when = {{"kind", {std::string("a")}}}}});
  const Params base{{"kind", std::string("a")}, {"x", 0.25}, {"z", 3.0}};
  EXPECT_EQ(space.completed({{"x", 0.3}}, base),
            (Params{{"kind", std::string("a")}, {"x", 0.3}, {"z", 3.0}}));
  EXPECT_EQ(space.completed({{"kind", std::string("b")}}, base),
            (Params{{"kind", std::string("b")}, {"x", 0.25}, {"y", 5.0}}));
  EXPECT_EQ(space.completed({{"kind", std::string("b")}, {"y", std::int64_t{2}}}, base),
            (Params{{"kind", std::string("b")}, {"x", 0.25}, {"y", 2.0}}));
}

}  // namespace
}  // namespace hpo
