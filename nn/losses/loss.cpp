#include "nn/losses/loss.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace nn {
namespace {

std::vector<float> balanced(const DataView& data) {
  if (data.training.empty())
    throw base::Error(base::Errc::study, "class_weights: balanced needs the training rows");
  std::vector<double> rows(static_cast<std::size_t>(data.outputs));
  for (const std::uint32_t row : data.training) ++rows[static_cast<std::size_t>(data.labels[row])];
  const auto present =
      static_cast<double>(std::ranges::count_if(rows, [](double count) { return count > 0; }));
  std::vector<float> out;
  for (const double count : rows) {
    const double weight = static_cast<double>(data.training.size()) / (present * count);
    out.push_back(count > 0 ? static_cast<float>(weight) : 1.0F);
  }
  return out;
}

std::vector<float> listed(const NumberByName& weights, const DataView& data) {
  std::vector<float> out(static_cast<std::size_t>(data.outputs), 1.0F);
  for (const auto& [name, weight] : weights) {
    const auto at = std::ranges::find(data.class_names, name);
    if (at == data.class_names.end())
      throw base::Error(base::Errc::study, "class_weights: the target has no class " + name);
    out[static_cast<std::size_t>(at - data.class_names.begin())] = static_cast<float>(weight);
  }
  return out;
}

}  // namespace

std::vector<float> class_weights(const Choice& loss, const DataView& data) {
  const auto field = loss.fields.find("class_weights");
  if (field == loss.fields.end() || data.labels == nullptr) return {};
  if (const auto* weights = std::get_if<NumberByName>(&field->second))
    return listed(*weights, data);
  return std::get<std::string>(field->second) == "balanced" ? balanced(data) : std::vector<float>();
}

Choice written_out(const Choice& loss, const DataView& data) {
  Choice out = loss;
  const std::vector<float> weights = class_weights(loss, data);
  if (weights.empty() || weights.size() != data.class_names.size()) return out;
  NumberByName by_name;
  for (std::size_t i = 0; i < weights.size(); ++i) by_name[data.class_names[i]] = weights[i];
  out.fields["class_weights"] = std::move(by_name);
  return out;
}

template <class T>
std::unique_ptr<LossFunction<T>> loss_function(const Choice& loss, const DataView& data) {
  const Loss& kind = loss_of(loss.kind);
  const Fields fields = complete(kind.info(), loss.fields, "loss " + loss.kind);
  return kind.bind(fields, class_weights(loss, data), T{});
}

FieldInfo class_weights_field() {
  return {.name = "class_weights",
          .type = FieldType::number_by_name,
          .min = 0,
          .max = 1e6,
          .choices = {"none", "balanced"},
          .value = "none",
          .doc =
              "Weight of each row by its class: a map from classes to numbers, 1 for the other "
              "classes. `balanced`: training rows / (classes in them * rows of the class). The sum "
              "over a batch is divided by its number of rows, whatever their weights. With "
              "`label_smoothing`, `cross_entropy` weighs the share of each class by that class. "
              "`bce` weighs the whole row by its own class."};
}

FieldInfo label_smoothing_field() {
  return {.name = "label_smoothing",
          .min = 0,
          .max = 1,
          .value = 0.0,
          .doc = "Share of the target that is spread evenly over all classes.",
          .max_excluded = true};
}

template std::unique_ptr<LossFunction<float>> loss_function(const Choice&, const DataView&);
template std::unique_ptr<LossFunction<double>> loss_function(const Choice&, const DataView&);

}  // namespace nn
