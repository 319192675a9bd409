#include "nn/layers/layer.h"

#include <array>
#include <utility>

#include "base/enum_names.h"
#include "base/error.h"

namespace nn {

std::vector<ParamTensor> Layer::params(const LayerSpec&, const Flow&) const { return {}; }

std::uint64_t Layer::flops(const LayerSpec&, const Flow&) const { return 0; }

namespace {

constexpr std::array<std::pair<std::string_view, kern::Activation>, 5> kActivations{
    {{"none", kern::Activation::none},
     {"relu", kern::Activation::relu},
     {"tanh", kern::Activation::tanh},
     {"sigmoid", kern::Activation::sigmoid},
     {"gelu", kern::Activation::gelu}}};
static_assert(kActivations.size() == base::enum_count<kern::Activation>());

}  // namespace

FieldInfo activation_field(std::string default_value) {
  std::vector<std::string> words;
  for (const auto& [word, activation] : kActivations) words.emplace_back(word);
  return {.name = "activation",
          .type = FieldType::word,
          .choices = std::move(words),
          .value = std::move(default_value),
          .doc =
              "Function applied to every output. `gelu`: x times the standard normal distribution "
              "function at x, computed with the error function."};
}

FieldInfo norm_epsilon_field() {
  return {.name = "epsilon",
          .min = 1e-12,
          .max = 1,
          .value = 1e-5,
          .doc = "Constant that is added to the variance."};
}

kern::Activation activation_of(const Fields& fields) {
  const std::string& name = word(fields, "activation");
  for (const auto& [word, activation] : kActivations) {
    if (word == name) return activation;
  }
  throw base::Error(base::Errc::internal, "no activation is called " + name);
}

InitRule init_for(kern::Activation activation) {
  const bool he = activation == kern::Activation::relu || activation == kern::Activation::gelu;
  return he ? InitRule::he : InitRule::glorot;
}

bool is_zero_at_zero(std::string_view activation) { return activation != "sigmoid"; }

}  // namespace nn
