#include "hpo/report/study_keys.h"

#include <gtest/gtest.h>

namespace hpo::report {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

TEST(StudyKeys, AreThePathsOfAResolvedFile) {
  EXPECT_EQ(
      study_keys("# made by trellis\nname: a\ndata:\n  csv: x.csv\n  split: {valid: 0.2}\n"
                 "network:\n  - {type: dense, units: 8}\n  - {type: dense, units: 4}\nseed: 3\n"),
      (Keys{{"name", "a"},
            {"data.csv", "x.csv"},
            {"data.split", "{valid: 0.2}"},
            {"network[0]", "{type: dense, units: 8}"},
            {"network[1]", "{type: dense, units: 4}"},
            {"seed", "3"}}));
}

TEST(StudyKeys, TakeColonsInsideOfNamesAndValues) {
  EXPECT_EQ(study_keys("parameters:\n  \"a: b\": {min: 1}\ncommand: [sh, \"x: y\"]\n"),
            (Keys{{"parameters.\"a: b\"", "{min: 1}"}, {"command", "[sh, \"x: y\"]"}}));
  EXPECT_TRUE(study_keys("").empty());
  EXPECT_TRUE(study_keys("no key here\n").empty());
}

TEST(DifferentKeys, AreThoseThatAreNotEverywhereTheSame) {
  const auto keys = different_keys({"name: a\nseed: 1\nlimits:\n  trials: 60\n",
                                    "name: b\nseed: 2\nlimits:\n  trials: 60\nnodes: 4\n"});
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].key, "seed");
  EXPECT_EQ(keys[0].values, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(keys[1].key, "nodes");
  EXPECT_EQ(keys[1].values, (std::vector<std::string>{"", "4"}));
}

}  // namespace
}  // namespace hpo::report
