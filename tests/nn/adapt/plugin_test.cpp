// Policies from shared libraries: what is loaded, what is refused, and what those of
// examples/policies decide.

#include "nn/adapt/plugin.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "nn/error.h"
#include "tests/nn/nets.h"
#include "tests/support/temp_folder.h"

namespace nn {
namespace {

using nn_test::n;

std::string example(const std::string& name) {
  return std::string(std::getenv("TRELLIS_POLICIES")) + "/" + name + ".so";
}

std::string broken(const std::string& name) {
  return std::string(std::getenv("TRELLIS_PLUGINS")) + "/" + name + ".so";
}

Adaptation adaptation(const std::string& path, const Fields& fields = {},
                      std::uint64_t most_weights = 0) {
  return {.policy = {"plugin", fields},
          .at = {},
          .command = {},
          .plugin = path,
          .content = plugin_content(path),
          .max_weights = most_weights};
}

const ModelSpec& model() {
  static const ModelSpec kModel = complete(nn_test::mlp(10, {8, 4}, 3));
  return kModel;
}

std::unique_ptr<Policy> make(const std::string& name, const Fields& fields,
                             const ModelSpec& spec = model(), std::uint64_t most_weights = 0) {
  const Adaptation whole = complete(adaptation(example(name), fields, most_weights));
  return make_policy({.adaptation = whole, .spec = spec, .epochs = 10});
}

std::string refusal(const std::string& path) {
  try {
    (void)complete(adaptation(path));
    return "taken";
  } catch (const base::Error& error) {
    return error.what();
  }
}

TEST(Plugin, BringsAKindWithFieldsOfItsOwn) {
  const Adaptation whole = complete(adaptation(example("gradmax"), {{"to", n(32)}}));
  EXPECT_EQ(policy_of(whole).info.kind, "gradmax");
  EXPECT_EQ(integer(whole.policy.fields, "to"), 32);
  EXPECT_EQ(real(whole.policy.fields, "every"), 1);
  EXPECT_THROW((void)complete(adaptation(example("gradmax"), {{"two", n(32)}})), SpecError);
  EXPECT_THROW((void)complete(adaptation(example("gradmax"), {{"to", n(0)}})), SpecError);
}

TEST(Plugin, TheProgramsOwnErrorsAreCaughtAsWhatTheyAre) {
  try {
    (void)make("gradmax", {{"to", n(4)}}, complete(nn_test::mlp(10, {8, 4}, 3)));
    FAIL() << "made";
  } catch (const SpecError& error) {
    EXPECT_EQ(error.field(), "to");
    EXPECT_STREQ(error.what(), "gradmax: no layer has fewer units than `to`");
  }
}

TEST(Plugin, WhatIsNoPolicyIsRefused) {
  EXPECT_NE(refusal(broken("no_policy"))
                .find("no_policy.so: this is not a policy: it has no TRELLIS_POLICY"),
            std::string::npos);
  EXPECT_NE(refusal(broken("old_interface"))
                .find("was compiled for another interface of policies "
                      "(version 0; this program has version " +
                      std::to_string(nn::kPolicyVersion)),
            std::string::npos);
  EXPECT_NE(refusal(broken("taken_field")).find("has a field \"content\""), std::string::npos);
  EXPECT_NE(refusal(broken("odd_fields"))
                .find("the policy odd has a field \"much\", whose default must be"),
            std::string::npos);
  const std::string lost = refusal(broken("unknown_symbol"));
  EXPECT_NE(lost.find("unknown_symbol.so: can't be loaded: undefined symbol"), std::string::npos);
  const support::TempFolder folder;
  const std::string text = (folder / "text.so").string();
  std::ofstream(text) << "not a library";
  EXPECT_NE(refusal(text).find("text.so: can't be loaded: "), std::string::npos);
  EXPECT_THROW((void)plugin_content((folder / "absent.so").string()), base::Error);
}

TEST(Plugin, AnotherContentIsRefused) {
  Adaptation other = adaptation(example("gradmax"), {{"to", n(32)}});
  const std::string content = other.content;
  EXPECT_EQ(content.size(), 32U);
  other.content[0] = other.content[0] == '0' ? '1' : '0';
  try {
    (void)complete(other);
    FAIL() << "taken";
  } catch (const base::Error& error) {
    EXPECT_EQ(std::string(error.what()), other.plugin + ": the file has the content " + content +
                                             ", expected " + other.content);
  }
}

TEST(Plugin, StaysLoadedWhenItsFileChanges) {
  const support::TempFolder folder;
  const std::string path = (folder / "mine.so").string();
  std::filesystem::copy_file(example("nest"), path);
  const Adaptation before = adaptation(path, {{"grow_until", 1.0}});
  EXPECT_EQ(policy_of(before).info.kind, "nest");
  std::filesystem::copy_file(example("gradmax"), path,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(policy_of(before).info.kind, "nest");
  EXPECT_EQ(policy_of(adaptation(path)).info.kind, "gradmax");
}

TEST(Plugin, SettingsThatLeaveNothingToDoAreRefused) {
  EXPECT_THROW((void)make("gradmax", {{"to", n(64)}, {"until", 11.0}}), SpecError);
  EXPECT_THROW((void)make("gradmax", {{"to", n(64)}, {"every", 12.0}}), SpecError);
  EXPECT_THROW((void)make("gradmax", {{"to", n(64)}, {"every", 3.0}, {"until", 2.0}}), SpecError);
  EXPECT_THROW((void)make("nest", {{"grow_until", 1.0}, {"every", 12.0}}), SpecError);
  EXPECT_THROW((void)make("bottleneck", {{"every", 12.0}}), SpecError);
}

TEST(GradMaxPlugin, GrowsInEqualPartsToItsWidth) {
  const auto policy = make("gradmax", {{"to", n(24)}, {"until", 4.0}});
  ModelSpec spec = model();
  std::vector<std::string> shapes;
  for (auto at = policy->next(0); at; at = policy->next(*at + 1)) {
    const Turn turn = policy->turn({.now = *at, .spec = spec, .losses = {}});
    ASSERT_EQ(turn.candidates.size(), 1U);
    spec = *spec_after(spec, turn.candidates.front());
    shapes.push_back(shape_text(spec));
    EXPECT_EQ(word(complete(turn.candidates.front().front()).fields, "rule"), "gradmax");
  }
  EXPECT_EQ(shapes,
            (std::vector<std::string>{"10-12-9-3", "10-16-14-3", "10-20-19-3", "10-24-24-3"}));
}

TEST(GradMaxPlugin, KeepsToTheBoundOfWeights) {
  const auto policy = make("gradmax", {{"to", n(200)}, {"until", 1.0}}, model(), 300);
  const Turn turn = policy->turn({.now = *policy->next(0), .spec = model(), .losses = {}});
  EXPECT_TRUE(turn.candidates.empty());
}

TEST(GradMaxPlugin, HasNewUnitsDrawnWhereItsAlgebraHasNoPlace) {
  const auto policy = make("gradmax", {{"to", n(16)}, {"until", 1.0}}, nn_test::lenet(4, 8, 12));
  const Turn turn = policy->turn(
      {.now = *policy->next(0), .spec = complete(nn_test::lenet(4, 8, 12)), .losses = {}});
  ASSERT_EQ(turn.candidates.size(), 1U);
  std::vector<std::string> rules;
  for (const Operation& operation : turn.candidates.front())
    rules.push_back(operation.layer + " " + word(operation.fields, "rule"));
  EXPECT_EQ(rules, (std::vector<std::string>{"c1 fresh", "c2 fresh", "fc gradmax"}));
}

TEST(OneShotPlugin, RemovesTheUnitsThatMatterLeastOverAllLayers) {
  const auto policy = make("one_shot", {{"epoch", 2.5}, {"keep", 0.5}});
  EXPECT_TRUE(policy->wants().units);
  const auto at = policy->next(0);
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(static_cast<double>(*at) / static_cast<double>(policy->grid()), 2.5);
  std::vector<UnitStatistics> units(2);
  units[0].layer = "dense1";
  units[0].gradient = {9, 8, 7, 6, 5, 4, 1, 2};
  units[1].layer = "dense2";
  units[1].gradient = {0.1, 0.2, 0.3, 0.4};
  const Turn turn = policy->turn({.now = *at, .spec = model(), .losses = {}, .units = units});
  // Six of twelve go: the last layer keeps one of its four.
  ASSERT_EQ(turn.candidates.size(), 1U);
  EXPECT_EQ(
      describe(turn.candidates.front()),
      "shrink dense1 by 3 score taylor refit false, shrink dense2 by 3 score taylor refit false");
  EXPECT_FALSE(policy->next(*at).has_value());
  EXPECT_THROW((void)make("one_shot", {{"epoch", 10.0}}), SpecError);
}

TEST(BottleneckPlugin, GrowsTheLayerThatGivesMostForItsCost) {
  const auto policy = make("bottleneck", {{"by", n(2)}});
  std::vector<UnitStatistics> units(2);
  units[0].layer = "dense1";
  units[0].room = {1, 1, 5};
  units[1].layer = "dense2";
  units[1].room = {1.5, 0.1};
  const Turn dear = policy->turn({.now = 1, .spec = model(), .losses = {}, .units = units});
  EXPECT_EQ(dear.candidates.front().front().layer, "dense2");
  units[0].room = {3, 1};
  const Turn cheap = policy->turn({.now = 2, .spec = model(), .losses = {}, .units = units});
  EXPECT_EQ(cheap.candidates.front().front().layer, "dense1");
  units[0].room = units[1].room = {};
  EXPECT_TRUE(
      policy->turn({.now = 3, .spec = model(), .losses = {}, .units = units}).candidates.empty());
  EXPECT_THROW((void)make("bottleneck", {}, model(), 100), SpecError);
}

TEST(NestPlugin, GrowsFirstAndThenRemovesWhatIsWeak) {
  const auto policy = make("nest", {{"grow_until", 2.0}});
  EXPECT_TRUE(policy->wants().norms);
  const std::vector<UnitNorms> norms{{"dense1", {1, 1, 1, 1, 1, 1, 0.1, 0.2}},
                                     {"dense2", {1, 1, 1, 1}}};
  const Turn growth =
      policy->turn({.now = policy->grid() * 2, .spec = model(), .losses = {}, .norms = norms});
  EXPECT_EQ(describe(growth.candidates.front()),
            "widen dense1 by 4 rule nest, widen dense2 by 2 rule nest");
  const Turn removal =
      policy->turn({.now = policy->grid() * 3, .spec = model(), .losses = {}, .norms = norms});
  EXPECT_EQ(describe(removal.candidates.front()), "shrink dense1 by 2 score norm refit false");
}

TEST(Plugin, EveryExampleCanGoThroughAWholeTraining) {
  for (const auto& [name, fields] : std::map<std::string, Fields>{{"gradmax", {{"to", n(12)}}},
                                                                  {"nest", {{"grow_until", 3.0}}},
                                                                  {"one_shot", {{"epoch", 3.0}}},
                                                                  {"bottleneck", {}}}) {
    const auto policy = make(name, fields);
    ModelSpec spec = model();
    for (auto at = policy->next(0); at && *at < 10 * policy->grid(); at = policy->next(*at + 1)) {
      std::vector<UnitNorms> norms;
      std::vector<UnitStatistics> units;
      for (const UnitNumbers& layer : unit_numbers(spec)) {
        std::vector<double> rising(layer.units);
        for (std::size_t u = 0; u < rising.size(); ++u) rising[u] = static_cast<double>(u);
        norms.push_back({layer.layer, rising});
        units.push_back({layer.layer, rising, rising, rising, {3, 2, 1}});
      }
      const Turn turn =
          policy->turn({.now = *at, .spec = spec, .losses = {}, .norms = norms, .units = units});
      Round round{.from = *at, .until = *at, .candidates = {}};
      if (turn.candidates.empty()) continue;
      const auto after = spec_after(spec, turn.candidates.front());
      ASSERT_TRUE(after.has_value()) << name << " at " << *at;
      spec = *after;
      round.candidates.push_back({.operations = turn.candidates.front(), .accepted = true});
      policy->told(round);
    }
    EXPECT_NE(spec, model()) << name;
  }
}

}  // namespace
}  // namespace nn
