// Words that YAML 1.1 reads otherwise than 1.2. What PyYAML 6 makes of them.

#include "hpo/study/yaml11.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace hpo::study {
namespace {

std::string as_11(const char* text) {
  const auto value = yaml11_value(text);
  return value ? text_of(*value) : "a text";
}

TEST(Yaml11, ReadsBoolsAndNumbersAsPythonDoes) {
  for (const auto& [text, value] : {std::pair("yes", "true"),
                                    {"No", "false"},
                                    {"ON", "true"},
                                    {"off", "false"},
                                    {"True", "true"},
                                    {"1_000", "1000"},
                                    {"010", "8"},
                                    {"-017", "-15"},
                                    {"0b101", "5"},
                                    {"0x1F", "31"},
                                    {"1:30", "90"},
                                    {"1:30:05", "5405"},
                                    {"-1:30", "-90"},
                                    {"1:30.5", "90.5"},
                                    {"1_0.5", "10.5"},
                                    {"1.5e+3", "1500.0"},
                                    {"0", "0"},
                                    {"7", "7"},
                                    {".5", "0.5"}})
    EXPECT_EQ(as_11(text), value) << text;
}

TEST(Yaml11, LeavesTextsAlone) {
  for (const char* text : {"y", "n", "yEs", "oN", "08", "1e-5", "1e5", "1.5e3", "1:60", "1:300",
                           "0o17", "a:1", "1:", ":30", "_1", "-", "", "2026-11-29", "12:30pm"})
    EXPECT_EQ(as_11(text), "a text") << text;
}

TEST(Yaml11, TellsWhereBothDiffer) {
  for (const char* text : {"yes", "Off", "010", "1_000", "1:30", "0b1", "1_0.5"})
    EXPECT_TRUE(only_in_yaml11(text)) << text;
  for (const char* text : {"true", "True", "10", "0x1F", "0.5", "-3", "1.5e+3", "word", "1e-5"})
    EXPECT_FALSE(only_in_yaml11(text)) << text;
}

}  // namespace
}  // namespace hpo::study
