#include "hpo/study/binding.h"

#include <filesystem>
#include <set>

#include "hpo/study/places.h"
#include "hpo/study/writer.h"
#include "hpo/study/yaml_reader.h"
#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

using study::Field;

void expect_bound_below(const Field& block, const std::type_info& owner) {
  for (const Field& row : block.fields) {
    ASSERT_NE(row.binding.owner, nullptr) << row.path;
    EXPECT_EQ(*row.binding.owner, owner) << row.path << " is bound to a member of another struct";
    if (row.type == study::Type::block) expect_bound_below(row, *row.binding.block);
  }
}

TEST(Binding, EveryRowIsBoundToTheStructOfItsBlock) {
  expect_bound_below(study::study_block(), typeid(StudySpec));
}

TEST(Binding, NoTwoRowsOfABlockShareAMember) {
  for (const Field& block : study::study_block().fields) {
    std::set<const void*> writers;
    for (const Field& row : block.fields) {
      if (row.binding.write == nullptr) continue;
      EXPECT_TRUE(writers.insert(reinterpret_cast<const void*>(row.binding.write)).second)
          << row.path;
    }
  }
}

TEST(Binding, AStudyReadsBackAsItIsWritten) {
  const std::filesystem::path folder = std::filesystem::path(TRELLIS_ROOT) / "experiments";
  int studies = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::string text;
    try {
      text = resolved_yaml(load_study(entry.path().string()));
    } catch (const base::Error&) {
      continue;  // its data or program is not here
    }
    ++studies;
    EXPECT_EQ(resolved_yaml(parse_study(text, "again.yaml", "/")), text) << entry.path();
  }
  EXPECT_GT(studies, 0);
}

class BoundStudy : public StudyTest {};

TEST_F(BoundStudy, ValuesArriveWithTheirUnits) {
  const StudySpec study = load_table(
      "checkpoint: {overhead: 7.3%}\nstore: {budget: 3GiB}\n"
      "limits: {time: 90m, trial_time: 1.5s, target: -2}\ntrain: {clip: none, shards: auto}\n");
  EXPECT_EQ(study.checkpoint.overhead, 7.3 / 100);
  EXPECT_EQ(study.store.budget, 3ULL << 30);
  EXPECT_EQ(study.limits.time, 5400);
  EXPECT_EQ(study.limits.trial_time, 1.5);
  EXPECT_EQ(study.limits.target, -2);
  EXPECT_EQ(study.train.clip.value(), 0);
  EXPECT_EQ(study.train.shards.value(), 0);
  const std::string text = resolved_yaml(study);
  for (const char* line : {"overhead: \"7.3%\"", "budget: 3GiB", "time: 1h30m",
                           "trial_time: 1s500ms", "target: -2.0", "clip: none", "shards: auto"})
    EXPECT_NE(text.find(line), std::string::npos) << line << " is not in\n" << text;
}

TEST_F(BoundStudy, AnExpressionTakesTheValueOfATrial) {
  const StudySpec study = load_table(
      "train: {batch: $b, clip: 1$e}\nparameters: {b: {min: 1, max: 64}, e: {values: [0, 5]}}\n");
  ASSERT_TRUE(study.train.batch.varies());
  EXPECT_EQ(study.train.batch.in({{"b", std::int64_t{17}}}), 17);
  EXPECT_EQ(study.train.clip.in({{"e", std::int64_t{5}}}), 15);
}

TEST_F(BoundStudy, AnExpressionWithoutItsParameterIsTheDefault) {
  const StudySpec study = load_table(
      "train: {batch: $b, optimizer: $o}\nparameters: {o: {values: [sgd, adam]}, "
      "b: {min: 1, max: 64, when: {o: sgd}}}\n");
  EXPECT_EQ(study.train.batch.in({{"o", std::string("adam")}}), 32);
}

TEST_F(BoundStudy, PlacesAreThoseOfTheFile) {
  const StudySpec study = load_table(
      "limits:\n  trials: 5\nmetric: [{name: valid.loss}, {name: weights}]\n"
      "method: nsga2\nsubject_to: {valid.rmse: 3}\n");
  const auto line = [&](const char* path) { return study.places->at(path).line; };
  const int first = line("limits");
  EXPECT_EQ(study.places->at("limits.trials"), (study::Position{first, 11}));
  EXPECT_EQ(study.places->key_at("limits.trials"), (study::Position{first, 3}));
  EXPECT_EQ(study.places->at("metric.1.name").line, first + 1);
  EXPECT_GT(study.places->at("metric.1.name").column, study.places->at("metric.0.name").column);
  EXPECT_EQ(study.places->at("subject_to.valid.rmse"), (study::Position{first + 3, 26}));
  EXPECT_FALSE(study.places->has("limits.time"));
  EXPECT_EQ(study.places->at("limits.time"), study.places->at("limits")) << "as it would stand in";
}

}  // namespace
}  // namespace hpo
