// What a study says of its own result: computed once, kept in log and model, and true.

#include <filesystem>
#include <memory>

#include "hpo/driver/networks/tree_size.h"
#include "hpo/driver/sweep.h"
#include "hpo/log/metrics.h"
#include "nn/evaluation/predict_table.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

class Verdicts : public SmallStudy {
 protected:
  /// A table whose classes a line parts, with some noise; `rare` of 1,000 rows are "yes".
  void write_rows(int rare) const {
    std::string rows = "a,b,kind\n";
    for (int i = 0; i < 400; ++i) {
      const int a = i * 37 % 101 - 50, b = i * 53 % 97 - 48;
      const bool yes = rare == 500 ? a + b + i % 7 > 3 : i % 1000 < rare * 4 / 10;
      rows += base::cat(a * 0.5, ",", b, ",", yes ? "yes" : "no", "\n");
    }
    base::write_file_atomic(folder_ / "rows.csv", rows);
  }

  [[nodiscard]] StudySpec file(const std::string& data, const std::string& more = "",
                               int trials = 3) const {
    return parse_study(
        base::cat("name: small\ndata: {csv: rows.csv, target: kind", data,
                  "}\nnetwork: [dense: {units: $width}]\ntrain: {optimizer: {adam: {lr: 0.02}}, "
                  "epochs: 6}\nmethod: random\nearly_stop: none\nparallel: 1\n"
                  "parameters: {width: {type: int, min: 4, max: 40}}\nlimits: {trials: ",
                  trials, "}\n", more),
        "small.yaml", folder_.path().string());
  }

  SweepResult sweep(const StudySpec& study) {
    RunOptions options{.folder = run(), .store = store(), .workers = 1};
    options.engine = Engine::sequential;
    options.commit_delay = {};
    notes_ = std::make_unique<Stopper>(0);
    return run_sweep(study, options, *notes_);
  }

  [[nodiscard]] Verdict verdict(const SweepResult& result) const {
    const auto found = StudyReader(run()).verdict(result.best->trial);
    EXPECT_TRUE(found);
    return found.value_or(Verdict{});
  }

  std::unique_ptr<Stopper> notes_;
};

TEST_F(Verdicts, StandInTheLogAndInTheModel) {
  write_rows(500);
  const SweepResult result = sweep(file(""));
  const Verdict found = verdict(result);
  EXPECT_EQ(found.rows, 80);
  EXPECT_GE(found.within_noise, 1);
  ASSERT_TRUE(found.beats);
  EXPECT_EQ(*found.beats, *found.low > 0);
  const auto metrics = StudyReader(run()).trial(result.best->trial)->metrics;
  double theirs = 0;
  for (const BaselineRow& row : StudyReader(run()).baselines()) {
    if (row.name == found.baseline) theirs = *find_metric(row.metrics, "test.accuracy");
  }
  EXPECT_NEAR(*found.difference, *find_metric(metrics, "test.accuracy") - theirs, 1e-12);
  const nn::TrainedModel model = nn::read_trained_model((run() / "best.safetensors").string());
  EXPECT_EQ(verdict_from_json(model.verdict), found);
  const std::string card = base::read_file(run() / "best.md");
  for (const std::string& word : {base::cat("Verdict: ", found.text), std::string("rows.csv"),
                                  std::string("| `test.accuracy` |"), found.baseline})
    EXPECT_NE(card.find(word), std::string::npos) << word << " in " << card;
}

TEST_F(Verdicts, OfEqualStudiesAreEqual) {
  write_rows(500);
  const Verdict first = verdict(sweep(file("")));
  const std::string card = base::read_file(run() / "best.md");
  std::filesystem::remove_all(run());
  std::filesystem::remove_all(store());
  EXPECT_EQ(verdict(sweep(file(""))), first);
  EXPECT_EQ(base::read_file(run() / "best.md"), card);
}

TEST_F(Verdicts, WithoutATestPartAreNone) {
  write_rows(500);
  const Verdict found = verdict(sweep(file(", split: {test: 0}")));
  EXPECT_FALSE(found.beats);
  EXPECT_FALSE(found.difference);
  EXPECT_TRUE(found.text.starts_with("not judged: no unseen rows")) << found.text;
}

TEST_F(Verdicts, ASearchOnNoiseEndsWithAWarning) {
  std::string rows = "a,b,kind\n";
  for (int i = 0; i < 400; ++i)
    rows += base::cat(i * 37 % 101, ",", i * 53 % 97, ",", i * i % 7 < 3 ? "yes" : "no", "\n");
  base::write_file_atomic(folder_ / "rows.csv", rows);
  const Verdict found = verdict(sweep(file("")));
  EXPECT_EQ(found.beats, false);
  EXPECT_NE(found.text.find("do not use it"), std::string::npos) << found.text;
}

TEST_F(Verdicts, OfFewRowsSaySo) {
  write_rows(500);
  const Verdict found = verdict(sweep(file(", split: {test: 0.03}")));
  EXPECT_EQ(found.rows, 12);
  EXPECT_NE(found.text.find("12 unseen rows are too few"), std::string::npos) << found.text;
}

TEST_F(Verdicts, ARareClassChangesTheMetricOfANewStudy) {
  write_rows(50);
  const SweepResult result = sweep(file(""));
  EXPECT_EQ(StudyReader(run()).info().metric, "valid.auc");
  EXPECT_NE(notes_->notes.find("metric: valid.auc, because 5% of the training rows are 'yes'"),
            std::string::npos)
      << notes_->notes;
  EXPECT_TRUE(verdict(result).text.find(" in auc on ") != std::string::npos);
}

TEST_F(Verdicts, AModelHasTheCalibrationOfItsValidationRows) {
  std::string rows = "a,b,kind\n";
  for (int i = 0; i < 2000; ++i) {
    const int a = i * 37 % 101 - 50, b = i * 53 % 97 - 48, noise = i * 7919 % 61 - 30;
    rows += base::cat(a, ",", b, ",", a + b + noise > 60 ? "yes" : "no", "\n");
  }
  base::write_file_atomic(folder_ / "rows.csv", rows);
  const SweepResult result = sweep(file("", "metric: valid.auc\n"));
  const nn::TrainedModel model = nn::read_trained_model((run() / "best.safetensors").string());
  EXPECT_LT(model.calibration.threshold, 0.5) << "few rows are 'yes'";
  const auto metrics = StudyReader(run()).trial(result.best->trial)->metrics;
  const auto said = StudyReader(run()).calibration(result.best->trial);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->threshold, model.calibration.threshold);
  EXPECT_EQ(said->of_class, "yes");
  const double* const plain = find_metric(metrics, "test.balanced_accuracy");
  const double* const changed = find_metric(said->metrics, "test.calibrated.balanced_accuracy");
  ASSERT_TRUE(plain && changed);
  EXPECT_GE(*changed, *plain);
  for (const char* name : {"test.calibration_error", "test.calibrated.calibration_error"})
    EXPECT_TRUE(find_metric(said->metrics, name)) << name;
  const std::string card = base::read_file(run() / "best.md");
  EXPECT_NE(card.find("| calibration | temperature "), std::string::npos) << card;
}

TEST_F(Verdicts, AMetricThatTheFileNamesStays) {
  write_rows(50);
  sweep(file("", "metric: valid.accuracy\n"));
  EXPECT_EQ(StudyReader(run()).info().metric, "valid.accuracy");
  EXPECT_EQ(notes_->notes.find("metric:"), std::string::npos) << notes_->notes;
}

TEST_F(Verdicts, AStudyThatGoesOnKeepsItsMetric) {
  write_rows(50);
  sweep(file("", "metric: valid.accuracy\n"));
  const SweepResult more = sweep(file("", "", 5));
  EXPECT_EQ(StudyReader(run()).info().metric, "valid.accuracy");
  EXPECT_EQ(more.counts.all(), 5);
}

TEST(TreePlans, TakeATenthOfTheWork) {
  nn::TreeTable table{.rows = 1000, .cols = 10, .bins = 640};
  const double least = nn::tree_flops(table, nn::kLeastTrees);
  const TreePlan large = tree_plan(table, 20 * least);
  EXPECT_EQ(large.size->rounds, 200);
  EXPECT_NEAR(large.share, kTreeShare, 1e-9);
  EXPECT_EQ(tree_plan(table, 1000 * least).size->rounds, kMostRounds);
  nn::TreeSize smallest = nn::kLeastTrees;
  smallest.row_share = kRowShare;
  const TreePlan small = tree_plan(table, least);
  EXPECT_EQ(*small.size, smallest);
  EXPECT_NEAR(small.share, nn::tree_flops(table, smallest) / least, 1e-9);
  nn::TreeTable wide = table;
  wide.cols = 100'000;
  wide.bins = 64 * wide.cols;
  EXPECT_EQ(tree_plan(wide, 1).size->columns, kFewestColumns);
  const TreePlan fewer = tree_plan(wide, nn::tree_flops(wide, nn::kLeastTrees));
  EXPECT_GT(fewer.size->columns, kFewestColumns);
  EXPECT_NEAR(fewer.share, kTreeShare, 1e-4);
  table.rows = 100'000;
  const TreePlan part = tree_plan(table, nn::tree_flops(table, nn::kLeastTrees));
  EXPECT_GT(part.size->rows, kFewestRows);
  EXPECT_LT(part.size->rows, 50'000u);
  EXPECT_EQ(tree_plan(table, 1).size->rows, kFewestRows);
}

}  // namespace
}  // namespace hpo
