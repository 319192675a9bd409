// The whole page: one file, nothing from elsewhere, nothing that runs but our script.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/hpo/report/studies.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

/// What stands between two texts, of the first place.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return "";
  const std::size_t start = begin + from.size();
  return text.substr(start, text.find(to, start) - start);
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

std::string sixty(const base::Path& folder, ReportOptions options = {}) {
  made::Made made(folder);
  made::add_sixty(made);
  made::judge(made, 22);
  return made::page_of(made.reader(), options);
}

TEST(Page, BeginsWithTheVerdictAndHasNoOtherFile) {
  support::TempFolder folder;
  const std::string page = sixty(folder.path());
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_EQ(between(page, "<h1>", "</h1>"),
            "Trial 22 is better than logistic regression by 0.0167 in accuracy on 359 unseen rows "
            "(95%: 0.000423 to 0.0328).");
  EXPECT_NE(between(page, "name=\"description\" content=\"", "\"").find(made::verdict().text),
            std::string::npos);
  for (const char* word : {"http://", "https://", "src=", "<link", "@import", "url("})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  EXPECT_EQ(count_of(page, "<script>"), 1U) << "the one that runs";
  EXPECT_EQ(count_of(page, "<style>"), 1U);
  const std::string words = page.substr(0, page.find("<script"));
  EXPECT_EQ(count_of(words, " style="), 0U) << "the policy forbids it";
  for (const char* handler : {" onclick=", " onload=", " onerror="})
    EXPECT_EQ(count_of(words, handler), 0U);
  EXPECT_NE(page.find("Made by Trellis 1.2.3."), std::string::npos);
}

TEST(Page, HasAPolicyThatAllowsOneScriptAndOneStyle) {
  support::TempFolder folder;
  const std::string page = sixty(folder.path());
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'sha256-")) << policy;
  EXPECT_EQ(count_of(policy, "sha256-"), 2U);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
}

TEST(Page, IsSmall) {
  support::TempFolder folder;
  EXPECT_LE(sixty(folder.path()).size(), 60'000U);
}

TEST(Page, NamesNoPathAndNoHost) {
  support::TempFolder folder;
  const auto page_with = [&](bool paths, const std::string& name) {
    made::Made made(folder / name);
    made.add(
        {},
        Opened{.host = "node7.cluster.example", .pid = 1, .build = "1.2.3", .arithmetic = "avx2"});
    made::add_sixty(made, 5);
    made.create(5, made::params_of(5));
    made.end(5, TrialState::failed, Cause::error,
             "node7: cannot read /users/ann smith/tables/digits.csv.gz");
    made.create(
        6, {{"lr", 0.01}, {"width", std::int64_t{20}}, {"optimizer", std::string("/srv/x/adam")}});
    return made::page_of(made.reader(), {.with_paths = paths});
  };
  const std::string page = page_with(false, "a");
  for (const char* word : {"ann smith", "/users", "node7", "cluster.example", "/srv"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  EXPECT_NE(page.find("host: cannot read digits.csv.gz"), std::string::npos);
  const std::string open = page_with(true, "b");
  EXPECT_NE(open.find("/users/ann smith/tables/digits.csv.gz"), std::string::npos);
  EXPECT_NE(open.find("node7: cannot read"), std::string::npos);
}

TEST(Page, IsTheSameForEqualResults) {
  support::TempFolder folder;
  const auto page = [&](const std::string& name, double took) {
    made::Made made(folder / name);
    made::add_sixty(made, 20);
    made.note("active_seconds", base::format_double(took));
    made.add({}, Opened{.host = name, .pid = 1, .build = "1.2.3", .arithmetic = "avx2"});
    return made::page_of(made.reader(), {.with_times = false});
  };
  EXPECT_EQ(page("a", 1.5), page("b", 99));
}

TEST(Page, ShowsHostileTextsAsTexts) {
  for (const std::string& hostile :
       {std::string("</script><script>window.canary=1</script>"),
        std::string("\"><img src=x onerror=canary()>"), std::string("javascript:canary()"),
        std::string("a\0b", 3), std::string("\u202etxt.exe"), std::string("\xff\xfe"),
        std::string("<!--"), std::string("]]></style>"), std::string(1000, 'n'),
        std::string("'; alert(1); '"), std::string("\u2028")}) {
    support::TempFolder folder;
    StudyFacts facts = made::facts();
    facts.parameters = {hostile, "lr"};
    facts.metric = hostile;
    facts.resolved = "name: x\nparameters:\n  lr: {min: 0.001, max: 1.0}\n# " + hostile + "\n";
    made::Made made(folder.path(), facts);
    for (std::uint64_t i = 0; i < 12; ++i) {
      made.create(i, {{hostile, hostile}, {"lr", 0.01 * static_cast<double>(i + 1)}});
      made.add(i, Reported{.step = 1, .epochs = 1, .value = 0.5, .metrics = {{hostile, 0.5}}});
      made.end(i, i < 11 ? TrialState::complete : TrialState::failed,
               i < 11 ? Cause::none : Cause::error, hostile);
    }
    made.add(0,
             Exported{.file = "best.safetensors",
                      .confusion = {
                          .part = "test", .classes = {hostile, "b"}, .counts = {{1, 2}, {3, 4}}}});
    const std::string page = made::page_of(made.reader());
    EXPECT_EQ(count_of(page, "<script>"), 1U);
    EXPECT_EQ(count_of(page, "</style>"), 1U);
    EXPECT_EQ(count_of(page, "<img"), 0U);
    EXPECT_EQ(count_of(page, "<!--"), 0U);
    EXPECT_EQ(page.find('\0'), std::string::npos);
    EXPECT_EQ(page.find("\u202e"), std::string::npos);
    const auto data = nlohmann::json::parse(between(page, "id=\"page-data\">", "</script>"));
    EXPECT_EQ(data["parameters"].size(), 2U);
  }
}

TEST(Page, OfAThousandCharactersAndTwoHundredParametersStaysSmall) {
  support::TempFolder folder;
  StudyFacts facts = made::facts();
  facts.parameters.clear();
  Params params;
  for (int i = 0; i < 200; ++i) {
    facts.parameters.push_back(base::cat("p", i, std::string(i == 7 ? 1000 : 1, 'x')));
    params.append(facts.parameters.back(), 0.001 * i);
  }
  made::Made made(folder.path(), facts);
  for (std::uint64_t i = 0; i < 5; ++i) {
    made.create(i, params);
    made.report(i, 1, 0.5);
    made.end(i, TrialState::complete);
  }
  const std::string page = made::page_of(made.reader());
  EXPECT_LT(page.size(), 120'000U);
  EXPECT_NE(page.find("and 170 more"), std::string::npos);
}

TEST(Page, OfAStudyWhoseFileCannotBeReadHasItsTrials) {
  support::TempFolder folder;
  StudyFacts facts = made::facts();
  facts.resolved = "no: [yaml";
  made::Made made(folder.path(), facts);
  made::add_sixty(made, 12);
  const std::string page = made::page_of(made.reader());
  EXPECT_NE(page.find("optimizer"), std::string::npos);
  EXPECT_NE(page.find("Trial 7 leads"), std::string::npos);
}

}  // namespace
}  // namespace hpo
