// study_reference_markdown: the field table as a page for people.

#include "base/text.h"
#include "hpo/study/field.h"
#include "hpo/study/field_docs.h"
#include "nn/metrics/metric.h"

namespace hpo {

namespace study {

namespace {

constexpr std::string_view kIntroduction = R"md(# The study file

One YAML file says what is searched: the data, the network, how it is trained, what may vary, and
when to stop. The smallest one is

```yaml
data: {csv: flowers.csv, target: species}
```

and everything that it leaves out has a default, which `trellis check` prints and
`runs/NAME/study.yaml` keeps. Without `network`, `train` and `parameters` that is a search of dense
networks of none to four hidden layers (`depth`, `width`), trained by adam for 81 epochs with a
rate (`lr`) that falls along a cosine, `batch` and `weight_decay`; 60 trials by tpe, and asha stops
those that fall behind after 9 and 27 epochs (of arrays, which may be images: 27 epochs, 3 and
9). A complete one:

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

- Numbers and booleans follow YAML 1.2: `1e-5` is a float, `010` is ten, `yes` is a text.
- `$name` (or `"${name}"`) stands for the parameter of that name, wherever the tables below say
  so. A value that is nothing but one reference takes the parameter's type. `$$` is a dollar.
- A parameter that is inactive (see `when`) leaves out the key where it is used. `docs/spaces.md`
  shows all that parameters can be.
- What has a kind is written `NAME`, `{NAME: {field: value}}` or `{type: NAME, field: value}`
  (`policy: NAME` in `adapt`). The last form lets a parameter choose the kind (`type:
  $optimizer`); fields that the chosen kind does not have are then left out.
- An optimizer's `lr` may be a list of `[epoch, value]` pairs: `lr: [[0, 0.1], [10, $late]]`. Trials
  that differ in `$late` alone share their first ten epochs; so do trials that differ in `epochs`
  alone, and those whose schedules agree for a while.
- Unknown keys, keys that stand twice, wrong types and values out of range, a `$name` without a
  parameter and a parameter that is used nowhere are errors with file, line and column. Nothing is
  ignored.
- At most 1 MiB, 64 levels, 100,000 values and 10,000 parameters. Aliases work; merge keys (`<<`)
  and tags do not.
- The first line `# yaml-language-server: $schema=study.schema.json`, with the output of `trellis
  schema` in that file, makes editors complete and check it.
)md";

/// Docs of kinds come from other folders, some of them as a sentence and some not.
std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text.back() == '.' ? text : text + ".";
}

/// What the first version had goes without saying.
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

std::string row(const Field& field, const std::string& path) {
  std::string doc = sentence(field.doc) + since(field.since);
  if (!field.only.empty() && field.only != field.name)
    doc += base::cat(" Only with `", field.only, "`.");
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
    out += base::cat("\n### ", kind.name, "\n\n", sentence(kind.doc), since(kind.since), "\n");
    if (!kind.block.fields.empty()) {
      out += base::cat("\n", kTableHead);
      rows(out, kind.block, "");
    }
  }
}

void metrics(std::string& out) {
  out +=
      "\n## Metrics\n\nA trial reports the loss and all that fit the target, measured on the "
      "validation part as `valid.NAME`; the best network's are measured on the test part, too, as "
      "`test.NAME`.\n\n| metric | for | better | meaning |\n|---|---|---|---|\n"
      "| `loss` | both | lower | What training makes small: see Losses. |\n";
  for (const nn::Metric* metric : nn::metrics()) {
    const bool classes = metric->target == nn::TargetKind::labels;
    out += base::cat("| `", metric->name, "` | ", classes ? "classes" : "numbers", " | ",
                     metric->maximize ? "higher" : "lower", " | ", metric->doc, " |\n");
  }
  out +=
      "\nOf a network there are also `weights` (how many it has), `inference_flops` (counted, one "
      "row forward) and `valid.latency` (the seconds that it takes to answer one row alone, "
      "measured "
      "where it trains; `docs/methods.md`): a trial reports them where `metric` or `subject_to` "
      "names them.\n";
}

std::string plural(const std::string& noun) {
  if (noun.ends_with('y')) return noun.substr(0, noun.size() - 1) + "ies";
  return noun + (noun.ends_with('s') ? "es" : "s");
}

void later(std::string& out) {
  out +=
      "\n## Not in this version\n\nThese words are taken, and using one is an error that says "
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
  out += base::cat("\n## Keys\n\nThe column `$` says where a parameter may stand.\n\n", kTableHead);
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
  out += "\nThis page is made from the program's own table of fields: `ninja docs` writes it.\n";
  return out;
}

}  // namespace hpo
