#include "hpo/wandb/sweep_config.h"

#include <gtest/gtest.h>

namespace hpo::wandb {
namespace {

TEST(SweepConfig, IsReadByYaml11AsTheSameValues) {
  const Params params{{"lr", 1e-7},           {"big", 1e30}, {"half", 0.5},
                      {"n", std::int64_t{3}}, {"amp", true}, {"name", "a \"b\""},
                      {"year", "2020-1-1"}};
  EXPECT_EQ(sweep_config(params, {}),
            "wandb_version: 1\n\"lr\": {\"value\": 1.0e-7}\n\"big\": {\"value\": 1.0e+30}\n"
            "\"half\": {\"value\": 0.5}\n\"n\": {\"value\": 3}\n\"amp\": {\"value\": true}\n"
            "\"name\": {\"value\": \"a \\\"b\\\"\"}\n\"year\": {\"value\": \"2020-1-1\"}\n");
}

TEST(SweepConfig, MakesValuesOfWhatAnImportMadeStrings) {
  const Params params{{"a", "True"},     {"b", "False"},      {"c", "None"},
                      {"d", "[64, 32]"}, {"e", "['x', 'y']"}, {"f", "[64"}};
  EXPECT_EQ(sweep_config(params, {}),
            "wandb_version: 1\n\"a\": {\"value\": true}\n\"b\": {\"value\": false}\n"
            "\"c\": {\"value\": null}\n\"d\": {\"value\": [64, 32]}\n"
            "\"e\": {\"value\": [\"x\", \"y\"]}\n\"f\": {\"value\": \"[64\"}\n");
}

TEST(SweepConfig, HasTheNamesOfTheProgram) {
  const Params params{{"model_lr", 0.5},
                      {"seed", std::int64_t{1}},
                      {"model_depth", std::int64_t{2}},
                      {"net_bias", false}};
  EXPECT_EQ(sweep_config(params, {{"model_lr", {"model", "lr"}},
                                  {"model_depth", {"model", "depth"}},
                                  {"net_bias", {"net.bias"}}}),
            "wandb_version: 1\n\"model\": {\"value\": {\"lr\": 0.5, \"depth\": 2}}\n"
            "\"seed\": {\"value\": 1}\n\"net.bias\": {\"value\": false}\n");
}

}  // namespace
}  // namespace hpo::wandb
