#include "hpo/study/trial_spec.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "hpo/study/adaptation.h"
#include "hpo/study/checker.h"
#include "hpo/study/course.h"
#include "hpo/study/document.h"
#include "hpo/study/field.h"
#include "hpo/study/goals.h"
#include "hpo/study/hints.h"
#include "hpo/study/layers.h"
#include "hpo/study/population.h"
#include "hpo/study/scalars.h"
#include "hpo/study/source.h"
#include "hpo/study/substitute.h"
#include "nn/reshape/continued_net.h"

namespace hpo {

namespace study {

namespace {

/// A section of the file with only what has references replaced and checked again: the rest is what
/// it was when the file was checked. Nothing where more than that depends on the values: a key goes
/// with its parameter, or the section is not a plain block.
std::optional<Node> substitute_checked(const Node& section, const Params& params,
                                       const Field& field, const std::string& name) {
  if (field.type != Type::block || !section.is_map() || name == "data") return std::nullopt;
  Checker checker = Checker::of_values();
  Node result = map_node(section.at);
  result.entries.reserve(section.entries.size());
  for (const Entry& entry : section.entries) {
    if (stands_for_itself(entry.value)) {
      result.entries.push_back(entry);
      continue;
    }
    const Field* known = field.find(entry.key);
    const std::optional<Node> value = substitute(entry.value, params);
    if (known == nullptr || !value) return std::nullopt;
    result.entries.push_back(
        {entry.key, entry.key_at, checker.check(*value, *known, base::cat(name, ".", entry.key))});
  }
  return result;
}

/// One section of the file for one trial: references replaced, checked again with the values in
/// place. One without references is what it was when the file was checked.
class Section {
 public:
  Section(const StudySpec& study, const Params& params, const std::string& name)
      : node_(study.document->root.find(name)) {
    if (stands_for_itself(*node_)) return;
    const Field& field = *study_block().find(name);
    made_ = substitute_checked(*node_, params, field, name);
    if (!made_) {
      const Node values = substitute(*node_, params).value();
      made_ = Checker::of_values().check(values, field, name);
    }
    node_ = &*made_;
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  [[nodiscard]] const Node& node() const { return *node_; }

 private:
  std::optional<Node> made_;
  const Node* node_;
};

nn::Choice choice_of(const Node& node, const KindSet& set) {
  const Kind& kind = *set.find(node.find("type")->text);
  return {kind.name, fields_of(node, kind)};
}

nn::DataSpec read_data(const Node& data) {
  nn::DataSpec spec;
  read_source(data, spec);
  if (spec.kind == nn::DataKind::csv) {
    const Node& target = *data.find("target");
    if (!target.is_list()) spec.targets.push_back(target.text);
    for (const Node& column : target.items) spec.targets.push_back(column.text);
    const std::string& header = data.find("header")->text;
    spec.header = header == "true"    ? nn::HeaderRow::yes
                  : header == "false" ? nn::HeaderRow::no
                                      : nn::HeaderRow::guess;
    for (const Node& column : data.find("ignore")->items) spec.ignore.push_back(column.text);
    for (const Node& column : data.find("keep")->items) spec.keep.push_back(column.text);
    for (const Node& column : data.find("categories")->items)
      spec.categories.push_back(column.text);
    for (const Node& word : data.find("missing")->items) spec.missing.push_back(word.text);
    if (const Node* group = data.find_path({"split", "group"})) spec.split.group = group->text;
    if (const Node* time = data.find_path({"split", "time"})) spec.split.time = time->text;
  }
  if (const Node* test = data.find_path({"split", "test"})) spec.split.test = as_number(*test);
  for (const Node& name : data.find("classes")->items) spec.classes.push_back(name.text);
  if (const Node* rows = data.find("rows")) spec.rows = as_integer(*rows);
  if (const Node* task = data.find("task")) {
    spec.task = task->text == "regression" ? nn::LearningTask::regression
                                           : nn::LearningTask::classification;
  }
  const std::string& scale = data.find("scale")->text;
  spec.scale = scale == "standard" ? nn::Scale::standard
               : scale == "minmax" ? nn::Scale::minmax
               : scale == "unit"   ? nn::Scale::unit
                                   : nn::Scale::none;
  spec.split.valid = as_number(*data.find_path({"split", "valid"}));
  if (const Node* folds = data.find("folds"); folds != nullptr && folds->text != "auto")
    spec.split.folds = static_cast<std::int32_t>(as_integer(*folds));
  spec.split.seed = static_cast<std::uint64_t>(as_integer(*data.find_path({"split", "seed"})));
  return spec;
}

Resources read_resources(const Node& node) {
  // A key whose parameter is inactive is not there.
  Resources resources;
  if (const Node* cpus = node.find("cpus")) resources.cpus = as_integer(*cpus);
  if (const Node* gpus = node.find("gpus")) {
    resources.any_gpu = gpus->text == "auto";
    if (!resources.any_gpu) resources.gpus = as_number(*gpus);
  }
  if (const Node* border = node.find("gpu_from")) resources.gpu_from = as_number(*border);
  if (const Node* memory = node.find("memory")) resources.memory = as_bytes(*memory);
  return resources;
}

std::int32_t shards_of(const Node& train) {
  const Node& shards = *train.find("shards");
  return shards.text == "auto" ? 0 : static_cast<std::int32_t>(as_integer(shards));
}

/// The rates of a trial; empty where the optimizer's own holds throughout.
nn::LrCurve read_rates(const Node& train, double lr) {
  const Node* written = train.find("optimizer")->find("lr");
  const Node* schedule = train.find("schedule");
  nn::LrCurve curve;
  if (written != nullptr && written->is_list()) {
    curve = nn::piecewise_curve(read_course(*written));
  } else if (schedule != nullptr) {
    curve = nn::schedule_curve(choice_of(*schedule, *schedule_set()), lr,
                               as_integer(*train.find("epochs")));
  }
  const bool constant = curve.size() == 1 && curve[0].first == lr;
  return constant ? nn::LrCurve{} : curve;
}

nn::Augment read_augment(const Node& augment) {
  const std::string& flip = augment.find("flip")->text;
  return {.shift = static_cast<std::int32_t>(as_integer(*augment.find("shift"))),
          .flip = flip == "horizontal" ? nn::Flip::horizontal
                  : flip == "vertical" ? nn::Flip::vertical
                  : flip == "both"     ? nn::Flip::both
                                       : nn::Flip::none};
}

/// The names in `class_weights` must be classes of the target.
void check_class_weights(const Node& loss, const DataInfo& data) {
  const Node* weights = loss.find("class_weights");
  if (weights == nullptr || !weights->is_map() || data.class_names.empty()) return;
  for (const Entry& entry : weights->entries) {
    if (std::ranges::find(data.class_names, entry.key) != data.class_names.end()) continue;
    const std::string near = base::nearest(entry.key, data.class_names);
    throw Fault(entry.key_at, base::cat("the target has no class \"",
                                        base::printable(entry.key, 60), "\", expected one of its ",
                                        data.class_names.size(), " classes", did_you_mean(near)));
  }
}

void check_augment(const Node& augment, const nn::Augment& moves, const nn::Shape& input) {
  if (moves == nn::Augment{} || input.is_image()) return;
  throw Fault(augment.at,
              "train.augment moves images, but the data has none, expected neither shift nor flip");
}

/// `loss`: what the trial's loss is known to be, complete; null: not known.
nn::Hyper read_hyper(const Node& train, const DataInfo& data, const nn::Choice* loss) {
  nn::Hyper hyper;
  hyper.loss = loss != nullptr ? *loss : choice_of(*train.find("loss"), *loss_set());
  hyper.optimizer = choice_of(*train.find("optimizer"), *optimizer_set());
  hyper.batch = static_cast<std::int32_t>(as_integer(*train.find("batch")));
  hyper.shards = shards_of(train);
  const Node& clip = *train.find("clip");
  hyper.clip = clip.text == "none" ? 0 : as_number(clip);
  hyper.augment = read_augment(*train.find("augment"));
  if (loss == nullptr) check_class_weights(*train.find("loss"), data);
  check_augment(*train.find("augment"), hyper.augment, data.input);
  try {
    hyper = nn::complete(hyper);
    hyper.lr = read_rates(train, nn::real(hyper.optimizer.fields, "lr"));
    return hyper;
  } catch (const nn::SpecError& error) {
    throw Fault(train.at, error.what());
  }
}

std::int64_t outputs_of(const Node& train, const nn::Hyper& hyper, const DataInfo& data) {
  try {
    return nn::outputs_for(hyper.loss.kind, data.outputs);
  } catch (const nn::SpecError& error) {
    throw Fault(train.find("loss")->at, error.what());
  }
}

void check_task(const Node& root, nn::LearningTask task) {
  const auto implied = implied_task(root);
  if (!implied || implied->task == task) return;
  const bool numbers = task == nn::LearningTask::regression;
  throw Fault(implied->at,
              base::cat(implied->by, " is for ", numbers ? "classification" : "regression",
                        ", but the target holds ", numbers ? "numbers" : "classes",
                        ", expected both for one task",
                        numbers ? "; data.task: classification makes a class of each number" : ""));
}

bool is_settled(const Node& root) {
  for (const Node* metric : metric_nodes(root)) {
    if (metric->find("name") == nullptr || metric->find("goal") == nullptr) return false;
  }
  const Node* folds = root.find_path({"data", "folds"});
  return (folds == nullptr || folds->text != "auto") &&
         root.find_path({"data", "task"}) != nullptr &&
         root.find_path({"train", "loss"}) != nullptr && root.find("metric") != nullptr;
}

StudySpec settled(const StudySpec& study, const DataInfo& data) {
  StudySpec result = study;
  Node root = study.document->root;
  add_task_defaults(root, data.task);
  choose_folds(root, data.rows);
  root = Checker(study.space).check(root, study_block(), "");
  read_spec(result, root);
  result.document = std::make_shared<const Document>(Document{study.file, std::move(root)});
  return result;
}

/// The network that the file gives, or the model that goes on.
nn::ModelSpec first_network(const StudySpec& study, const Params& params, const DataInfo& data,
                            std::int64_t outputs, const std::string& loss) {
  if (!data.model)
    return build_network(Section(study, params, "network").node(), data.input, outputs);
  const std::int64_t has = nn::output_shape(data.model->spec).elements();
  if (nn::outputs_for(loss, data.model_outputs) != has)
    throw Fault(study.document->root.find_path({"from", "model"})->at,
                base::cat("the model has ", has, has == 1 ? " output" : " outputs",
                          ", expected the loss that it was trained with; train.loss: ", loss,
                          " has another number of them"));
  try {
    return nn::continued_spec(data.model->spec, data.input, outputs);
  } catch (const nn::Error& error) {
    throw Fault(study.document->root.find_path({"from", "model"})->at, error.what());
  }
}

TrialSpec make_trial(const StudySpec& study, const Params& params, const DataInfo& data,
                     const TrialSpec* like) {
  if (like == nullptr) check_task(study.document->root, data.task);
  if (!is_settled(study.document->root)) {
    StudySpec whole = settled(study, data);
    whole.limits = study.limits;  // the caller's, which need not be the file's
    return make_trial(whole, params, data, like);
  }
  const Section training(study, params, "train");
  const Node& train = training.node();
  TrialSpec trial;
  const bool same_loss =
      like != nullptr && stands_for_itself(*study.document->root.find_path({"train", "loss"}));
  trial.hyper = read_hyper(train, data, same_loss ? &like->hyper.loss : nullptr);
  trial.hyper.precision = study.precision;
  // A policy may have its networks born with sizes of its own.
  const Node* adapt = study.document->root.find("adapt");
  const bool same_network = like != nullptr && like->hyper.loss == trial.hyper.loss &&
                            stands_for_itself(*study.document->root.find("network")) &&
                            (adapt == nullptr || stands_for_itself(*adapt));
  if (same_network) {
    trial.model = like->model;
  } else {
    trial.model = first_network(study, params, data, outputs_of(train, trial.hyper, data),
                                trial.hyper.loss.kind);
    check_reshapes(study, trial.model);
  }
  trial.epochs = as_integer(*train.find("epochs"));
  if (adapt != nullptr) {
    trial.adapt = read_adaptation(Section(study, params, "adapt").node(), trial.model, trial.epochs,
                                  study.limits.weights.value_or(0), data.model.has_value());
    trial.model = nn::born_with(*trial.adapt, std::move(trial.model));
  }
  trial.resources = read_resources(Section(study, params, "resources").node());
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
  return study::with_place(
      study.file, [&] { return study::read_data(study::Section(study, params, "data").node()); });
}

StudySpec settle(const StudySpec& study, const DataInfo& data) {
  return study::with_place(study.file, [&] {
    study::check_task(study.document->root, data.task);
    return study::is_settled(study.document->root) ? study : study::settled(study, data);
  });
}

Resources trial_resources(const StudySpec& study, const Params& params) {
  return study::with_place(study.file, [&] {
    return study::read_resources(study::Section(study, params, "resources").node());
  });
}

std::optional<nn::ModelSpec> written_network(const StudySpec& study, const Params& params,
                                             const DataInfo& data, std::int64_t outputs) {
  return study::with_place(study.file, [&]() -> std::optional<nn::ModelSpec> {
    const study::Section network(study, params, "network");
    if (network.node().items.empty()) return std::nullopt;
    return study::build_network(network.node(), data.input, outputs);
  });
}

TrialSpec materialise(const StudySpec& study, const Params& params, const DataInfo& data,
                      const TrialSpec* like) {
  return study::with_place(study.file,
                           [&] { return study::make_trial(study, params, data, like); });
}

}  // namespace hpo
