// The table itself. The texts of a row are for readers of docs/study-file.md.

#include <algorithm>
#include <iterator>

#include "hpo/study/binding.h"
#include "hpo/study/field.h"
#include "hpo/study/field_rows.h"
#include "hpo/study/metric_names.h"
#include "hpo/study/parameters.h"
#include "hpo/study/spec.h"

namespace hpo::study {

namespace {

std::vector<Field> identity_rows() {
  return {{.name = "name",
           .otherwise = "the file name without its extension",
           .doc = "Name of the study and of its folder under `runs/`: at most 64 letters, digits, "
                  "`.`, `_` and `-`. The first character is a letter, a digit or `_`.",
           .binding = to<&StudySpec::name>()},
          {.name = "seed",
           .min = 0,
           .max = kLargestSeed,
           .fallback = "0",
           .doc = "Seed of all random numbers of the search and of training. The split of the data "
                  "has a seed of its own, `data.split.seed`.",
           .binding = to<&StudySpec::seed>()},
          {.name = "precision",
           .fallback = "f32",
           .only = "data",
           .doc = "Number format to which training rounds the operands of the matrix "
                  "multiplications in dense layers. Sums, weights and scores stay f32. `bf16` "
                  "needs a GPU or a processor with AVX512-BF16; `tf32` needs a GPU. On a GPU, the "
                  "operands of convolutions are also rounded. A machine that lacks the format "
                  "refuses the study. The precision is part of the result. See "
                  "`docs/precision.md`.",
           .binding = to<&StudySpec::precision>()}};
}

std::vector<Field> from_rows() {
  return {
      {.name = "from",
       .otherwise = "networks start from random weights",
       .only = "data",
       .doc = "Trained network that continues with this data: `from: FILE` or a map. New classes "
              "get outputs after the old ones. New columns and categories get inputs whose weights "
              "are 0. A column that no longer exists counts as missing in every row. Inputs keep "
              "the scaling of the model. `network` is ignored.",
       .binding = to<&StudySpec::from>()},
      {.name = "from.model",
       .required = true,
       .text_is = "the path of a model file (.safetensors)",
       .doc = "Model file that `train` or `sweep` wrote. A relative path starts at the study "
              "file's folder. The content of the file is part of the result.",
       .place = true,
       .binding = to<&From::model>()},
      {.name = "from.replay",
       .otherwise = "none; forgetting is not measured",
       .doc =
           "Old rows, which keep the network from forgetting: a csv file, a folder of IDX files or "
           "a safetensors file. Every second row of an epoch is an old row. Old rows of classes "
           "that the model does not know are left out. A fifth of the old rows is held out. The "
           "result lists their scores before training (`replay_before`) and after it (`replay`).",
       .place = true,
       .binding = to<&From::replay>()},
      {.name = "from.optimizer",
       .otherwise = "`keep` if the model file has the state of this optimizer, as "
                    "`model-optimizer.safetensors` of `train` has; else `new`",
       .doc = "State of the optimizer: `keep` continues with the state in the model file, `new` "
              "starts without state.",
       .binding = to<&From::optimizer>()}};
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
                  throw StudyError(node.at, "metric is an empty list, expected at least one");
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
       .doc =
           "Metric to optimize, or a list of several metrics. `metric: NAME` is short for `metric: "
           "{name: NAME}`. With several metrics there is usually no single best trial, so `best` "
           "lists the Pareto-optimal ones (`docs/several-metrics.md`).",
       .binding = metric_binding()},
      {.name = "metric.name",
       .type = Type::word,
       .words = metric_names(),
       .otherwise = "`valid.accuracy` for classification, `valid.rmse` for regression, `valid.r2` "
                    "for a list of targets",
       .text_with = "command, ask",
       .doc = "Name of the metric. It is measured on the validation part whenever the stopping "
              "rule may decide, and at the end of a trial. Without a rule it is measured after "
              "each epoch. A program reports its metric under this name; `seconds` and `exit` (its "
              "exit status) need no report. With ask and tell, the client tells the value. Up to "
              "16 targets that are listed by name have metrics of their own: `valid.rmse.TARGET`.",
       .of_targets = true,
       .binding = to<&Metric::name>()},
      {.name = "metric.goal",
       .words = {"maximize", "minimize"},
       .otherwise = "the better direction of the metric, see Metrics",
       .doc = "Direction of better values.",
       .binding = to<&Metric::goal>()},
      {.name = "metric.take",
       .fallback = "last",
       .doc = "Report that gives a trial its value: the last one or the best one.",
       .binding = to<&Metric::take>()},
      {.name = "metric.regex",
       .otherwise = "the program reports in the file `$TRELLIS_METRICS`",
       .only = "command",
       .text_is = "a regular expression",
       .doc = "Regular expression (RE2) for the lines of a program's output. Its group matches the "
              "whole value of the metric. If there are two groups, the first one matches the step, "
              "unless the groups are named `(?P<value>...)` and `(?P<step>...)`.",
       .literal = true,
       .binding = to<&Metric::regex>()},
      {.name = "metric.reference",
       .otherwise = "the worst value of a complete trial that breaks no bound",
       .doc = "Reference of this metric for the hypervolume of several metrics. Only values that "
              "are better than the reference count.",
       .binding = to<&Metric::reference>()},
      {.name = "subject_to",
       .type = Type::bounds,
       .words = metric_names(),
       .otherwise = "nothing",
       .text_with = "command, ask",
       .doc = "Bounds on metrics, such as `{weights: 200000, valid.loss: {min: 0, max: 1}}`. A "
              "number is an upper bound. A trial that breaks a bound is worse than every trial "
              "that breaks none. Trials that break bounds are compared by their violation: the sum "
              "of the excesses, each as a share of its bound. For a program, every metric that it "
              "reports can be bounded, and also `seconds`. With ask and tell, every metric that "
              "the client tells can be bounded.",
       .literal = true,
       .of_targets = true,
       .binding = to<&StudySpec::subject_to>()},
      {.name = "method",
       .type = Type::kind,
       .fallback = "tpe",
       .doc = "The sampler, which proposes the next trial.",
       .kinds = sampler_set,
       .binding = to<&StudySpec::method_tree>()}};
}

std::vector<Field> parameter_rows() {
  return {
      {.name = "parameters",
       .type = Type::blocks,
       .otherwise = "none. If `network`, `train.optimizer`, `adapt` and `from` are missing too, "
                    "the search is open: it varies depth (0 to 4 dense layers), width, lr, weight "
                    "decay and, unless `train` sets it, batch",
       .doc = "Hyperparameters by name. Each is `{min, max}`, `{mean, deviation}`, `{values}`, "
              "`{choice}` or `{value}`. Each is used as `$name` somewhere in `data`, `network`, "
              "`train`, `adapt`, `command` or `resources`.",
       .binding = space_binding()},
      {.name = "parameters.type",
       .type = Type::word,
       .words = {"float", "int"},
       .otherwise =
           "`int` if every number is written as an int and there is no `mean`, else `float`",
       .doc = "Type of the values."},
      {.name = "parameters.min",
       .type = Type::value,
       .otherwise = "with `mean`: 6 deviations below it",
       .doc = "Smallest value. Always the value itself, never an exponent."},
      {.name = "parameters.max",
       .type = Type::value,
       .otherwise = "with `mean`: 6 deviations above it",
       .doc = "Largest value."},
      {.name = "parameters.mean",
       .type = Type::value,
       .otherwise = "uniform from `min` to `max`, on `scale`",
       .doc = "Center of a normal distribution that is cut off at `min` and `max`: values near it "
              "are more likely. With `scale: log` the logarithm is normally distributed. The mean "
              "is still a value, never an exponent."},
      {.name = "parameters.deviation",
       .type = Type::value,
       .doc = "Standard deviation around `mean`. With `scale: log` it is a factor: two thirds of "
              "the values of `{mean: 1e-3, deviation: 3, scale: log}` lie from 3.3e-4 to 3e-3."},
      {.name = "parameters.scale",
       .type = Type::word,
       .words = {"linear", "log"},
       .otherwise = "`linear`",
       .doc = "Scale of the range. `linear`: equal differences are equally likely. `log`: equal "
              "factors are equally likely."},
      {.name = "parameters.step",
       .type = Type::value,
       .otherwise = "1 for ints, none for floats",
       .doc = "Distance between allowed values: min, min + step, min + 2 step, ..."},
      {.name = "parameters.values",
       .type = Type::value,
       .count = Count::list,
       .doc = "Values to choose from: bools, ints, floats or strings."},
      {.name = "parameters.ordered",
       .type = Type::boolean,
       .otherwise = "`true` for at least three numbers that rise or fall, else `false`",
       .doc = "Treat neighbors in the list as similar, as in `{values: [small, medium, large], "
              "ordered: true}`."},
      {.name = "parameters.choice",
       .type = Type::alternatives,
       .doc = "Alternatives with parameters of their own, such as `{svm: {c: {min: 1e-3, max: 1e3, "
              "scale: log}}, forest: {trees: {min: 10, max: 500}}, line: }`. That is short for "
              "`values: [svm, forest, line]` and for `c` and `trees` with a `when`. An alternative "
              "may contain a `choice`, too. Names hold for the whole file: a name in two "
              "alternatives is one parameter with one meaning."},
      {.name = "parameters.value",
       .type = Type::value,
       .doc = "A constant, which takes no part in the search."},
      {.name = "parameters.when",
       .type = Type::conditions,
       .doc = "Condition such as `{optimizer: sgd}`: the parameter exists only while another "
              "parameter has this value, or one of a list of values. A key that uses an inactive "
              "parameter is left out."},
      {.name = "forbid",
       .type = Type::combination,
       .count = Count::list,
       .otherwise = "none",
       .doc = "Combinations of values that no trial may have, such as `[{optimizer: sgd, lr: "
              "{above: 0.1}}, {width2: {above: $width1}}]`. A map forbids a trial if all its "
              "entries hold. An entry gives a value, a list of values, or `{above: ...}` and "
              "`{below: ...}`, which exclude the bound itself. `$name` means the value of another "
              "parameter. No entry holds for an inactive parameter.",
       .binding = to<&StudySpec::forbid_tree>()},
      {.name = "try_first",
       .type = Type::conditions,
       .count = Count::list,
       .otherwise = "none",
       .doc = "Parameter values of the first trials, one map for each trial. The method proposes "
              "the parameters that a map leaves out.",
       .binding = to<&StudySpec::try_first_tree>()},
      {.name = "warm_start",
       .count = Count::one_or_list,
       .otherwise = "none",
       .text_is = "a path",
       .doc = "Folders of earlier studies of the same metric, such as `runs/digits`. The method "
              "learns from their trials before its first proposal. A trial counts if it has a "
              "value of this space for each parameter. The trials are read when the study begins, "
              "and its log keeps them. A relative path starts at the study file's folder.",
       .binding = to<&StudySpec::warm_start>()}};
}

std::vector<Field> stopping_rows() {
  return {
      {.name = "early_stop",
       .type = Type::kind,
       .otherwise = "`asha`. `auto` with `bohb`, or if `limits` has `time` and no `trials`. `none` "
                    "for a grid, a population (`pbt`), a `command`, several metrics, ask and tell, "
                    "or a search without parameters",
       .doc = "The stopping rule, which ends or pauses unpromising trials.",
       .kinds = stopping_set,
       .binding = to<&StudySpec::rule_tree>()},
      {.name = "adapt",
       .type = Type::kind,
       .otherwise = "networks keep their size",
       .only = "data",
       .doc = "Policy that changes the size of networks during training: `adapt: auto` or `adapt: "
              "{policy: NAME, ...}`. `true` means `auto`; `false` is the same as no key.",
       .per_trial = true,
       .kinds = policy_set,
       .binding = to<&StudySpec::adapt>()},
      {.name = "parallel",
       .min = 1,
       .max = 4096,
       .words = {"auto"},
       .otherwise = "8; `auto` for a `command` with `order: arrival`",
       .unit = "slots",
       .only = std::string(kOurs),
       .doc = "Number of trials that run at once. A number is part of the result and never depends "
              "on the machine; that many programs run at once even if there are fewer cores. "
              "`auto` (only with `order: arrival`): as many trials as the machine, or all agents "
              "together, have the `resources` for.",
       .binding = to<&StudySpec::parallel>()},
      {.name = "nodes",
       .min = 1,
       .max = 4096,
       .otherwise = "this machine alone",
       .unit = "nodes",
       .only = std::string(kOurs),
       .doc = "Number of nodes that a sweep requests from Slurm if the command line has neither "
              "`--nodes` nor `--hosts`. Without Slurm, and inside a job, it has no effect. Never "
              "changes a result. See `docs/cluster.md`.",
       .binding = to<&StudySpec::nodes>()},
      {.name = "order",
       .otherwise = "`virtual`; `arrival` for a `command`",
       .only = std::string(kOurs),
       .doc =
           "Order in which reports count. `virtual`: by counted work, so that the search is the "
           "same on any number of workers. Every step that a program reports counts the same. "
           "`arrival`: as reports arrive, so that no trial waits. The search then differs from run "
           "to run, but a study can be resumed.",
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
