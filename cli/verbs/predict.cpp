#include "base/json_writer.h"
#include "base/words.h"
#include "nn/evaluation/predict_table.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/confusion.h"
#include "cli/model_path.h"
#include "cli/output_file.h"
#include "cli/runs.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "kernels/kernels.h"

namespace cli {

namespace {

/// Predictions go to the terminal, or to the file of --output.
class Output {
 public:
  explicit Output(const Arguments& arguments) {
    if (arguments.has("--output")) file_.emplace(arguments.text("--output"));
  }

  void write(std::string_view text) {
    if (file_) return file_->write(text);
    check(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
  }

  void finish() {
    if (file_) return file_->finish();
    check(std::fflush(stdout) == 0);
  }

 private:
  /// A reader that left early (`| head`) has what it wanted.
  static void check(bool done) {
    if (!done && errno != EPIPE) throw base::storage_error("write", "standard output", errno);
  }

  std::optional<OutputFile> file_;
};

std::vector<std::vector<std::int64_t>> rows_of(const nn::Confusion& confusion) {
  const auto classes = static_cast<std::size_t>(confusion.classes);
  std::vector<std::vector<std::int64_t>> rows(classes);
  for (std::size_t truth = 0; truth < classes; ++truth) {
    for (std::size_t c = 0; c < classes; ++c) rows[truth].push_back(confusion.at(truth, c));
  }
  return rows;
}

std::vector<Mistake> mistakes_of(const nn::Predicted& done) {
  std::vector<Mistake> mistakes;
  for (const nn::Mistake& m : done.mistakes)
    mistakes.push_back(
        {m.rows, static_cast<std::size_t>(m.truth), static_cast<std::size_t>(m.given)});
  return mistakes;
}

void write(base::JsonWriter& json, const nn::Mistake& mistake, const nn::TrainedModel& model) {
  const auto name = [&](std::int32_t c) {
    return std::string_view(model.data.header().class_names[static_cast<std::size_t>(c)]);
  };
  json.begin_object().field("truth", name(mistake.truth)).field("given", name(mistake.given));
  json.field("rows", mistake.rows).end_object();
}

std::vector<std::pair<std::string, double>> metrics_of(const nn::Scores& scores) {
  std::vector<std::pair<std::string, double>> all{{"loss", scores.loss}};
  all.insert(all.end(), scores.metrics.begin(), scores.metrics.end());
  return all;
}

std::string text_scores(const nn::TrainedModel& model, const nn::Predicted& done) {
  std::string out = base::counted(done.rows, "row");
  if (done.scores && done.scores->rows < done.rows)
    out += base::cat(", ", done.scores->rows, " scored");
  out += "\n";
  if (!done.scores) return out;
  for (const auto& metrics : {metrics_of(*done.scores), done.calibrated}) {
    for (const auto& [name, value] : metrics)
      out += base::cat("  ", name, " = ", result_number(value), "\n");
  }
  const std::vector<std::string>& classes = model.data.header().class_names;
  if (done.confusion)
    out += confusion_lines(classes, rows_of(*done.confusion));
  else if (!classes.empty())
    out += mistake_lines(classes, mistakes_of(done));
  return out;
}

std::string json_scores(const nn::TrainedModel& model, const nn::Predicted& done,
                        const base::Path& file, const std::string& output) {
  base::JsonWriter json;
  json.begin_object().field("model", std::string_view(file.string())).field("rows", done.rows);
  json.field("scored", done.scores ? done.scores->rows : 0);
  json.field("output", std::string_view(output)).key("metrics");
  if (done.scores) {
    json.raw(hpo::json_of(metrics_of(*done.scores)));
  } else {
    json.null();
  }
  json.key("calibration");
  done.calibrated.empty() ? json.null() : json.raw(hpo::json_of(done.calibrated));
  json.key("confusion");
  if (done.confusion) {
    json.raw(hpo::json_of(hpo::ConfusionTable{.part = "",
                                              .classes = model.data.header().class_names,
                                              .counts = rows_of(*done.confusion)}));
  } else {
    json.null();
  }
  json.key("mistakes");
  if (done.scores && model.data.is_classification()) {
    json.begin_array();
    for (const nn::Mistake& mistake : done.mistakes) write(json, mistake, model);
    json.end_array();
  } else {
    json.null();
  }
  json.end_object();
  return std::move(json).text();
}

}  // namespace

void declare_predict(Arguments& arguments) {
  arguments.positional("MODEL", "a model's file, or a study's name or folder: its best network");
  arguments.positional("DATA", "a table (csv, gz or not) with the columns of training; - reads it");
  declare_dir(arguments);
  arguments.flag("--proba", "the probability of every class, too");
  arguments.option("--keep", "COLUMN", "copy a column of DATA in front of the predictions", true);
  arguments.option("--output", "FILE", "write the predictions there instead of to the terminal");
  arguments.flag("--quiet", "no notes and no scores, only the predictions");
  arguments.flag("--json", "what came of it, for programs; with --output");
}

int run_predict(const Arguments& arguments) {
  const bool json = arguments.has("--json");
  if (json && !arguments.has("--output"))
    throw base::Error(base::Errc::usage,
                      "--json works only with --output FILE, which gets the predictions");
  const base::Path file = model_path(arguments, arguments.text("MODEL"));
  const nn::TrainedModel model = nn::read_trained_model(file.string());
  const nn::PredictOptions options{.probabilities = arguments.has("--proba"),
                                   .keep = arguments.texts("--keep")};
  if (options.probabilities && !model.data.is_classification())
    throw base::Error(base::Errc::usage,
                      "--proba works only with a model of classes; this one predicts a number");
  kern::prepare_thread();
  Output output(arguments);
  const nn::Predicted done =
      nn::predict_table(kern::cpu_kernels(), model, arguments.text("DATA"), options,
                        [&](std::string_view csv) { output.write(csv); });
  output.finish();
  if (json) print_result(json_scores(model, done, file, arguments.text("--output")));
  if (arguments.has("--quiet")) return kDone;
  for (const std::string& note : done.notes) std::fprintf(stderr, "%s\n", note.c_str());
  if (!model.verdict.empty())
    std::fputs(text_verdict(hpo::verdict_from_json(model.verdict)).c_str(), stderr);
  if (!json && (done.scores || arguments.has("--output")))
    std::fputs(text_scores(model, done).c_str(), stderr);
  return kDone;
}

}  // namespace cli
