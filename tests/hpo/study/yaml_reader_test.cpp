#include "hpo/study/yaml_reader.h"

#include <gtest/gtest.h>

namespace hpo::study {
namespace {

TEST(YamlReader, KeepsPlacesQuotesAndOrder) {
  const Node root = read_yaml("b: 1\na:\n  - \"x\"\n  - {k: 'y', z: ~}\né: ö\n");
  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.entries[1].key_at, (Position{2, 1}));
  const Node& list = root.entries[1].value;
  EXPECT_TRUE(list.items[0].quoted);
  EXPECT_EQ(list.items[0].at, (Position{3, 5}));
  EXPECT_TRUE(list.items[1].find("z")->is_null());
  EXPECT_EQ(list.items[1].find_entry("z")->key_at, (Position{4, 14}));
  EXPECT_EQ(root.entries[2].value.at, (Position{5, 4}));  // characters, not bytes
}

TEST(YamlReader, CopiesAliases) {
  const Node root = read_yaml("a: &x {n: 1}\nb: *x\nc: [*x, *x]\n");
  EXPECT_EQ(root.find_path({"b", "n"})->text, "1");
  EXPECT_EQ(root.find("b")->at, (Position{2, 4}));
  EXPECT_EQ(root.find("c")->items[1].find("n")->text, "1");
  EXPECT_EQ(root.find_path({"b", "m"}), nullptr);
}

TEST(YamlReader, TakesWhatEditorsWrite) {
  EXPECT_EQ(read_yaml("\xEF\xBB\xBF"
                      "a: 1\n")
                .find("a")
                ->text,
            "1");
  EXPECT_EQ(read_yaml("a: 1\r\nb:\r\n  c: 2\r\n").find_path({"b", "c"})->text, "2");
  EXPECT_EQ(read_yaml("%YAML 1.2\n---\na: 1\n...\n").find("a")->text, "1");
  EXPECT_EQ(read_yaml("a: |\n  two\n  lines\n").find("a")->text, "two\nlines\n");
  EXPECT_EQ(read_yaml("a:\t1\n \t\n#\tcomment\n").find("a")->text, "1");
}

TEST(YamlReader, TellsWhereTheTextGoesWrong) {
  struct Case {
    std::string text;
    Position at;
  };
  const Case cases[] = {
      {"a: 1\na: 2\n", {2, 1}},  {"a: {b: [1, 2}\n", {1, 13}}, {"é: \"x\ny: 1\n", {1, 4}},
      {"a:\n \tb: 1\n", {2, 2}}, {"ab: \x7f\n", {1, 5}},       {"x: &a 'y\n", {1, 4}},
      {"a: é\xff\n", {1, 5}},    {"a: [*b]\n", {1, 5}},        {"a: 1\n--- b\n", {2, 1}}};
  for (const Case& c : cases) {
    try {
      (void)read_yaml(c.text);
      ADD_FAILURE() << c.text;
    } catch (const StudyError& error) {
      EXPECT_EQ(error.at(), c.at) << c.text << ": " << error.what();
    }
  }
}

TEST(YamlReader, RefusesBrokenUtf8) {
  for (const char* bad : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF8\x88\x80\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_THROW((void)read_yaml(std::string("a: ") + bad), StudyError);
  }
  EXPECT_EQ(read_yaml("a: \xF0\x9F\x8C\xB1\n").find("a")->text, "\xF0\x9F\x8C\xB1");
}

}  // namespace
}  // namespace hpo::study
