// The table itself. Whoever adds a row writes what it means for the reader of docs/study-file.md.

#include <algorithm>
#include <iterator>

#include "hpo/study/binding.h"
#include "hpo/study/field.h"
#include "hpo/study/field_rows.h"
#include "hpo/study/metric_names.h"
#include "hpo/study/parameters.h"
#include "hpo/study/spec.h"
#include "nn/hyper.h"

namespace hpo::study {

namespace {

std::vector<Field> identity_rows() {
  return {
      {.name = "name",
       .otherwise = "the file's name without its ending",
       .doc = "Name of the study and of its folder under `runs/`: letters, digits, `.`, `_` and "
              "`-`, at most 64.",
       .binding = to<&StudySpec::name>()},
      {.name = "seed",
       .min = 0,
       .max = kLargestSeed,
       .fallback = "0",
       .doc = "From it come all random numbers of the search and of the training. The split of the "
              "data has its own.",
       .binding = to<&StudySpec::seed>()},
      {.name = "precision",
       .fallback = "f32",
       .only = "data",
       .doc = "What training rounds the operands of dense layers' products to; sums, weights and "
              "scores stay f32. `bf16` needs a GPU or a processor with AVX512-BF16, `tf32` a GPU; "
              "there convolutions round, too. What is missing is refused. Part of the result. See "
              "`docs/precision.md`.",
       .binding = to<&StudySpec::precision>()}};
}

std::vector<Field> from_rows() {
  return {
      {.name = "from",
       .otherwise = "networks begin with drawn weights",
       .only = "data",
       .doc =
           "A trained network that goes on with this data: `from: FILE`, or a map. It keeps what "
           "it knows: new classes get outputs of their own behind the old ones, new columns and "
           "categories inputs whose weights are 0; a column that is gone is missing in every "
           "row. Inputs keep the model's scaling. `network` is not looked at.",
       .binding = to<&StudySpec::from>()},
      {.name = "from.model",
       .required = true,
       .doc = "The model, as `train` and `sweep` write it. A relative path starts at the study "
              "file's folder. Its content is part of the result.",
       .place = true,
       .binding = to<&From::model>()},
      {.name = "from.replay",
       .otherwise = "none, and what is forgotten is not measured",
       .doc = "Old rows, so that they are not forgotten: a csv, a folder of IDX files, or a "
              "safetensors file. Every second row of an epoch is one of them, in turn; rows of "
              "classes that the model does not know are left out. A fifth is held out: the "
              "result has its scores before (`replay_before`) and after (`replay`).",
       .place = true,
       .binding = to<&From::replay>()},
      {.name = "from.optimizer",
       .otherwise = "`keep` where the model has the state of this optimizer, as the "
                    "`model-optimizer.safetensors` of `train` has it, else `new`",
       .doc = "Whether what the optimizer remembers of its steps goes on or begins anew.",
       .binding = to<&From::optimizer>()}};
}

std::vector<Field> train_rows() {
  return {
      {.name = "network",
       .type = Type::kind,
       .count = Count::list,
       .otherwise = "two dense layers with ReLU, 64 units each; where the search is left open, see "
                    "`parameters`",
       .only = "data",
       .doc = "The layers, first to last. The output layer follows from the target and is not "
              "written.",
       .per_trial = true,
       .kinds = layer_set,
       .binding = to<&StudySpec::network>()},
      {.name = "train",
       .only = "data",
       .doc = "How a network is trained.",
       .binding = to<&StudySpec::train>()},
      {.name = "train.loss",
       .type = Type::kind,
       .otherwise = "`cross_entropy` for classification, `mse` for regression",
       .doc = "What training makes small.",
       .per_trial = true,
       .kinds = loss_set,
       .binding = to<&TrainRows::loss>()},
      {.name = "train.optimizer",
       .type = Type::kind,
       .fallback = "adam",
       .doc = "How weights follow gradients.",
       .per_trial = true,
       .kinds = optimizer_set,
       .binding = to<&TrainRows::optimizer>()},
      {.name = "train.schedule",
       .type = Type::kind,
       .otherwise = "`constant`",
       .doc = "How the optimizer's `lr` changes, step by step. Weights that a network gains later "
              "follow it from then on.",
       .per_trial = true,
       .kinds = schedule_set,
       .binding = to<&TrainRows::schedule>()},
      {.name = "train.batch",
       .min = 1,
       .max = 1e6,
       .fallback = "32",
       .unit = "rows",
       .doc = "Rows a step; the last batch of an epoch holds what is left.",
       .binding = to<&TrainRows::batch>()},
      {.name = "train.epochs",
       .min = 1,
       .max = 1e6,
       .fallback = "27",
       .unit = "epochs",
       .doc = "Length of a trial that is not stopped.",
       .binding = to<&TrainRows::epochs>()},
      {.name = "train.shards",
       .min = 1,
       .max = 1024,
       .words = {"auto"},
       .fallback = "auto",
       .doc = "Parts that each gradient is computed in, summed in a fixed tree: part of the "
              "result, never of the machine. `auto`: as many as the network's work makes worth "
              "while, at most 8; on a GPU 1.",
       .binding = to<&TrainRows::shards>()},
      {.name = "train.clip",
       .min = 0,
       .min_excluded = true,
       .words = {"none"},
       .fallback = "none",
       .doc = "The Euclidean norm that a step's gradient has at most, over all weights and summed "
              "over the shards; a longer one is shortened to it.",
       .binding = to<&TrainRows::clip>()},
      {.name = "train.augment",
       .doc = "How images are moved at random while training, anew in every epoch. Only the "
              "training part is. What a row does depends on `seed`, the data, the row and the "
              "epoch alone.",
       .binding = to<&TrainRows::augment>()},
      {.name = "train.augment.shift",
       .min = 0,
       .max = nn::kMostShift,
       .fallback = "0",
       .unit = "pixels",
       .doc = "How far at most along each side; what comes in from beyond the edge is 0 in the "
              "file's own numbers.",
       .binding = to<&AugmentRows::shift>()},
      {.name = "train.augment.flip",
       .fallback = "none",
       .doc = "Whether every other image is turned over, left to right or top to bottom.",
       .binding = to<&AugmentRows::flip>()},
  };
}

/// The metrics, one as a map, several as a list.
Binding metric_binding() {
  return {.owner = &typeid(StudySpec),
          .block = &typeid(Metric),
          .type = Type::block,
          .read =
              [](void* owner, const Node& node, const Field& row) {
                auto& study = *static_cast<StudySpec*>(owner);
                std::vector<Metric> metrics;
                Codec<std::vector<Metric>>::read(metrics, node, row);
                if (metrics.empty())
                  throw Fault(node.at, "metric is an empty list, expected at least one");
                study.metric = std::move(metrics.front());
                study.others = {std::make_move_iterator(metrics.begin() + 1),
                                std::make_move_iterator(metrics.end())};
              },
          .write =
              [](const void* owner, const Field& row, std::string_view source) {
                const auto& study = *static_cast<const StudySpec*>(owner);
                std::vector<Metric> metrics{study.metric};
                metrics.insert(metrics.end(), study.others.begin(), study.others.end());
                return Codec<std::vector<Metric>>::write(metrics, row, source);
              }};
}

/// The space is read before everything else, because the others refer to it.
Binding space_binding() {
  return {.owner = &typeid(StudySpec),
          .write = [](const void* owner, const Field&, std::string_view) -> std::optional<Node> {
            return space_node(static_cast<const StudySpec*>(owner)->space);
          }};
}

std::vector<Field> search_rows() {
  return {
      {.name = "metric",
       .type = Type::block,
       .count = Count::one_or_list,
       .doc = "The number that is searched for, or a list of several: then no trial is the best in "
              "all, and `best` lists those that no other one beats (`docs/several-metrics.md`). "
              "`metric: NAME` is short for its name.",
       .binding = metric_binding()},
      {.name = "metric.name",
       .type = Type::word,
       .words = metric_names(),
       .otherwise = "`valid.accuracy` for classification, `valid.rmse` for regression, "
                    "`valid.r2` where a list of targets is predicted",
       .text_with = "command, ask",
       .doc = "Measured on the validation part where the stopping rule may decide and at a "
              "trial's end; without a rule, after each epoch. With `command`, what the program "
              "calls it; `seconds` and `exit` (its exit status) are there without its help. "
              "Where trials are "
              "asked for, what they tell. Of up to 16 targets that are listed by name also each "
              "by itself: `valid.rmse.TARGET`.",
       .of_targets = true,
       .binding = to<&Metric::name>()},
      {.name = "metric.goal",
       .words = {"maximize", "minimize"},
       .otherwise = "what suits the metric: see Metrics",
       .doc = "Which way is better.",
       .binding = to<&Metric::goal>()},
      {.name = "metric.take",
       .fallback = "last",
       .doc = "Which of a trial's reports is its value.",
       .binding = to<&Metric::take>()},
      {.name = "metric.regex",
       .otherwise = "the program reports in the file `$TRELLIS_METRICS`",
       .only = "command",
       .doc = "A regular expression (RE2) for the lines that the program prints: its group is "
              "the metric's value, not a piece of one, or of two groups the first is the step.",
       .literal = true,
       .binding = to<&Metric::regex>()},
      {.name = "metric.reference",
       .otherwise = "the worst value of a complete trial that breaks no bound",
       .doc = "Of several metrics: from which value on the hypervolume counts what is better.",
       .binding = to<&Metric::reference>()},
      {.name = "subject_to",
       .type = Type::bounds,
       .words = metric_names(),
       .otherwise = "nothing",
       .text_with = "command, ask",
       .doc = "What metrics may be at most, or from `min` to `max`: `{weights: 200000, "
              "valid.loss: {min: 0, max: 1}}`. A trial that breaks a bound is worse than all "
              "that break none, by the sum of what it is beyond its bounds, each as a share of "
              "the bound. Of a program any metric that it reports, and `seconds`; of trials that "
              "are asked for any that is told.",
       .literal = true,
       .of_targets = true,
       .binding = to<&StudySpec::subject_to>()},
      {.name = "method",
       .type = Type::kind,
       .fallback = "tpe",
       .doc = "What proposes the next trial.",
       .kinds = sampler_set,
       .binding = to<&StudySpec::method_tree>()}};
}

std::vector<Field> parameter_rows() {
  return {
      {.name = "parameters",
       .type = Type::blocks,
       .otherwise =
           "none; without `network`, `train.optimizer` and `adapt` the search is left open: "
           "depth (0 to "
           "4 dense layers), width, lr, weight decay and, where `train` leaves it open, batch",
       .doc = "The hyperparameters by name. Each is `{min, max}`, `{mean, deviation}`, "
              "`{values}`, `{choice}` or `{value}`, and stands as `$name` somewhere in "
              "`data`, `network`, `train`, `adapt`, `command` or `resources`.",
       .binding = space_binding()},
      {.name = "parameters.type",
       .type = Type::word,
       .words = {"float", "int"},
       .otherwise = "`int` when every number is written as an int and there is no `mean`, else "
                    "`float`",
       .doc = "Whether the values are floats or ints."},
      {.name = "parameters.min",
       .type = Type::value,
       .otherwise = "with a `mean`: 6 deviations below it",
       .doc = "Smallest value: a value, never an exponent."},
      {.name = "parameters.max",
       .type = Type::value,
       .otherwise = "with a `mean`: 6 deviations above it",
       .doc = "Largest value."},
      {.name = "parameters.mean",
       .type = Type::value,
       .otherwise = "all values between `min` and `max` are alike",
       .doc = "Values near it are likelier, as a normal distribution says that is cut off at "
              "`min` and `max`. With `scale: log` the logarithm has that distribution, and this "
              "is its middle: a value, never an exponent."},
      {.name = "parameters.deviation",
       .type = Type::value,
       .doc = "Beside `mean`: the standard deviation, or with `scale: log` the factor that is "
              "one: `{mean: 1e-3, deviation: 3, scale: log}` has two thirds of its values "
              "within 3.3e-4 and 3e-3."},
      {.name = "parameters.scale",
       .type = Type::word,
       .words = {"linear", "log"},
       .otherwise = "`linear`",
       .doc = "`log`: each factor is as likely as any other."},
      {.name = "parameters.step",
       .type = Type::value,
       .otherwise = "1 for ints, none for floats",
       .doc = "Only min, min + step, ... are taken."},
      {.name = "parameters.values",
       .type = Type::value,
       .count = Count::list,
       .doc = "The values to choose from: bools, ints, floats or strings."},
      {.name = "parameters.ordered",
       .type = Type::boolean,
       .otherwise = "`true` for three numbers or more that rise or fall, else `false`",
       .doc = "Whether values that stand beside each other in the list are alike, as in "
              "`{values: [small, medium, large], ordered: true}`."},
      {.name = "parameters.choice",
       .type = Type::alternatives,
       .doc = "Alternatives that bring parameters of their own: `{svm: {c: {min: 1e-3, max: "
              "1e3, scale: log}}, forest: {trees: {min: 10, max: 500}}, line: }` is short for "
              "`values: [svm, forest, line]` and, below it, `c` and `trees` with a `when`. "
              "What stands in an alternative may have a `choice`, too. Names are those of the "
              "whole file: a name in two alternatives is one parameter and has one meaning."},
      {.name = "parameters.value",
       .type = Type::value,
       .doc = "A constant: it takes no part in the search."},
      {.name = "parameters.when",
       .type = Type::conditions,
       .doc = "The parameter exists only while another one has this value, or one of a list of "
              "values. Where an inactive "
              "parameter is used, its key is left out."},
      {.name = "forbid",
       .type = Type::combination,
       .count = Count::list,
       .otherwise = "none",
       .doc = "Combinations that no trial may have. All that a map says must hold for it: of a "
              "parameter a value, one of a list of values, or `{above: ...}` and `{below: "
              "...}`, both without the bound itself; `$name` stands for another parameter's "
              "value. `[{optimizer: sgd, lr: {above: 0.1}}, {width2: {above: $width1}}]`. "
              "Nothing holds of a parameter that is inactive.",
       .binding = to<&StudySpec::forbid_tree>()},
      {.name = "try_first",
       .type = Type::conditions,
       .count = Count::list,
       .otherwise = "none",
       .doc = "Values of parameters for the first trials, one map a trial. What a map leaves "
              "open, the method proposes.",
       .binding = to<&StudySpec::try_first_tree>()},
      {.name = "warm_start",
       .count = Count::one_or_list,
       .otherwise = "none",
       .doc = "Folders of earlier studies of the same metric, such as `runs/digits`: the method "
              "learns from their trials before it proposes the first one, from those that have "
              "a value of this space for each of its parameters. They are read when the study "
              "begins and kept in its log. A relative path starts at the study file's folder.",
       .binding = to<&StudySpec::warm_start>()}};
}

std::vector<Field> stopping_rows() {
  return {
      {.name = "early_stop",
       .type = Type::kind,
       .otherwise = "`asha`; `auto` with `bohb` and where `limits` has `time` and no `trials`; "
                    "`none` for a grid, a population (`pbt`), a "
                    "`command`, several metrics, without parameters, or where trials are asked for",
       .doc = "What ends trials that are not worth their time.",
       .kinds = stopping_set,
       .binding = to<&StudySpec::rule_tree>()},
      {.name = "adapt",
       .type = Type::kind,
       .otherwise = "networks keep their size",
       .only = "data",
       .doc = "How networks change their size while they train: `adapt: auto` (or "
              "`true`; `false` is as without the key), or `adapt: {policy: NAME, ...}`.",
       .per_trial = true,
       .kinds = policy_set,
       .binding = to<&StudySpec::adapt>()},
      {.name = "parallel",
       .min = 1,
       .max = 4096,
       .words = {"auto"},
       .otherwise = "8; `auto` with `order: arrival` for a `command`",
       .unit = "slots",
       .only = std::string(kOurs),
       .doc = "Trials that are searched at once: part of the result, never of the machine. `auto` "
              "(only with `order: "
              "arrival`): what the machine holds by `resources`. A number of programs runs at "
              "once whether there are cores for them or not.",
       .binding = to<&StudySpec::parallel>()},
      {.name = "order",
       .otherwise = "`virtual`; `arrival` for a `command`",
       .only = std::string(kOurs),
       .doc = "`virtual`: the search is the same on any number of workers; of programs, each step "
              "they report counts as equally long. `arrival`: nobody "
              "waits, and only a resumed study "
              "is repeatable.",
       .binding = to<&StudySpec::order>()}};
}

/// Takes from a row's binding what the row leaves out.
void complete(Field& row) {
  if (row.type == Type::text) row.type = row.binding.type;
  if (row.count == Count::one) row.count = row.binding.count;
  row.per_trial = row.per_trial || row.binding.per_trial;
  if (row.words.empty()) row.words = row.binding.words;
}

std::vector<Field> make_table() {
  std::vector<Field> table;
  for (const auto rows :
       {identity_rows, data_rows, from_rows, train_rows, command_rows, search_rows, parameter_rows,
        stopping_rows, limit_rows, resource_rows, keeping_rows}) {
    std::ranges::move(rows(), std::back_inserter(table));
  }
  std::ranges::for_each(table, complete);
  return table;
}

/// Hangs each row below the block that its path names.
Field make_tree() {
  Field root{.name = "", .type = Type::block, .binding = {}};
  for (const Field& row : field_table()) {
    Field* parent = &root;
    std::string_view rest = row.name;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      const auto named = [&](const Field& field) { return field.name == rest.substr(0, dot); };
      parent = &*std::ranges::find_if(parent->fields, named);
      rest.remove_prefix(dot + 1);
    }
    parent->fields.push_back(row);
    parent->fields.back().name = rest;
    parent->fields.back().path = row.name;
  }
  return root;
}

}  // namespace

const std::vector<Field>& field_table() {
  static const std::vector<Field> kTable = make_table();
  return kTable;
}

const Field& study_block() {
  static const Field kBlock = make_tree();
  return kBlock;
}

}  // namespace hpo::study
