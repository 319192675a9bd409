#include "nn/adapt/command.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "nn/adapt/grid.h"
#include "nn/adapt/judge.h"
#include "nn/adapt/operation_json.h"
#include "nn/error.h"
#include "nn/model/layout.h"

namespace nn {
namespace {

using base::Json;
using base::JsonWriter;

constexpr int kDeepest = 8;  // lists and objects inside one another in an answer

std::vector<FieldInfo> command_fields() {
  std::vector<FieldInfo> fields{
      {.name = "every",
       .min = 0,
       .max = 1e6,
       .value = 1.0,
       .doc = "Epochs from one question to the next.",
       .min_excluded = true},
      {.name = "length",
       .min = 0,
       .max = 1e6,
       .value = 0.25,
       .doc = "Length of a race for which the answer gives none, in epochs or a fraction of one. A "
              "race has at least one step and ends with its epoch at the latest.",
       .min_excluded = true},
      {.name = "from",
       .min = 0,
       .max = 1e6,
       .value = 0.0,
       .doc = "Epoch of the first question. 0: after the first `every` epochs."},
      {.name = "until",
       .min = 0,
       .max = 1e6,
       .value = 0.0,
       .doc = "Epoch after which nothing is asked. 0: the end of the training."}};
  std::ranges::move(judge_fields(), std::back_inserter(fields));
  return fields;
}

void put_layers(JsonWriter& json, const ModelSpec& spec) {
  const std::vector<std::string> resizable = resizable_layers(spec);
  json.begin_array();
  for (const LayerSpec& layer : spec.layers) {
    json.begin_object().field("name", layer.name).field("kind", layer.kind);
    if (const auto units = layer.fields.find("units"); units != layer.fields.end())
      json.field("units", std::get<std::int64_t>(units->second));
    json.field("resizable", std::ranges::find(resizable, layer.name) != resizable.end());
    json.end_object();
  }
  json.end_array();
}

void put_candidate(JsonWriter& json, const Candidate& candidate) {
  json.begin_object().key("operations").raw(json_of(candidate.operations));
  json.field("shape", candidate.shape).field("weights", candidate.weights);
  json.field("flops", candidate.inference_flops).field("train_loss", candidate.train_loss);
  json.field("loss", candidate.loss).field("accuracy", candidate.accuracy);
  json.field("accepted", candidate.accepted).end_object();
}

class Command final : public Policy {
 public:
  explicit Command(const PolicySetup& setup)
      : judge_(setup), epochs_(setup.epochs), most_(setup.adaptation.max_weights) {
    if (setup.adaptation.command.empty())
      throw SpecError(-1, "command", "command: command is missing: a program and its arguments");
    const Fields& fields = setup.adaptation.policy.fields;
    const double times[] = {real(fields, "every"), real(fields, "length"), real(fields, "from"),
                            real(fields, "until")};
    grid_ = grid_of(times);
    length_ = boundary_of(times[1], grid_);
    beat_ = Beat::of(times[0], times[2], times[3], setup.epochs, grid_);
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }
  [[nodiscard]] Wants wants() const override { return {.losses = true, .scores = true}; }
  [[nodiscard]] std::int64_t rows() const override { return judge_.rows(); }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    return beat_.from(std::max(now, done_ + 1));
  }

  [[nodiscard]] Turn turn(const Situation& situation) override {
    done_ = situation.now;
    judge_.begins(static_cast<double>(situation.now) / static_cast<double>(grid_));
    return {.ask = question(situation)};
  }

  [[nodiscard]] Turn answered(const Situation& situation, std::string_view text) override {
    text = trimmed(text);
    if (text == "keep") return applied({});
    const auto answer = Json::try_parse(text, {.depth = kDeepest, .utf8 = true});
    if (!answer) fail(text);
    if (answer->is_null() || answer->as_text() == "keep") return applied({});
    if (answer->find("race") != nullptr) return race(situation, *answer);
    if (!answer->is_object() && !answer->is_list()) fail(text);
    Operations operations = operations_from_json(text);
    check(situation.spec, operations);
    return applied(std::move(operations));
  }

  [[nodiscard]] double cost(const ModelSpec& spec) const override { return judge_.cost(spec); }
  void judge(Round& round) const override { judge_.judge(round); }

  void told(const Round& round) override {
    judge_.told(round, grid_);
    done_ = round.from;
    rounds_.push_back(round);
  }

 private:
  [[nodiscard]] double epoch_of(std::int64_t boundary) const {
    return static_cast<double>(boundary) / static_cast<double>(grid_);
  }

  [[nodiscard]] std::string question(const Situation& situation) const {
    const Flops flops = flops_per_row(situation.spec);
    JsonWriter json(base::JsonStyle::compact);
    json.begin_object().field("epoch", epoch_of(situation.now)).field("epochs", epochs_);
    put_layers(json.key("layers"), situation.spec);
    json.field("shape", shape_text(situation.spec)).field("weights", weight_count(situation.spec));
    json.key("flops").begin_object().field("inference", flops.forward);
    json.field("training", flops.training).end_object();
    json.key("losses").list(situation.losses);
    json.key("valid").begin_object().field("loss", situation.valid_loss);
    json.field("accuracy", situation.valid_accuracy).end_object();
    json.key("history").begin_array();
    for (const Round& round : rounds_) put_round(json, round);
    json.end_array().key("limits").begin_object().key("weights");
    most_ > 0 ? json.value(most_) : json.null();
    json.end_object().end_object();
    return std::move(json).text() + "\n";
  }

  void put_round(JsonWriter& json, const Round& round) const {
    json.begin_object().field("epoch", epoch_of(round.from));
    json.field("epochs", epoch_of(round.until - round.from)).key("candidates").begin_array();
    for (const Candidate& candidate : round.candidates) put_candidate(json, candidate);
    json.end_array().end_object();
  }

  [[nodiscard]] static Turn applied(Operations operations) {
    return {.candidates = {std::move(operations)}, .why = "as the program says"};
  }

  [[noreturn]] static void fail(std::string_view text) {
    const std::array<std::string, 2> words{"keep", "\"keep\""};
    const std::string near = base::nearest(text.substr(0, 16), words);
    throw base::Error(base::Errc::data, "expected " + command_answer_forms() +
                                            (near.empty() ? "" : "; did you mean \"keep\"?"));
  }

  [[nodiscard]] static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t first = std::min(text.find_first_not_of(kBlank), text.size());
    return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
  }

  /// Throws SpecError unless the operations can be done to a network, one after another.
  void check(ModelSpec spec, const Operations& operations) const {
    for (const Operation& operation : operations) spec = reshaped_within(spec, operation, most_);
  }

  [[nodiscard]] Turn race(const Situation& situation, const Json& answer) const {
    for (const auto& [key, value] : answer.members()) {
      if (key == "race" || key == "length") continue;
      const std::array<std::string, 2> known{"race", "length"};
      const std::string near = base::nearest(key, known);
      throw base::Error(base::Errc::data,
                        "a race with the key \"" + base::printable(key, 80) +
                            "\", expected race and length" +
                            (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
    }
    const Json& entrants = answer.at("race");
    if (!entrants.is_list()) fail(answer.raw());
    Turn turn;
    for (const auto& [none, entrant] : entrants.members()) {
      Operations operations = operations_from_json(entrant.raw());
      check(situation.spec, operations);
      if (!operations.empty()) turn.candidates.push_back(std::move(operations));
    }
    if (turn.candidates.empty()) return applied({});
    const std::int64_t epoch_end = (situation.now / grid_ + 1) * grid_;
    turn.race_until = std::min(situation.now + length_of(answer), epoch_end);
    return turn;
  }

  [[nodiscard]] std::int64_t length_of(const Json& answer) const {
    const Json* length = answer.find("length");
    if (length == nullptr) return length_;
    const double epochs = length->as_number().value_or(0);
    const double count = epochs * static_cast<double>(grid_);
    if (count < 1 || count > 1e12 || std::abs(count - std::round(count)) > 1e-6) {
      throw base::Error(base::Errc::data,
                        "a race of length " + base::printable(length->raw(), 80) +
                            ", expected a multiple of " + to_text(1 / static_cast<double>(grid_)) +
                            " epochs: the parts into which the policy's times cut an epoch");
    }
    return std::llround(count);
  }

  Judge judge_;
  std::int64_t epochs_;
  std::uint64_t most_;
  Beat beat_;
  std::int64_t grid_ = 1, length_ = 1;
  std::int64_t done_ = -1;  ///< boundary of the last turn
  std::vector<Round> rounds_;
};

}  // namespace

std::string command_answer_forms() {
  return "null, an operation such as " + std::string(kOperationForm) +
         ", a list of operations, or {\"race\": [[...], [...]]}";
}

PolicyKind command_policy() {
  return {.info = {.kind = "command",
                   .doc = "Lets a program decide: it reads the state of the training as JSON and "
                          "prints an operation.",
                   .fields = command_fields()},
          .program = true,
          .make = [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
            return std::make_unique<Command>(setup);
          }};
}

}  // namespace nn
