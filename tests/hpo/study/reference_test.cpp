// `$name`: where it may stand, what it becomes, and what happens when it is inactive.

#include <gtest/gtest.h>

#include "hpo/study/substitute.h"
#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

using study::Node;
using study::plain_node;
using study::references;
using study::string_node;
using study::substitute;

TEST(References, AreFoundInTexts) {
  EXPECT_TRUE(references(plain_node("$lr", {})).whole);
  EXPECT_TRUE(references(string_node("${lr}", {})).whole);
  const auto two = references(plain_node("a-$x_1-${y}z", {}));
  EXPECT_FALSE(two.whole);
  EXPECT_EQ(two.names, (std::vector<std::string>{"x_1", "y"}));
  EXPECT_TRUE(references(plain_node("5$$", {})).names.empty());
  EXPECT_FALSE(references(plain_node("$$lr", {})).whole);
  for (const char* bad : {"$", "a$", "$1", "${", "${}", "${a", "${a b}", "$-x"}) {
    EXPECT_THROW((void)references(plain_node(bad, {})), study::StudyError) << bad;
  }
}

TEST(Substitute, KeepsTheTypeOfAWholeReference) {
  const Params params{{"f", 0.5}, {"i", std::int64_t{3}}, {"s", std::string("1")}, {"b", true}};
  const auto value = [&](const std::string& text) {
    return substitute(plain_node(text, {}), params).value();
  };
  EXPECT_EQ(value("$f").text, "0.5");
  EXPECT_EQ(value("$i").text, "3");
  EXPECT_FALSE(value("$i").quoted);
  EXPECT_EQ(value("$s").text, "1");
  EXPECT_TRUE(value("$s").quoted);
  EXPECT_EQ(value("$b").text, "true");
  EXPECT_EQ(value("x$i-${s}$$").text, "x3-1$");
  EXPECT_EQ(value("plain").text, "plain");
}

TEST(Substitute, LeavesOutWhatIsInactive) {
  Node map = study::map_node({});
  map.entries.push_back({"keep", {}, plain_node("$a", {})});
  map.entries.push_back({"drop", {}, plain_node("x$b", {})});
  Node list{.kind = Node::Kind::list};
  list.items = {plain_node("$b", {}), plain_node("$a", {})};
  map.entries.push_back({"list", {}, list});
  const auto result = substitute(map, Params{{"a", 1.0}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->entries.size(), 2U);
  EXPECT_EQ(result->find("list")->items.size(), 1U);
  EXPECT_FALSE(substitute(plain_node("$b", {}), {}));
}

class ReferenceTest : public StudyTest {};

TEST_F(ReferenceTest, CanStandInDataAndResources) {
  const StudySpec study = load(R"(
data: {csv: rows.csv, target: y, rows: $rows, scale: $scale}
train: {epochs: 1}
resources: {cpus: $units, memory: $memory}
parameters:
  rows: {values: [2, 4]}
  scale: {values: [standard, none]}
  units: {values: [1, 2]}
  memory: {values: [1GB, 2GB]}
)");
  const Params params{{"rows", std::int64_t{4}},
                      {"scale", std::string("none")},
                      {"units", std::int64_t{2}},
                      {"memory", std::string("2GB")}};
  EXPECT_EQ(data_spec(study, params).rows, 4);
  EXPECT_EQ(data_spec(study, params).scale, nn::Scale::none);
  const TrialSpec trial = materialise(study, params, classes(2, 2));
  EXPECT_EQ(trial.resources.cpus, 2);
  EXPECT_EQ(trial.resources.memory, 2'000'000'000U);
}

TEST_F(ReferenceTest, BracesNeedQuotesAndMayBeInsideATextWithoutThem) {
  const StudySpec study = load_table(R"(
network:
  - dense: {units: "${width}", name: fc-$width}
parameters:
  width: {values: [4, 8]}
)");
  const TrialSpec trial = materialise(study, Params{{"width", std::int64_t{8}}}, classes(2, 2));
  EXPECT_EQ(trial.model.layers[0].name, "fc-8");
  EXPECT_EQ(nn::integer(trial.model.layers[0].fields, "units"), 8);
}

TEST_F(ReferenceTest, AReferenceWithoutAParameterIsRefusedBeforeItsValueIsLookedAt) {
  EXPECT_EQ(refusal(table() + "network: []\nresources: {cpus: $nobody}\n"),
            "study.yaml:3:19: $nobody names no parameter, expected a name under parameters, of "
            "which there are none "
            "(write $$ for the character $)");
}

}  // namespace
}  // namespace hpo
