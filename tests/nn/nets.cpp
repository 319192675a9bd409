#include "tests/nn/nets.h"

#include <algorithm>
#include <utility>

#include "nn/training/random.h"

namespace nn_test {

Table::Table(std::uint32_t count, std::int32_t cols, std::int32_t out, std::uint64_t seed)
    : shape(nn::Shape::features(cols)), outputs(out) {
  const nn::RandomKey key = nn::RandomKey{seed}.derive("table");
  const auto draw = [&](std::uint32_t row, std::int32_t col, std::uint32_t what) {
    return nn::symmetric_unit(
        nn::random_block(key, {row, static_cast<std::uint32_t>(col), what, 0})[0]);
  };
  shift.assign(static_cast<std::size_t>(cols), 0.25F);
  scale.assign(static_cast<std::size_t>(cols), 1.5F);
  for (std::uint32_t r = 0; r < count; ++r) {
    rows.push_back(r);
    std::vector<float> scores(static_cast<std::size_t>(outputs), 0.0F);
    for (std::int32_t c = 0; c < cols; ++c) {
      x.push_back(draw(r, c, 0));
      for (std::int32_t o = 0; o < outputs; ++o) {
        scores[static_cast<std::size_t>(o)] += x.back() * draw(static_cast<std::uint32_t>(o), c, 1);
      }
    }
    targets.insert(targets.end(), scores.begin(), scores.end());
    labels.push_back(static_cast<std::int32_t>(std::ranges::max_element(scores) - scores.begin()));
  }
}

nn::DataView Table::view(bool numbers) const {
  nn::DataView view{.shape = shape,
                    .f32 = x.data(),
                    .shift = shift.data(),
                    .scale = scale.data(),
                    .outputs = outputs,
                    .rows = rows};
  view.targets = numbers ? targets.data() : nullptr;
  view.labels = numbers ? nullptr : labels.data();
  return view;
}

std::string LossCase::text() const {
  std::string out = loss.kind;
  for (const auto& [name, value] : loss.fields) out += " " + name + " " + nn::to_text(value);
  return out;
}

std::vector<LossCase> loss_cases() {
  std::vector<LossCase> cases;
  for (const nn::Loss* loss : nn::losses()) {
    const nn::KindInfo& info = loss->info();
    LossCase one{{info.kind, nn::complete(info, {}, info.kind)}, info.kind == "bce" ? 2 : 3};
    cases.push_back(one);
    if (info.field("class_weights") == nullptr) continue;
    one.loss.fields["class_weights"] = "balanced";
    cases.push_back(one);
    one.loss.fields["label_smoothing"] = 0.2;
    cases.push_back(one);
  }
  return cases;
}

nn::Hyper hyper(const std::string& optimizer, nn::Fields fields, int batch, int shards,
                const std::string& loss) {
  return nn::complete(nn::Hyper{.loss = {loss, {}},
                                .optimizer = {optimizer, std::move(fields)},
                                .batch = batch,
                                .shards = shards,
                                .shuffle = 7});
}

}  // namespace nn_test
