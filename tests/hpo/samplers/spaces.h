// Spaces that every sampler must cope with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hpo/space/space.h"

namespace hpo::spaces {

inline Parameter choice(std::string name, std::vector<ParamValue> values) {
  return {.name = std::move(name), .domain = Choice{std::move(values)}};
}

/// 3 optimizers x 2 batches x 3 steps = 18 points.
inline Space small() {
  return Space(
      {choice("optimizer", {std::string("adam"), std::string("sgd"), std::string("rmsprop")}),
       choice("batch", {std::int64_t{32}, std::int64_t{64}}),
       {.name = "dropout", .domain = FloatRange{.min = 0, .max = 0.5, .step = 0.25}}});
}

/// 1 + 3 points: momentum exists for sgd only.
inline Space conditional() {
  return Space({choice("optimizer", {std::string("adam"), std::string("sgd")}),
                {.name = "momentum",
                 .domain = FloatRange{.min = 0, .max = 0.8, .step = 0.4},
                 .when = {{"optimizer", {std::string("sgd")}}}}});
}

inline Space continuous() {
  return Space({{.name = "lr", .domain = FloatRange{.min = 1e-4, .max = 1e-1, .scale = Scale::log}},
                {.name = "width", .domain = IntRange{.min = 16, .max = 256, .scale = Scale::log}},
                {.name = "momentum", .domain = FloatRange{.min = 0, .max = 0.99}},
                {.name = "fixed", .domain = Constant{std::int64_t{3}}}});
}

/// Every form of a parameter that can only be one thing, beside one that is free.
inline Space single() {
  return Space({{.name = "x", .domain = FloatRange{.min = 2, .max = 2}},
                {.name = "lr", .domain = FloatRange{.min = 0.1, .max = 0.1, .scale = Scale::log}},
                {.name = "n", .domain = IntRange{.min = 4, .max = 4}},
                {.name = "step", .domain = IntRange{.min = 0, .max = 7, .step = 8}},
                choice("only", {std::string("adam")}),
                {.name = "free", .domain = FloatRange{.min = -1, .max = 1}}});
}

/// Two levels of conditions below numbers of every kind.
inline Space nested() {
  const Condition forest{"model", {std::string("forest")}}, deep{"prune", {true}};
  return Space({choice("model", {std::string("forest"), std::string("line"), std::string("net")}),
                {.name = "trees",
                 .domain = IntRange{.min = 10, .max = 1000, .scale = Scale::log},
                 .when = {forest}},
                {.name = "prune", .domain = Choice{{true, false}}, .when = {forest}},
                {.name = "strength",
                 .domain = FloatRange{.min = 1e-6, .max = 1, .scale = Scale::log},
                 .when = {forest, deep}},
                {.name = "units",
                 .domain = IntRange{.min = 8, .max = 512, .step = 8},
                 .when = {{"model", {std::string("net")}}}},
                {.name = "seed", .domain = FloatRange{.min = 0, .max = 1, .step = 0.001}}});
}

/// Words and numbers that have neighbours: 3 x 4 points.
inline Space ordered() {
  return Space(
      {{.name = "size",
        .domain =
            Choice{{std::string("small"), std::string("medium"), std::string("large")}, true}},
       {.name = "batch",
        .domain = Choice{
            {std::int64_t{16}, std::int64_t{64}, std::int64_t{128}, std::int64_t{1024}}, true}}});
}

/// Priors of every kind, one of them with nothing but its upper tail.
inline Space priors() {
  return Space(
      {{.name = "weight", .domain = FloatRange{.min = -6, .max = 6, .prior = Normal{0, 1}}},
       {.name = "lr",
        .domain = FloatRange{.min = 1e-6, .max = 1, .scale = Scale::log, .prior = Normal{1e-3, 3}}},
       {.name = "tail", .domain = FloatRange{.min = 3, .max = 9, .prior = Normal{0, 1}}},
       {.name = "share",
        .domain = FloatRange{.min = 0, .max = 1, .step = 0.125, .prior = Normal{0.5, 0.2}}},
       {.name = "units",
        .domain =
            IntRange{.min = 8, .max = 512, .scale = Scale::log, .step = 8, .prior = Normal{64, 2}}},
       {.name = "depth", .domain = IntRange{.min = 1, .max = 9, .prior = Normal{3, 2}}}});
}

inline Clause is(std::string name, std::vector<ParamValue> values) {
  return {.parameter = std::move(name), .is = Clause::Is::equal, .values = std::move(values)};
}

/// The second width never above the first, and no skip beside a first of 1: 7 + 19 points.
inline Space fenced() {
  const Condition both{"depth", {std::int64_t{2}}};
  const Clause rises{
      .parameter = "width2", .is = Clause::Is::above, .values = {}, .other = "width1"};
  return Space({choice("depth", {std::int64_t{1}, std::int64_t{2}}),
                {.name = "width1", .domain = IntRange{.min = 1, .max = 4}},
                {.name = "width2", .domain = IntRange{.min = 1, .max = 4}, .when = {both}},
                choice("skip", {true, false})},
               {{{rises}}, {{is("width1", {std::int64_t{1}}), is("skip", {true})}}});
}

/// A tenth of a dense square, which most draws miss.
inline Space corner() {
  const auto above = [](std::string name, double value) {
    return Clause{.parameter = std::move(name), .is = Clause::Is::above, .values = {value}};
  };
  return Space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1}},
                {.name = "y", .domain = FloatRange{.min = 0, .max = 1}},
                choice("kind", {std::string("a"), std::string("b")})},
               {{{above("x", 0.3)}}, {{above("y", 0.3), is("kind", {std::string("a")})}}});
}

inline Space empty() { return Space(std::vector<Parameter>{}); }

}  // namespace hpo::spaces
