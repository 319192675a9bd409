// Loading a study's data: as it lies there, or as a model goes on with it.

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/study/field.h"
#include "hpo/study/from.h"
#include "hpo/study/places.h"
#include "hpo/study/study_error.h"
#include "nn/data/load.h"
#include "nn/data/preprocessing.h"
#include "nn/data/source_file.h"
#include "nn/evaluation/predict_table.h"
#include "nn/model/model_file.h"
#include "runtime/failure.h"
#include "tasks/continued.h"

namespace hpo {

namespace {

/// "study.yaml:3:9: " where `reason` begins with a path and then names a key of `data` which the
/// file has ("t.csv: target: there is no column ..."); else empty.
std::string place_of(const StudySpec& study, const nn::DataSpec& spec, std::string_view reason) {
  const std::string path = base::cat(spec.path, ": ");
  if (!reason.starts_with(path)) return "";
  reason.remove_prefix(path.size());
  const std::string key = base::cat("data.", reason.substr(0, reason.find(':')));
  if (!study::is_row(key)) return "";
  const study::Position at = study.places->at(key);
  return base::cat(study.file, ":", at.line, ":", at.column, ": ");
}

/// Waits for the data. What is wrong with a file is said without the task that found out.
const nn::Dataset::Header& header_of(const StudySpec& study, const nn::DataSpec& spec,
                                     const rt::Value<nn::Dataset>& data) {
  try {
    return data.get().header();
  } catch (const rt::TaskError& error) {
    const std::string& reason = error.details().reason;
    throw base::Error(error.kind(), base::cat(place_of(study, spec, reason), reason));
  }
}

}  // namespace

namespace {

void count_rarest(const nn::Dataset& data, DataInfo& info) {
  if (!data.is_classification()) return;
  std::vector<std::size_t> counts(data.classes(), 0);
  const auto rows = data.part(nn::Part::train).first(data.header().new_rows());
  for (const std::uint32_t row : rows) ++counts[static_cast<std::size_t>(data.labels()[row])];
  // Classes that only an earlier network has learnt have no rows here.
  const auto fewer = [](std::size_t a, std::size_t b) { return b == 0 ? a > 0 : a > 0 && a < b; };
  const auto rarest = std::ranges::min_element(counts, fewer) - counts.begin();
  if (rows.empty()) return;
  info.rarest = data.header().class_names[static_cast<std::size_t>(rarest)];
  info.rarest_share = static_cast<double>(counts[static_cast<std::size_t>(rarest)]) /
                      static_cast<double>(rows.size());
}

/// What the data says about itself.
StudyData described(const StudySpec& study, rt::Value<nn::Dataset> value) {
  StudyData data;
  data.value = std::move(value);
  const nn::Dataset::Header& header = data.value.get().header();
  data.info = data_info(header);
  count_rarest(data.value.get(), data.info);
  data.train_rows = header.train_rows;
  data.valid_rows = header.valid_rows;
  data.test_rows = header.test_rows;
  data.replay_rows = header.replay_rows;
  data.content = header.content.hex();
  data.file_content = data.content;
  data.seeds = tasks::derive_seeds(study.seed, header.content);
  return data;
}

/// Turns what `ask` throws into a refusal of that key, whose file need not be named twice.
template <class Ask>
auto or_refuse(const StudySpec& study, std::string_view key, const std::string& file,
               const Ask& ask) {
  try {
    return ask();
  } catch (const base::Error& error) {
    std::string what = error.what();
    if (what.starts_with(file + ": ")) what.erase(0, file.size() + 2);
    refuse_from(study, key, what);
  }
}

/// The same of a task.
void wait_or_refuse(const StudySpec& study, const rt::Value<nn::Dataset>& data) {
  try {
    (void)data.get();
  } catch (const rt::TaskError& error) {
    if (error.kind() != base::Errc::study) throw;
    const std::string& reason = error.details().reason;
    const std::string_view of_replay = nn::kOfReplay, of_classes = nn::kOfClasses;
    if (reason.starts_with(of_replay))
      refuse_from(study, "replay", reason.substr(of_replay.size()));
    if (!reason.starts_with(of_classes)) refuse_from(study, "model", reason);
    study::with_place(study.file, [&] {
      throw study::StudyError(study.places->at("data.classes"),
                              base::cat("data.classes ", reason.substr(of_classes.size())));
    });
  }
}

StudyData continued(const StudySpec& study, const nn::DataSpec& spec, const From& from) {
  const nn::TrainedModel model = or_refuse(
      study, "model", from.model, [&] { return nn::read_trained_model(from.model, true); });
  const auto content =
      or_refuse(study, "model", from.model, [&] { return nn::model_content(from.model); });
  const nn::DataSpec asked =
      or_refuse(study, "model", spec.path, [&] { return nn::spec_for_model(spec, model.data); });
  const rt::Value<nn::Dataset> fresh = tasks::load(asked);
  (void)header_of(study, spec, fresh);
  rt::Value<nn::Dataset> old;
  if (!from.replay.empty()) {
    const nn::DataSpec replay = or_refuse(study, "replay", from.replay, [&] {
      return nn::replay_spec(from.replay, spec.split.seed, model.data);
    });
    old = tasks::load(replay);
    (void)header_of(study, replay, old);
  }
  rt::Value<nn::Dataset> value =
      tasks::continued_data(fresh, from.replay.empty() ? nullptr : &old,
                            nn::preprocessing_json(model.data), spec.classes, content);
  wait_or_refuse(study, value);
  StudyData data = described(study, std::move(value));
  data.file_content = fresh.get().header().content.hex();
  data.info.model = model.net.header();
  data.info.model_outputs = static_cast<std::int64_t>(model.data.outputs());
  data.model = from.model;
  data.how = nn::continuation_of(model.data, data.value.get());
  return data;
}

}  // namespace

StudyData load_data(const StudySpec& study, const Params& params) {
  return load_data(study, data_spec(study, params));
}

StudyData load_data(const StudySpec& study, const nn::DataSpec& spec) {
  if (study.from) return continued(study, spec, *study.from);
  rt::Value<nn::Dataset> value = tasks::load(spec);
  (void)header_of(study, spec, value);
  return described(study, std::move(value));
}

}  // namespace hpo
