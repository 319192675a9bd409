#include "hpo/driver/rounds.h"

#include <variant>

#include "hpo/log/json.h"
#include "hpo/space/value.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

nn::FieldValue value_of(const Json& json) {
  const std::string_view raw = json.raw();
  if (raw == "true" || raw == "false") return raw == "true";
  if (raw.starts_with('"')) return json.text();
  if (auto whole = rt::parse_int(raw)) return *whole;
  return json.number();
}

nn::Operation operation_of(const Json& json) {
  if (json.members().size() != 1)
    throw rt::Error(rt::Errc::storage,
                    "an operation is a JSON object with its kind as the one key");
  const auto& [kind, fields] = json.members().front();
  nn::Operation operation{.kind = kind, .layer = fields.at("layer").text(), .fields = {}};
  for (const auto& [name, value] : fields.members()) {
    if (name != "layer") operation.fields[name] = value_of(value);
  }
  return nn::complete(operation);
}

Tried tried_of(const nn::Candidate& candidate) {
  return {.operations = json_of(candidate.operations),
          .change = nn::describe(candidate.operations),
          .shape = candidate.shape,
          .weights = candidate.weights,
          .inference_flops = static_cast<double>(candidate.inference_flops),
          .cost = candidate.cost,
          .flops = candidate.flops,
          .train_loss = candidate.train_loss,
          .loss = candidate.loss,
          .accuracy = candidate.accuracy,
          .accepted = candidate.accepted,
          .why = candidate.why};
}

nn::Candidate candidate_of(const Tried& tried) {
  return {.operations = operations_from_json(tried.operations),
          .shape = tried.shape,
          .weights = tried.weights,
          .inference_flops = static_cast<std::uint64_t>(tried.inference_flops),
          .cost = tried.cost,
          .flops = tried.flops,
          .train_loss = tried.train_loss,
          .loss = tried.loss,
          .accuracy = tried.accuracy,
          .accepted = tried.accepted,
          .why = tried.why};
}

}  // namespace

std::string json_of(const nn::Operations& operations) {
  JsonWriter json;
  json.begin_array();
  for (const nn::Operation& operation : operations) {
    json.begin_object().key(operation.kind).begin_object().field("layer", operation.layer);
    for (const auto& [name, value] : operation.fields)
      std::visit([&](const auto& v) { json.field(name, v); }, value);
    json.end_object().end_object();
  }
  json.end_array();
  return std::move(json).text();
}

nn::Operations operations_from_json(std::string_view text) {
  nn::Operations operations;
  const Json json = Json::parse(text);
  for (const auto& [name, operation] : json.members())
    operations.push_back(operation_of(operation));
  return operations;
}

Adapted event_of(const nn::Round& round, std::int64_t grid) {
  Adapted event{.grid = grid, .from = round.from, .until = round.until, .candidates = {}};
  for (const nn::Candidate& candidate : round.candidates)
    event.candidates.push_back(tried_of(candidate));
  return event;
}

nn::Round round_of(const Adapted& event) {
  nn::Round round{.from = event.from, .until = event.until, .candidates = {}};
  for (const Tried& tried : event.candidates) round.candidates.push_back(candidate_of(tried));
  return round;
}

}  // namespace hpo
