// Several studies beside each other.

#include <gtest/gtest.h>

#include <vector>

#include "hpo/report/section.h"
#include "tests/hpo/report/studies.h"
#include "tests/support/temp_folder.h"

namespace hpo::report {
namespace {

Gathered study_of(const base::Path& folder, const StudyFacts& facts, std::uint64_t trials) {
  made::Made made(folder, facts);
  made::add_sixty(made, trials);
  made.add({}, Finished{Finish::trials, "over"});
  return gather(made.reader(), {});
}

StudyFacts with_seed(const std::string& name, const std::string& seed) {
  StudyFacts facts = made::facts(name);
  facts.resolved.replace(facts.resolved.find("seed: 7"), 7, "seed: " + seed);
  return facts;
}

TEST(Comparison, NamesTheBetterStudy) {
  support::TempFolder folder;
  StudyFacts other = made::facts("small");
  other.resolved.replace(other.resolved.find("epochs: 27"), 10, "epochs: 9");
  std::vector<Gathered> studies;
  studies.push_back(study_of(folder / "a", made::facts("large"), 60));
  studies.push_back(study_of(folder / "b", other, 10));
  const std::vector<Section> sections = comparison_sections(studies);
  ASSERT_EQ(sections.size(), 4U);
  EXPECT_EQ(sections[0].heading,
            "large found the best valid.accuracy: 97.1%, before small with 78.3%.");
  EXPECT_EQ(sections[2].heading, "The study files differ in 1 key.");
  EXPECT_NE(sections[2].body.find("train.epochs"), std::string::npos);
  EXPECT_EQ(sections[3].heading, "The winners differ in 2 of 3 parameters.");
}

TEST(Comparison, OfSeedsIsAMeanAndNoRace) {
  support::TempFolder folder;
  std::vector<Gathered> studies;
  studies.push_back(study_of(folder / "a", with_seed("one", "1"), 60));
  studies.push_back(study_of(folder / "b", with_seed("two", "2"), 10));
  EXPECT_EQ(comparison_sections(studies)[0].heading,
            "Over 2 seeds the best valid.accuracy is 87.7% in the mean, from 78.3% to 97.1%.");
}

TEST(Comparison, OfDifferentMetricsIsNone) {
  support::TempFolder folder;
  StudyFacts other = made::facts("other");
  other.metric = "valid.loss";
  std::vector<Gathered> studies;
  studies.push_back(study_of(folder / "a", made::facts(), 10));
  studies.push_back(study_of(folder / "b", other, 10));
  const std::vector<Section> sections = comparison_sections(studies);
  EXPECT_EQ(sections[0].heading, "2 studies search for different metrics.");
  EXPECT_EQ(sections[1].id, "keys") << "no common picture";
}

TEST(Comparison, OfStudiesWithoutATrial) {
  support::TempFolder folder;
  std::vector<Gathered> studies;
  studies.push_back(study_of(folder / "a", made::facts("a"), 0));
  studies.push_back(study_of(folder / "b", made::facts("b"), 0));
  EXPECT_EQ(comparison_sections(studies)[0].heading, "None of 2 studies has a best trial yet.");
}

TEST(Comparison, IsAPage) {
  support::TempFolder folder;
  std::vector<StudyReader> readers;
  for (const char* name : {"a", "b", "c"}) {
    made::Made made(folder / name, made::facts(name));
    made::add_sixty(made, 20);
    readers.push_back(made.reader());
  }
  const std::string page = report_page(readers, {.version = "1.2.3"});
  EXPECT_NE(page.find("data-chart=\"bests\""), std::string::npos);
  EXPECT_NE(page.find("data-chart=\"edf\""), std::string::npos);
  EXPECT_EQ(page.find("ann smith"), std::string::npos);
  EXPECT_LT(page.size(), 60'000U);
}

}  // namespace
}  // namespace hpo::report
