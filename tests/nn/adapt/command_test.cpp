// A program that decides: what it is told, what its answers mean, which of them are refused.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "nn/adapt/operation_json.h"
#include "nn/adapt/policy.h"
#include "tests/nn/nets.h"

namespace nn {
namespace {

using nn_test::n;

const ModelSpec& model() {
  static const ModelSpec kModel = complete(nn_test::mlp(10, {8, 4}, 3));
  return kModel;
}

std::unique_ptr<Policy> make(const Fields& fields = {}, std::uint64_t max_weights = 0) {
  const Adaptation adaptation = complete(Adaptation{
      .policy = {"command", fields}, .at = {}, .command = {"decide"}, .max_weights = max_weights});
  return make_policy({.adaptation = adaptation, .spec = model(), .epochs = 10});
}

Turn answered(const std::string& text, const Fields& fields = {}, std::uint64_t most = 0) {
  return make(fields, most)->answered({.now = 4, .spec = model(), .losses = {}}, text);
}

std::string refusal(const std::string& text, std::uint64_t most = 0) {
  try {
    (void)answered(text, {}, most);
    return "taken";
  } catch (const base::Error& error) {
    return error.what();
  }
}

TEST(Command, IsToldTheStateOfTheTraining) {
  const auto policy = make({}, 500);
  policy->told({.from = 4,
                .until = 4,
                .candidates = {{.operations = {complete({"widen", "dense1", {{"by", n(2)}}})},
                                .shape = "10-8-4-3",
                                .weights = 139,
                                .accepted = true,
                                .why = "as the program says"}}});
  const std::vector<double> losses{0.5, 0.25};
  const Turn turn = policy->turn(
      {.now = 8, .spec = model(), .losses = losses, .valid_loss = 0.75, .valid_accuracy = 0.5});
  EXPECT_TRUE(turn.candidates.empty());
  const auto state = nlohmann::json::parse(turn.ask);
  EXPECT_EQ(state["epoch"], 2);
  EXPECT_EQ(state["epochs"], 10);
  EXPECT_EQ(state["weights"], weight_count(model()));
  EXPECT_EQ(state["flops"]["inference"], flops_per_row(model()).forward);
  EXPECT_EQ(state["losses"], (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(state["valid"]["loss"], 0.75);
  EXPECT_EQ(state["limits"]["weights"], 500);
  ASSERT_EQ(state["layers"].size(), 3U);
  EXPECT_EQ(state["layers"][0]["name"], "dense1");
  EXPECT_EQ(state["layers"][0]["units"], 8);
  EXPECT_EQ(state["layers"][0]["resizable"], true);
  EXPECT_EQ(state["layers"][2]["resizable"], false) << "the output";
  ASSERT_EQ(state["history"].size(), 1U);
  EXPECT_EQ(state["history"][0]["epoch"], 1);
  EXPECT_EQ(state["history"][0]["candidates"][0]["operations"][0]["widen"]["by"], 2);
}

TEST(Command, KeepsTheNetworkInARoundOfItsOwn) {
  for (const char* text : {"null", "\"keep\"", "keep", "  null \n", "[]", "{\"race\": []}"}) {
    const Turn turn = answered(text);
    EXPECT_EQ(turn.candidates, std::vector<Operations>{{}}) << text;
    EXPECT_FALSE(turn.race_until);
  }
}

TEST(Command, TakesAnOperationOrAListInEitherForm) {
  const Operations widen{complete({"widen", "dense1", {{"by", n(8)}}})};
  for (const char* text : {R"({"widen": {"layer": "dense1", "by": 8}})",
                           R"([{"widen": {"layer": "dense1", "by": 8}}])",
                           R"({"type": "widen", "layer": "dense1", "by": 8})"}) {
    EXPECT_EQ(answered(text).candidates, std::vector<Operations>{widen}) << text;
  }
  const Turn two = answered(
      R"([{"widen": {"layer": "dense1", "by": 1}}, {"shrink": {"layer": "dense2", "to": 2}}])");
  EXPECT_EQ(two.candidates.at(0).size(), 2U);
}

TEST(Command, RacesWhatTheAnswerLists) {
  const char* race = R"({"race": [[{"widen": {"layer": "dense1", "by": 8}}],
                                  {"shrink": {"layer": "dense2", "to": 2}}]})";
  const Turn turn = answered(race, {{"length", 0.5}, {"every", 0.25}});
  EXPECT_EQ(turn.candidates.size(), 2U);
  EXPECT_EQ(turn.race_until, 6);
  const char* longer = R"({"race": [{"widen": {"layer": "dense1", "by": 8}}], "length": 3})";
  EXPECT_EQ(answered(longer).race_until, 8) << "a race ends with its epoch";
  Round round{.from = 4, .until = 6, .candidates = {}};
  round.candidates.resize(2);
  round.candidates[0].loss = 1;
  round.candidates[1].operations = turn.candidates[0];
  round.candidates[1].loss = 0.5;
  make()->judge(round);
  EXPECT_TRUE(round.candidates[1].accepted);
}

TEST(Command, SaysWhatIsWrongWithAnAnswer) {
  EXPECT_EQ(refusal(R"({"widen": {"layer": "dense1", "by": 18446744073709551615}})"),
            "by is 18446744073709551615, expected a number below 2^63");
  EXPECT_NE(refusal("").find("expected null, an operation such as"), std::string::npos);
  EXPECT_NE(refusal("{\"widen\"").find("expected null"), std::string::npos);
  EXPECT_NE(refusal("\"kepe\"").find("did you mean \"keep\"?"), std::string::npos);
  EXPECT_NE(refusal("7").find("expected null"), std::string::npos);
  EXPECT_NE(refusal(R"({"widne": {"layer": "dense1", "by": 8}})").find("did you mean widen"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"widen": {"layer": "dense11", "by": 8}})").find("did you mean dense1?"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"widen": {"layer": "dense1", "bye": 8}})").find("did you mean by"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"widen": {"layer": "dense1", "by": "8"}})").find("by must be"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"widen": {"layer": 1, "by": 8}})").find("the name of a layer"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"widen": 3})").find("is not an operation"), std::string::npos);
  EXPECT_NE(refusal(R"({"race": 3})").find("expected null"), std::string::npos);
  EXPECT_NE(refusal(R"({"race": [], "lenght": 1})").find("did you mean \"length\"?"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"race": [{"widen": {"layer": "dense1", "by": 8}}], "length": 0.3})")
                .find("a multiple of 0.25 epochs"),
            std::string::npos);
  EXPECT_NE(
      refusal(R"({"widen": {"layer": "dense1", "by": 90}})", 500).find("limits.weights is 500"),
      std::string::npos);
  EXPECT_NE(refusal(std::string(100000, '[')).find("expected null"), std::string::npos);
}

TEST(Command, IsTheSameAfterItsRoundsAlone) {
  const auto policy = make({{"every", 2.0}, {"until", 6.0}});
  EXPECT_EQ(policy->next(0), 8);
  Candidate kept;
  kept.accepted = true;
  policy->told({.from = 8, .until = 8, .candidates = {kept}});
  EXPECT_EQ(policy->next(8), 16);
  EXPECT_EQ(policy->next(17), 24);
  EXPECT_EQ(policy->next(25), std::nullopt);
}

TEST(OperationJson, GoesThereAndBack) {
  for (const KindInfo& kind : operation_kinds()) {
    Fields fields;
    if (kind.field("by") != nullptr) fields["by"] = n(3);
    const Operations operations{complete({kind.kind, "a layer", fields})};
    EXPECT_EQ(operations_from_json(json_of(operations)), operations) << json_of(operations);
  }
  EXPECT_EQ(json_of({}), "[]");
  EXPECT_TRUE(operations_from_json("[]").empty());
  EXPECT_THROW((void)operations_from_json("[1"), base::Error);
}

}  // namespace
}  // namespace nn
