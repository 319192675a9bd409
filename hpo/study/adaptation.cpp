#include "hpo/study/adaptation.h"

#include "base/error.h"
#include "base/text.h"
#include "hpo/study/field.h"
#include "hpo/study/layers.h"
#include "hpo/study/program.h"
#include "hpo/study/scalars.h"
#include "nn/error.h"

namespace hpo::study {

nn::Operation read_operation(const Node& node) {
  const KindSet& set = *operation_set();
  const Kind& kind = *set.find(node.find(set.key)->text);
  nn::Operation operation{kind.name, node.find("layer")->text, fields_of(node, kind)};
  operation.fields.erase("layer");
  return operation;
}

namespace {

void read_timetable(const Node& at, std::int64_t epochs, nn::Adaptation& out) {
  for (const Entry& entry : at.entries) {
    const double epoch = as_number(plain_node(entry.key, entry.key_at));
    if (epoch >= static_cast<double>(epochs)) {
      throw StudyError(entry.key_at,
                       base::cat("adapt.at lists epoch ", entry.key,
                                 ", expected one before train.epochs, which is ", epochs));
    }
    const Node& value = entry.value;
    const std::vector<Node> operations = value.is_list() ? value.items : std::vector<Node>{value};
    for (const Node& operation : operations)
      out.at.push_back({.epoch = epoch, .operation = read_operation(operation)});
  }
}

/// The program of an adaptation, its folder being absolute by now.
void read_program(const Node& adapt, nn::Adaptation& out) {
  const Node& command = *adapt.find("command");
  for (const Node& word : command.items) out.command.push_back(word.text);
  out.folder = adapt.find("folder")->text;
  out.timeout = as_seconds(*adapt.find("timeout"));
  if (out.command.empty())
    throw StudyError(command.at, "adapt.command is empty, expected a program");
  (void)find_program(command.items.front(), out.folder, "adapt.command");
}

}  // namespace

nn::Adaptation read_adaptation(const Node& adapt, const nn::ModelSpec& model, std::int64_t epochs,
                               std::int64_t max_weights, bool continued) {
  const KindSet& set = *policy_set();
  const Kind& kind = *set.find(adapt.find(set.key)->text);
  nn::Adaptation out{
      .policy = {kind.name, fields_of(adapt, opened(kind, adapt, true).value_or(kind))},
      .at = {},
      .command = {},
      .max_weights = static_cast<std::uint64_t>(max_weights),
      .continued = continued};
  for (const char* name : {"folder", "timeout", "plugin", "content"}) out.policy.fields.erase(name);
  if (kind.more != nullptr) {
    out.plugin = adapt.find("plugin")->text;
    out.content = adapt.find("content")->text;
  }
  if (const Node* at = adapt.find("at")) read_timetable(*at, epochs, out);
  if (adapt.find("command") != nullptr) read_program(adapt, out);
  try {
    out = nn::complete(out);
    (void)nn::make_policy({.adaptation = out, .spec = model, .epochs = epochs});
  } catch (const nn::SpecError& error) {
    const Node* field = error.field().empty() ? nullptr : adapt.find(error.field());
    throw StudyError(field != nullptr ? field->at : adapt.at, error.what());
  } catch (const base::Error& error) {
    throw StudyError(adapt.at, base::cat(out.plugin.empty() ? "" : "adapt.plugin: ", error.what()));
  }
  return out;
}

}  // namespace hpo::study
