// Predictions of a table as csv: scores are those of evaluate() bit for bit, whatever the size of
// the table, and rows are answered in their order.

#include "base/error.h"
#include "nn/evaluation/predict_table.h"
#include "nn/losses/loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "nn/data/csv_stream.h"
#include "nn/data/load.h"
#include "nn/model/init.h"
#include "nn/model/model_file.h"
#include "tests/nn/nets.h"
#include "tests/support/temp_folder.h"

namespace {

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

/// A table of `rows` rows with text, missing values and classes or numbers, in a file.
void write_table(const std::string& path, int rows, bool numbers) {
  std::ofstream out(path);
  out << "a,b,shade,y\n";
  for (int i = 0; i < rows; ++i) {
    out << (i * 37 % 101) / 7.0 << ',';
    if (i % 11 != 3) out << i * i % 53;
    out << ',' << (i % 3 == 0 ? "dark" : "light") << ',';
    if (numbers) {
      out << i % 17 * 2.5;
    } else {
      out << (i % 5 < 2 ? "yes" : R"("no, ""never""")");
    }
    out << '\n';
  }
}

class Predict : public testing::TestWithParam<bool> {
 protected:
  /// The losses that fit the targets; what they say of classes follows the data.
  static std::vector<nn::Choice> losses(const nn::Dataset& data) {
    if (GetParam()) return {{"mse", {}}, {"huber", {{"delta", 0.5}}}};
    const nn::Choice weighted{"bce", {{"class_weights", "balanced"}, {"label_smoothing", 0.1}}};
    return {{"cross_entropy", {}}, nn::written_out(weighted, data.view(nn::Part::train))};
  }
  /// A network of that data, written to a file and read back.
  nn::TrainedModel trained(const nn::Dataset& data) { return trained(data, losses(data).front()); }
  nn::TrainedModel trained(const nn::Dataset& data, const nn::Choice& loss) {
    const auto outputs = nn::outputs_for(loss.kind, static_cast<std::int64_t>(data.outputs()));
    nn::ParamSlab net(nn::slab_header(
        nn_test::mlp(static_cast<int>(data.cols()), {9}, static_cast<int>(outputs)), {"adam", {}}));
    nn::init_weights(net, 3);
    nn::write_model(folder / "m.safetensors", net, data, {{"loss", nn::choice_json(loss)}});
    return nn::read_trained_model(folder / "m.safetensors");
  }
  nn::Dataset load(int rows) {
    write_table(folder / "t.csv", rows, GetParam());
    nn::DataSpec spec;
    spec.path = folder / "t.csv";
    spec.task = GetParam() ? nn::LearningTask::regression : nn::LearningTask::classification;
    spec.split = {.valid = 0, .test = 0, .seed = 0};
    return nn::load_dataset(spec);
  }
  nn::Predicted predict(const nn::TrainedModel& model, const nn::PredictOptions& options = {}) {
    csv.clear();
    return nn::predict_table(cpu(), model, folder / "t.csv", options,
                             [&](std::string_view text) { csv += text; });
  }

  static double meant(float output, const nn::TargetColumn& target) {
    return double{output} * target.unit + target.shift;
  }
  /// The last cells of all lines but the first.
  [[nodiscard]] std::vector<std::string> last_cells() const {
    std::istringstream lines(csv.substr(csv.find('\n') + 1));
    std::vector<std::string> cells;
    for (std::string line; std::getline(lines, line);)
      cells.push_back(line.substr(line.rfind(',') + 1));
    return cells;
  }

  support::TempFolder folder;
  std::string csv;
};
INSTANTIATE_TEST_SUITE_P(ClassesAndNumbers, Predict, testing::Bool());

TEST_P(Predict, ScoresAreThoseOfEvaluate) {
  for (const int rows : {1, 127, 128, 20000}) {
    const nn::Dataset data = load(std::max(rows, 40));
    for (const nn::Choice& loss : losses(data)) {
      const nn::TrainedModel model = trained(data, loss);
      const nn::Predicted done = predict(model);
      ASSERT_TRUE(done.scores);
      nn::Workspace workspace;
      const nn::Scores expected =
          nn::evaluate(cpu(), workspace, model.net, data.view(nn::Part::train), loss);
      EXPECT_EQ(*done.scores, expected) << rows;
      ASSERT_EQ(done.confusion.has_value(), !GetParam());
      if (done.confusion) {
        EXPECT_EQ(
            nn::evaluate_classes(cpu(), workspace, model.net, data.view(nn::Part::train), loss),
            (nn::ClassScores{expected, *done.confusion}));
      }
      EXPECT_EQ(done.rows, static_cast<std::int64_t>(data.rows()));
      EXPECT_EQ(std::ranges::count(csv, '\n'), done.rows + 1);
    }
  }
}

TEST_P(Predict, OneLogitStandsForTwoClasses) {
  const nn::Dataset data = load(60);
  const nn::Choice loss = losses(data).back();
  const nn::TrainedModel model = trained(data, loss);
  nn::Workspace workspace;
  std::vector<float> logits(60);
  nn::predict(cpu(), workspace, model.net, data.view(nn::Part::train), logits);
  nn::Evaluation evaluation(cpu(), model.net, model.loss);
  evaluation.add(workspace, data.view(nn::Part::train));
  const nn::Judged& judged = evaluation.judged();
  ASSERT_EQ(judged.width, data.outputs());
  for (std::size_t row = 0; row < 60; ++row) {
    const std::size_t last = (row + 1) * judged.width - 1;
    EXPECT_EQ(judged.outputs[last], logits[row]);
    if (judged.width == 2) {
      EXPECT_EQ(judged.outputs[last - 1], 0);
    }
  }
  const nn::Scores scores = evaluation.scores();
  if (!GetParam()) {
    EXPECT_EQ(scores.metrics.front().second, scores.accuracy);
  }
}

TEST_P(Predict, RowsCarryWhatWasAskedFor) {
  const nn::Dataset data = load(40);
  const nn::TrainedModel model = trained(data);
  (void)predict(model, {.probabilities = !GetParam(), .keep = {"shade", "a"}});
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, GetParam() ? "shade,a,prediction"
                             : "shade,a,prediction,\"proba.no, \"\"never\"\"\",proba.yes");
  std::vector<float> outputs(40 * data.outputs());
  nn::Workspace workspace;
  nn::predict(cpu(), workspace, model.net, data.view(nn::Part::train), outputs);
  for (std::size_t row = 0; std::getline(lines, line); ++row) {
    EXPECT_TRUE(line.starts_with(row % 3 == 0 ? "dark," : "light,")) << line;
    if (!GetParam()) {
      const bool yes = outputs[2 * row + 1] > outputs[2 * row];
      EXPECT_NE(line.find(yes ? ",yes," : ",\"no, \"\"never\"\"\","), std::string::npos) << line;
      continue;
    }
    EXPECT_NEAR(std::stod(line.substr(line.rfind(',') + 1)),
                meant(outputs[row], data.header().targets.front()), 1e-6);
  }
}

TEST_P(Predict, AnswersEachOfSeveralTargets) {
  if (GetParam()) return;
  std::ofstream(folder / "t.csv") << "a,y,z\n1,10,.1\n2,30,.2\n3,20,.7\n4,50,.3\n";
  nn::DataSpec spec{.path = folder / "t.csv", .targets = {"y", "z"}};
  spec.split = {.valid = 0, .test = 0};
  const nn::Dataset data = nn::load_dataset(spec);
  const nn::Choice loss{"mse", {}};
  const nn::TrainedModel model = trained(data, loss);
  const nn::Predicted done = predict(model);
  ASSERT_TRUE(done.scores);
  nn::Workspace workspace;
  EXPECT_EQ(*done.scores,
            nn::evaluate(cpu(), workspace, model.net, data.view(nn::Part::train), loss));
  EXPECT_TRUE(csv.starts_with("prediction.y,prediction.z\n")) << csv;
  std::vector<float> outputs(8);
  nn::predict(cpu(), workspace, model.net, data.view(nn::Part::train), outputs);
  const auto& targets = data.header().targets;
  std::istringstream lines(csv.substr(csv.find('\n') + 1));
  for (std::size_t i = 0; i < 8; ++i) {
    std::string cell;
    std::getline(lines, cell, i % 2 == 0 ? ',' : '\n');
    EXPECT_NEAR(std::stod(cell), meant(outputs[i], targets[i % 2]), 1e-6);
  }
}

TEST_P(Predict, NumbersKeepTheDigitsThatTheNetworkKnows) {
  if (!GetParam()) return;
  for (const double shift : {0.0, 1e5, 1.7e9, -4e12}) {
    std::ofstream out(folder / "t.csv");
    out << "a,y\n";
    for (int i = 0; i < 60; ++i)
      out << i << ',' << std::fixed << std::setprecision(2) << shift + 7 * i << '\n';
    out.close();
    nn::DataSpec spec{.path = folder / "t.csv"};
    spec.split = {.valid = 0, .test = 0};
    const nn::Dataset data = nn::load_dataset(spec);
    const nn::TrainedModel model = trained(data);
    (void)predict(model);
    std::vector<float> outputs(60);
    nn::Workspace workspace;
    nn::predict(cpu(), workspace, model.net, data.view(nn::Part::train), outputs);
    const auto cells = last_cells();
    ASSERT_EQ(cells.size(), outputs.size());
    const nn::TargetColumn& target = data.header().targets.front();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_NEAR((std::stod(cells[i]) - target.shift) / target.unit, double{outputs[i]},
                  std::max(1.0F, std::abs(outputs[i])) * 0x1.01p-25 + std::abs(shift) * 1e-18)
          << cells[i];
      EXPECT_EQ(cells[i].find('e'), std::string::npos) << cells[i];
      EXPECT_LE(cells[i].size(), shift == 0 ? 12U : 19U) << cells[i];
    }
  }
}

TEST_P(Predict, ScoresTheRowsThatHaveAnAnswer) {
  const nn::Dataset data = load(300);
  const nn::TrainedModel model = trained(data);
  (void)predict(model);
  const std::string all = csv;
  // Some rows lose their target, one has a class that is none or a text among numbers.
  std::ifstream in(folder / "t.csv");
  std::ostringstream some, rest;
  int row = -1;
  for (std::string line; std::getline(in, line); ++row) {
    std::size_t end = 0;
    for (int comma = 0; comma < 3; ++comma) end = line.find(',', end) + 1;
    const std::string inputs = line.substr(0, end);
    const bool lost = row == 7 || row == 130 || row == 131;
    some << (!lost ? line : row == 7 ? inputs + "perhaps" : inputs) << '\n';
    if (!lost) rest << line << '\n';
  }
  std::ofstream(folder / "t.csv") << some.str();
  const nn::Predicted done = predict(model);
  EXPECT_EQ(csv, all) << "every row is answered, in its place";
  EXPECT_EQ(done.rows, 300);
  ASSERT_TRUE(done.scores);
  EXPECT_EQ(done.scores->rows, 297);
  std::ofstream(folder / "t.csv") << rest.str();
  const nn::Predicted expected = predict(model);
  EXPECT_NEAR(done.scores->loss, expected.scores->loss, 1e-12);
  EXPECT_EQ(done.scores->metrics, expected.scores->metrics);
  EXPECT_EQ(done.mistakes, expected.mistakes);
}

TEST_P(Predict, ARowWithoutAnAnswerIsStillARow) {
  if (GetParam()) return;
  std::string text = "a,y\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(1e-3 * i) + (i % 2 == 0 ? ",p\n" : ",q\n");
  std::ofstream(folder / "t.csv") << text;
  nn::DataSpec spec{.path = folder / "t.csv"};
  spec.split = {.valid = 0, .test = 0};
  const nn::TrainedModel model = trained(nn::load_dataset(spec));
  std::ofstream(folder / "t.csv") << "a\n1\n3e38\n2\n";
  (void)predict(model);
  EXPECT_EQ(last_cells().at(1), "\"\"");
  std::ofstream(folder / "out.csv") << csv;
  nn::CsvStream stream(folder / "out.csv");
  std::vector<nn::CsvField> fields;
  for (int line = 0; line < 4; ++line) EXPECT_TRUE(stream.next(fields)) << csv;
  EXPECT_FALSE(stream.next(fields));
  (void)predict(model, {.probabilities = true, .keep = {}});
  EXPECT_NE(csv.find("\n,nan,nan\n"), std::string::npos) << csv;
}

TEST_P(Predict, ManyClassesHaveNoArea) {
  if (GetParam()) return;
  for (const int classes : {100, 101}) {
    std::ofstream out(folder / "t.csv");
    out << "a,y\n";
    for (int i = 0; i < 3 * classes; ++i) out << i * 7 % 31 << ",k" << i % classes << '\n';
    out.close();
    nn::DataSpec spec{.path = folder / "t.csv"};
    spec.split = {.valid = 0, .test = 0};
    const nn::Dataset data = nn::load_dataset(spec);
    const nn::TrainedModel model = trained(data);
    const nn::Predicted done = predict(model);
    nn::Workspace workspace;
    auto expected =
        nn::evaluate(cpu(), workspace, model.net, data.view(nn::Part::train), model.loss);
    if (classes > 100)
      std::erase_if(expected.metrics, [](const auto& metric) { return metric.first == "auc"; });
    EXPECT_EQ(*done.scores, expected) << classes;
  }
}

TEST_P(Predict, ProbabilitiesAreOfClassesAlone) {
  const nn::TrainedModel model = trained(load(40));
  const nn::PredictOptions options{.probabilities = true, .keep = {}};
  if (GetParam()) {
    EXPECT_THROW(predict(model, options), base::Error);
  } else {
    EXPECT_NO_THROW(predict(model, options));
  }
}

TEST_P(Predict, ClassesAndProbabilitiesFollowTheCalibration) {
  if (GetParam()) return;
  nn::TrainedModel model = trained(load(40));
  const nn::PredictOptions options{.probabilities = true, .keep = {}};
  (void)predict(model, options);
  const std::vector<std::string> plain = last_cells();
  model.calibration = {.temperature = 2, .threshold = 0.2};
  const nn::Predicted done = predict(model, options);
  const std::vector<std::string> shares = last_cells();
  ASSERT_FALSE(done.notes.empty());
  EXPECT_EQ(done.notes.back(),
            "a row is 'yes' if the probability of it is at least 0.2: the study chose this "
            "threshold on its validation rows");
  const nn::Predicted classes = predict(model);
  const std::vector<std::string> given = last_cells();
  std::int64_t positive = 0;
  for (std::size_t row = 0; row < plain.size(); ++row) {
    const double before = std::stod(plain[row]), after = std::stod(shares[row]);
    EXPECT_NEAR(std::log(before / (1 - before)), 2 * std::log(after / (1 - after)), 1e-4);
    EXPECT_EQ(given[row] == "yes", after >= 0.2) << after;
    positive += given[row] == "yes";
  }
  ASSERT_TRUE(done.confusion);
  EXPECT_EQ(done.confusion->at(0, 1) + done.confusion->at(1, 1), positive);
  EXPECT_EQ(done.calibrated.at(2).first, "calibrated.accuracy");
  EXPECT_EQ(classes.scores, done.scores);
}

TEST_P(Predict, AModelWhosePartsDoNotFitTogetherIsRefused) {
  const nn::Dataset data = load(40);
  const nn::TrainedModel good = trained(data);
  const std::string path = folder / "bad.safetensors";
  nn::ParamSlab wide(
      nn::slab_header(nn_test::mlp(static_cast<int>(data.cols()) + 1, {}, 2), {"sgd", {}}));
  nn::write_model(path, wide, data);
  EXPECT_THROW((void)nn::read_trained_model(path), base::Error);
  nn::write_model(path, good.net, data,
                  {{"loss", GetParam() ? R"({"kind": "cross_entropy"})" : R"({"kind": "mse"})"}});
  EXPECT_THROW((void)nn::read_trained_model(path), base::Error);
  for (const char* text : {"nonsense", R"({"temperature": 1, "threshold": 2})"}) {
    nn::write_model(path, good.net, data, {{"calibration", text}});
    EXPECT_THROW((void)nn::read_trained_model(path), base::Error) << text;
  }
  nn::write_model(path, good.net, data, {{"loss", "nonsense"}});
  EXPECT_THROW((void)nn::read_trained_model(path), base::Error);
}

}  // namespace
