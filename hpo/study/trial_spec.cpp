#include "hpo/study/trial_spec.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/words.h"
#include "hpo/study/adaptation.h"
#include "hpo/study/binding.h"
#include "hpo/study/field.h"
#include "hpo/study/hints.h"
#include "hpo/study/layers.h"
#include "hpo/study/load_steps.h"
#include "hpo/study/piecewise.h"
#include "hpo/study/places.h"
#include "hpo/study/population.h"
#include "hpo/study/rate_rule.h"
#include "hpo/study/source.h"
#include "nn/optimizers/late.h"
#include "nn/optimizers/stale.h"
#include "nn/reshape/continued_net.h"

namespace hpo {

namespace study {

namespace {

nn::Choice choice_of(const Node& node, const KindSet& set) {
  const Kind& kind = *set.find(node.find("type")->text);
  return {kind.name, fields_of(node, kind)};
}

nn::DataSpec read_data(const DataRows& data, const Params& params) {
  nn::DataSpec spec;
  read_source(data, spec);
  spec.targets = data.target;
  spec.header = data.header;
  if (data.skip)
    spec.skip = {.lines = data.skip->lines.value_or(0),
                 .comment = data.skip->comment,
                 .after_header = data.skip->after_header.value_or(0),
                 .footer = data.skip->footer.value_or(0)};
  spec.ignore = data.ignore;
  spec.keep = data.keep;
  spec.categories = data.categories;
  spec.missing = data.missing;
  spec.classes = data.classes;
  if (data.rows) spec.rows = data.rows->in(params).value_or(0);
  spec.task = data.task;
  spec.scale = data.scale.in(params).value_or(nn::Scale::none);
  spec.split = {.valid = data.split.valid,
                .test = data.split.test,
                .seed = data.split.seed,
                .group = data.split.group,
                .time = data.split.time,
                .folds = static_cast<std::int32_t>(data.folds.value_or(0)),
                .fold = 0};
  return spec;
}

/// A key whose parameter is inactive is not there.
TrialResources read_resources(const NeedRows& needs, const Params& params) {
  const GpuShare gpus = needs.gpus.in(params).value_or(GpuShare{});
  return {.cpus = needs.cpus.in(params).value(),
          .gpus = gpus.share,
          .any_gpu = gpus.is_auto,
          .gpu_from = needs.gpu_from,
          .memory = needs.memory ? needs.memory->in(params) : std::nullopt};
}

/// Multiplies the optimizer's rate by the factor of the rate rule.
void scale_rate(nn::Choice& optimizer, double factor) {
  if (factor != 1) optimizer.fields["lr"] = factor * nn::real(optimizer.fields, "lr");
}

nn::Staleness read_staleness(const StalenessRows& rows) {
  const JitterRows jitter = rows.jitter.value_or(JitterRows{});
  return {.bound = static_cast<std::int32_t>(rows.bound),
          .replicas = static_cast<std::int32_t>(rows.replicas),
          .factor = jitter.factor,
          .probability = jitter.probability};
}

/// The pairs of a rate that changes by epochs, with the factor of the rate rule.
std::vector<std::pair<std::int64_t, double>> read_rate_pairs(const Node& given, double factor) {
  auto pairs = read_piecewise(given);
  for (auto& [epoch, rate] : pairs) rate *= factor;
  return pairs;
}

/// The rates of a trial; empty where the optimizer's own holds throughout.
nn::LrCurve read_rates(const TrainRows& train, const Params& params, const Node& optimizer,
                       double lr, std::int64_t epochs) {
  const Node* given = optimizer.find("lr");
  nn::LrCurve curve;
  if (given != nullptr && given->is_list()) {
    curve = nn::piecewise_curve(read_rate_pairs(*given, rate_factor(train, params)));
  } else if (const Tree schedule = train.schedule.in(params)) {
    curve = nn::schedule_curve(choice_of(schedule.node(), *schedule_set()), lr, epochs);
  }
  const bool constant = curve.size() == 1 && curve[0].first == lr;
  return constant ? nn::LrCurve{} : curve;
}

/// The names in `class_weights` must be classes of the target.
void check_class_weights(const Node& loss, const DataInfo& data) {
  const Node* weights = loss.find("class_weights");
  if (weights == nullptr || !weights->is_map() || data.class_names.empty()) return;
  for (const Entry& entry : weights->entries) {
    if (std::ranges::find(data.class_names, entry.key) != data.class_names.end()) continue;
    const std::string near = base::nearest(entry.key, data.class_names);
    throw StudyError(entry.key_at,
                     base::cat("the target has no class \"", base::printable(entry.key, 60),
                               "\", expected one of its ", data.class_names.size(), " classes",
                               did_you_mean(near)));
  }
}

void check_augment(const StudySpec& study, const nn::Augment& moves, const nn::Shape& input) {
  if (moves == nn::Augment{} || input.is_image()) return;
  throw StudyError(study.places->at("train.augment"),
                   "train.augment moves images, but the data has none; remove shift and flip");
}

Tree loss_of(const StudySpec& study, const Params& params) {
  if (Tree loss = study.train.loss.in(params)) return loss;
  throw StudyError(
      study.train.loss.node().at,
      "train.loss is needed by every trial, but its parameter is not always active; use a "
      "parameter that has no `when`");
}

/// `loss`: the trial's loss, complete, where it is known; else null.
nn::Hyper read_hyper(const StudySpec& study, const Params& params, const DataInfo& data,
                     std::int64_t epochs, const nn::Choice* loss) {
  const TrainRows& train = study.train;
  const Tree chosen = train.optimizer.in(params);
  const Node& optimizer = chosen.node();
  nn::Hyper hyper;
  if (loss != nullptr) {
    hyper.loss = *loss;
  } else {
    const Tree given = loss_of(study, params);
    hyper.loss = choice_of(given.node(), *loss_set());
    check_class_weights(given.node(), data);
  }
  hyper.optimizer = choice_of(optimizer, *optimizer_set());
  if (train.late == 1) hyper.optimizer.kind = nn::late_kind(hyper.optimizer.kind);
  if (train.staleness)
    hyper.optimizer =
        nn::stale_choice(std::move(hyper.optimizer), read_staleness(*train.staleness));
  hyper.batch = static_cast<std::int32_t>(train.batch.in(params).value());
  hyper.shards = static_cast<std::int32_t>(train.shards.in(params).value());
  hyper.clip = train.clip.in(params).value();
  hyper.augment = {.shift = static_cast<std::int32_t>(train.augment.shift.in(params).value()),
                   .flip = train.augment.flip.in(params).value()};
  hyper.precision = study.precision;
  check_augment(study, hyper.augment, data.input);
  try {
    hyper = nn::complete(hyper);
    scale_rate(hyper.optimizer, rate_factor(train, params));
    hyper.lr = read_rates(train, params, optimizer, nn::real(hyper.optimizer.fields, "lr"), epochs);
    return hyper;
  } catch (const nn::SpecError& error) {
    throw StudyError(study.places->at("train"), error.what());
  }
}

std::int64_t outputs_of(const StudySpec& study, const nn::Hyper& hyper, const DataInfo& data) {
  try {
    return nn::outputs_for(hyper.loss.kind, data.outputs);
  } catch (const nn::SpecError& error) {
    throw StudyError(study.train.loss.node().at, error.what());
  }
}

/// The network that the file gives, or the model that goes on.
nn::ModelSpec first_network(const StudySpec& study, const Params& params, const DataInfo& data,
                            std::int64_t outputs, const std::string& loss) {
  if (!data.model) return build_network(study.network.in(params).node(), data.input, outputs);
  const std::int64_t has = nn::output_shape(data.model->spec).elements();
  if (nn::outputs_for(loss, data.model_outputs) != has)
    throw StudyError(
        study.places->at("from.model"),
        base::cat("the model has ", base::counted(has, "output"), ", but train.loss: ", loss,
                  " needs another number of them; use the loss that the model was "
                  "trained with"));
  try {
    return nn::continued_spec(data.model->spec, data.input, outputs);
  } catch (const base::Error& error) {
    throw StudyError(study.places->at("from.model"), error.what());
  }
}

TrialSpec make_trial(const StudySpec& study, const Params& params, const DataInfo& data,
                     const TrialSpec* like) {
  const TrainRows& train = study.train;
  TrialSpec trial;
  trial.epochs = train.epochs.in(params).value();
  const bool same_loss = like != nullptr && !train.loss.varies();
  trial.hyper =
      read_hyper(study, params, data, trial.epochs, same_loss ? &like->hyper.loss : nullptr);
  // A policy may have its networks born with sizes of its own.
  const bool same_network = like != nullptr && like->hyper.loss == trial.hyper.loss &&
                            !study.network.varies() && !study.adapt.varies();
  if (same_network) {
    trial.model = like->model;
  } else {
    trial.model = first_network(study, params, data, outputs_of(study, trial.hyper, data),
                                trial.hyper.loss.kind);
    check_reshapes(study, trial.model);
  }
  if (const Tree adapt = study.adapt.in(params)) {
    trial.adapt = read_adaptation(adapt.node(), trial.model, trial.epochs,
                                  study.limits.weights.value_or(0), data.model.has_value());
    trial.model = nn::born_with(*trial.adapt, std::move(trial.model));
  }
  trial.resources = read_resources(study.resources, params);
  return trial;
}

}  // namespace

}  // namespace study

DataInfo data_info(const nn::Dataset::Header& header) {
  return {.input = header.input,
          .outputs = static_cast<std::int64_t>(header.outputs()),
          .task = header.task,
          .class_names = header.class_names,
          .rows = static_cast<std::int64_t>(header.new_rows() + header.valid_rows)};
}

nn::DataSpec data_spec(const StudySpec& study, const Params& params) {
  return study::with_place(study.file, [&] { return study::read_data(study.data, params); });
}

TrialResources trial_resources(const StudySpec& study, const Params& params) {
  return study::with_place(study.file,
                           [&] { return study::read_resources(study.resources, params); });
}

std::optional<nn::ModelSpec> written_network(const StudySpec& study, const Params& params,
                                             const DataInfo& data, std::int64_t outputs) {
  return study::with_place(study.file, [&]() -> std::optional<nn::ModelSpec> {
    const study::Tree network = study.network.in(params);
    if (network.node().items.empty()) return std::nullopt;
    return study::build_network(network.node(), data.input, outputs);
  });
}

TrialSpec materialise(const StudySpec& study, const Params& params, const DataInfo& data,
                      const TrialSpec* like) {
  return study::with_place(study.file, [&] {
    if (!study::is_settled(study))
      return study::make_trial(settle(study, data), params, data, like);
    if (like == nullptr) study::check_task(study, data.task);
    return study::make_trial(study, params, data, like);
  });
}

}  // namespace hpo
