// study_reference_markdown: the field table as a page for people.

#include "base/text.h"
#include "hpo/study/field.h"
#include "hpo/study/field_docs.h"
#include "nn/metrics/metric.h"

namespace hpo {

namespace study {

namespace {

constexpr std::string_view kIntroduction = R"md(# The study file

A study file describes one search in YAML: the data, the network, its training, the parameters that
vary, and the end of the search. The shortest one is

```yaml
data: {csv: flowers.csv, target: species}
```

Every other key has a default. `trellis check --resolved` prints all defaults, and
`runs/NAME/study.yaml` records them. A search is *open* if the file has no `network`,
`train.optimizer`, `adapt`, `from` and `parameters`. The defaults of an open search are

| part | in an open search |
|---|---|
| network | zero to four dense layers (`depth`) of `width` units |
| training | `adam` with `lr` and `weight_decay`, batch size `batch`, a cosine schedule, 81 epochs |
| search | 60 trials by `tpe` |
| stopping rule | `asha` with rungs at 9 and 27 epochs |
| validation | `folds: auto` |

For data in arrays, which may be images, the networks begin with `flatten` and train for 27 epochs,
with rungs at 3 and 9 epochs and without folds. A complete study file is

```yaml
name: digits
seed: 7
data: {csv: data/digits.csv.gz, target: -1, split: {valid: 0.2, test: 0.2}, scale: standard}
network:
  - dense: {units: $width, activation: relu}
  - dense: {units: $width, activation: relu}
train:
  loss: cross_entropy
  optimizer: {type: $optimizer, lr: $lr, momentum: $momentum}
  batch: $batch
  epochs: 27
metric: {name: valid.accuracy, goal: maximize}
method: random
parameters:
  lr:    {min: 1e-4, max: 1e-1, scale: log}
  width: {type: int, min: 16, max: 256, scale: log}
  batch: {values: [16, 32, 64]}
  optimizer: {values: [adam, sgd]}
  momentum: {min: 0.0, max: 0.99, when: {optimizer: sgd}}
early_stop: {type: asha, min: 1, eta: 3}
parallel: 8
limits: {trials: 60, time: 10m, trial_time: 2m, failed: 5}
resources: {cpus: 1, memory: 2GB}
retry: {max: 2, on: [lost, killed, out_of_memory]}
```

## How it is read

- **Values.** Numbers and booleans follow YAML 1.2: `1e-5` is a float, `010` is ten, and `yes` is a
  string.
- **Parameters.** `$name` or `"${name}"` means the value of the parameter `name`, in keys that the
  column `$` marks. A value that consists of a single reference has the type of the parameter. `$$`
  is a dollar sign.
- **Inactive parameters.** A parameter may be conditional (`when`). A key that uses an inactive
  parameter is left out. `docs/spaces.md` describes all forms of parameters.
- **Kinds.** A kind is an alternative with fields of its own, such as the optimizer `adam`. Write
  `NAME`, `{NAME: {field: value}}` or `{type: NAME, field: value}` (`policy: NAME` in `adapt`). The
  last form lets a parameter choose the kind: `type: $optimizer`. Fields that the chosen kind does
  not have are then left out.
- **Rates.** The `lr` of an optimizer may be a list of `[epoch, value]` pairs:
  `lr: [[0, 0.1], [10, $late]]`. Trials that differ only in `$late` share their first ten epochs,
  which are computed once. Trials that differ only in `epochs` share their common epochs. Trials
  with different schedules share the epochs in which the schedules agree.
- **Results.** A key that is part of the result affects the bits of a result or the course of the
  search. `docs/same-results.md` lists what else does.
- **Ask and tell.** A file with neither `data` nor `command` is for a program that runs the trials
  itself (`docs/ask-tell.md`).
- **Errors.** Unknown keys, repeated keys, wrong types and values out of range are errors with file,
  line and column. A `$name` without a parameter and an unused parameter are errors, too. Nothing is
  ignored.
- **Limits.** A file has at most 1 MiB, 64 levels of nesting, 100,000 values and 10,000 parameters.
  Aliases work; merge keys (`<<`) and tags do not.
- **Editors.** Save the output of `trellis schema` as `study.schema.json` and begin a study file
  with `# yaml-language-server: $schema=study.schema.json`. Editors then complete and check it.
)md";

/// Returns the version that added a key; nothing for the first version.
std::string since(const std::string& version) {
  return version == "0.1.0" ? "" : base::cat(" Since ", version, ".");
}

std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string default_text(const Field& field) {
  if (field.required) return "required";
  if (!field.fallback.empty()) return base::cat("`", field.fallback, "`");
  return field.otherwise;
}

std::string allowed_text(const Field& field) {
  std::string text = range_text(field);
  if (!field.unit.empty()) text += base::cat(text.empty() ? "" : ", ", "in ", field.unit);
  return text;
}

/// "`csv`, `npy` or `idx`" of "csv, npy, idx".
std::string in_code(std::string names) {
  for (std::size_t at = names.rfind(", "); at != names.npos; at = names.rfind(", ", at))
    names.replace(at, 2, names.find('`', at) == names.npos ? "` or `" : "`, `");
  return base::cat('`', names, '`');
}

std::string row(const Field& field, const std::string& path) {
  std::string doc = field.doc + since(field.since);
  if (!field.only.empty() && field.only != field.name)
    doc += base::cat(" Only with ", in_code(field.only), ".");
  return base::cat("| `", path, "` | ", type_text(field), " | ", cell(allowed_text(field)), " | ",
                   cell(default_text(field)), " | ", field.per_trial ? "yes" : "", " | ", cell(doc),
                   " |\n");
}

constexpr std::string_view kTableHead =
    "| key | type | allowed | default | `$` | meaning |\n|---|---|---|---|---|---|\n";

void rows(std::string& out, const Field& block, const std::string& prefix) {
  for (const Field& field : block.fields) {
    out += row(field, prefix + field.name);
    if (field.type == Type::block) rows(out, field, prefix + field.name + ".");
  }
}

void section(std::string& out, const Field& field) {
  out += base::cat("\n### ", field.name, "\n\n", field.doc, "\n\n", kTableHead);
  rows(out, field, field.type == Type::blocks ? "" : field.name + ".");
}

void kinds(std::string& out, const KindSet& set, std::string_view title) {
  out += base::cat("\n## ", title, "\n");
  for (const Kind& kind : set.kinds) {
    out += base::cat("\n### ", kind.name, "\n\n", kind.doc, since(kind.since), "\n");
    if (!kind.block.fields.empty()) {
      out += base::cat("\n", kTableHead);
      rows(out, kind.block, "");
    }
  }
}

void metrics(std::string& out) {
  out +=
      "\n## Metrics\n\nA trial reports the loss and all metrics that fit the target. They are "
      "measured on the validation part, as `valid.NAME`. For the best network, they are also "
      "measured on the test part, as `test.NAME`.\n\n| metric | for | better | meaning "
      "|\n|---|---|---|---|\n"
      "| `loss` | both | lower | Loss that training minimizes, see Losses. |\n";
  for (const nn::Metric* metric : nn::metrics()) {
    const bool classes = metric->target == nn::TargetKind::labels;
    out += base::cat("| `", metric->name, "` | ", classes ? "classes" : "numbers", " | ",
                     metric->maximize ? "higher" : "lower", " | ", metric->doc, " |\n");
  }
  out +=
      "\nA trial reports these properties of its network if `metric` or `subject_to` names "
      "them:\n\n"
      "| metric | better | meaning |\n|---|---|---|\n"
      "| `weights` | lower | Number of weights. |\n"
      "| `inference_flops` | lower | Counted FLOPs of the forward pass of one row. |\n"
      "| `valid.latency` | lower | Seconds to predict a single row, measured on the "
      "device that trains the network (`docs/methods.md`). |\n";
}

std::string plural(const std::string& noun) {
  if (noun.ends_with('y')) return noun.substr(0, noun.size() - 1) + "ies";
  return noun + (noun.ends_with('s') ? "es" : "s");
}

void later(std::string& out) {
  out +=
      "\n## Not in this version\n\nThese words are reserved. Using one is an error that says "
      "so:\n\n";
  const auto sets = {layer_set(),   loss_set(),     optimizer_set(), schedule_set(),
                     sampler_set(), stopping_set(), policy_set(),    operation_set()};
  for (const KindSet* set : sets) {
    if (set->later.empty()) continue;
    out += base::cat("- ", plural(set->what), ": ");
    for (std::size_t i = 0; i < set->later.size(); ++i)
      out += base::cat(i == 0 ? "`" : ", `", set->later[i], "`");
    out += "\n";
  }
}

}  // namespace

}  // namespace study

std::string study_reference_markdown() {
  using namespace study;
  std::string out(kIntroduction);
  out += base::cat("\n## Keys\n\nThe column `$` marks keys in which a parameter may be used.\n\n",
                   kTableHead);
  for (const Field& field : study_block().fields) {
    out += row(field, field.name);
  }
  for (const Field& field : study_block().fields) {
    if (!field.fields.empty()) section(out, field);
  }
  kinds(out, *layer_set(), "Layers");
  kinds(out, *loss_set(), "Losses");
  metrics(out);
  kinds(out, *optimizer_set(), "Optimizers");
  kinds(out, *schedule_set(), "Learning-rate schedules");
  kinds(out, *sampler_set(), "Samplers");
  kinds(out, *stopping_set(), "Stopping rules");
  kinds(out, *policy_set(), "Policies");
  kinds(out, *operation_set(), "Reshape operations");
  later(out);
  out +=
      "\nThis page is made from the program's own table of fields: `ninja -C build docs` writes "
      "it.\n";
  return out;
}

}  // namespace hpo
