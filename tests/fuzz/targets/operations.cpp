// What a program that decides about a network answers.

#include "base/error.h"
#include "nn/adapt/operation_json.h"
#include "nn/adapt/policy.h"
#include "nn/model/model_file.h"
#include "tests/fuzz/fuzz.h"

namespace {

nn::ModelSpec network() {
  return nn::complete(nn::spec_from_json(
      R"({"input": [10], "layers": [
        {"kind": "dense", "name": "fc1", "units": 8, "activation": "relu"},
        {"kind": "dense", "name": "out", "units": 3}]})"));
}

void answer(std::string_view input) {
  static const nn::ModelSpec kNetwork = network();
  static const nn::Adaptation kAdaptation =
      nn::complete(nn::Adaptation{.policy = {"command", {}}, .at = {}, .command = {"decide"}});
  const auto policy = nn::make_policy({.adaptation = kAdaptation, .spec = kNetwork, .epochs = 10});
  (void)policy->answered({.now = 4, .spec = kNetwork, .losses = {}}, input);
}

void list(std::string_view input) {
  const nn::Operations operations = nn::operations_from_json(input);
  fuzz::promise(nn::operations_from_json(nn::json_of(operations)) == operations,
                "operations read back");
}

}  // namespace

void fuzz::feed(std::string_view input) {
  for (const auto read : {list, answer}) {
    try {
      read(input);
    } catch (const base::Error& error) {
      promise(error.kind() == base::Errc::data || error.kind() == base::Errc::study,
              "a bad description is no mistake of the program");
      promise_message(error.what());
    }
  }
}
