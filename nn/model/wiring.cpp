#include "nn/model/wiring.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "nn/layers/layer.h"

namespace nn {
namespace {

constexpr std::int64_t kMaxElements = std::numeric_limits<std::int32_t>::max();

void check_input(const Shape& input) {
  const bool rank = input.dims.size() == 1 || input.is_image();
  if (!rank || std::ranges::any_of(input.dims, [](auto d) { return d < 1; })) {
    throw SpecError(-1, "",
                    "input: expected a number of features or height, width and channels, not \"" +
                        input.text() + "\"");
  }
}

/// Follows the layers of one spec.
class Tracer {
 public:
  explicit Tracer(const ModelSpec& spec) : spec_(spec) {
    check_input(spec.input);
    wiring_.flows.push_back({spec.input, {.group = "input", .units = spec.input.dims.back()}});
  }

  Wiring run() {
    for (std::size_t i = 0; i < spec_.layers.size(); ++i) step(i);
    if (!open_.empty()) {
      fail(open_.back(), "", "its block is not closed; put a residual_end after it");
    }
    for (Flow& flow : wiring_.flows) flow.units = wiring_.ties.resolve(flow.units);
    return std::move(wiring_);
  }

 private:
  void step(std::size_t i) {
    const LayerSpec& layer = spec_.layers[i];
    try {
      const Layer& kind = layer_of(layer.kind);
      wiring_.flows.push_back(kind.flow(layer, wiring_.flows.back()));
      if (kind.branch() == Branch::opens) open_.push_back(i);
      if (kind.branch() == Branch::closes) close(i);
    } catch (const SpecError& e) {
      fail(i, e.field(), e.what());
    }
    const Shape& shape = wiring_.flows.back().shape;
    if (shape.elements() > kMaxElements) {
      fail(i, "", "its output of " + shape.text() + " is too large");
    }
  }

  void close(std::size_t i) {
    if (open_.empty()) {
      throw SpecError(-1, "", "closes a block that nothing opened; put a residual_begin before it");
    }
    const Flow &in = wiring_.flows[open_.back()], &out = wiring_.flows[i];
    if (in.shape != out.shape) {
      throw SpecError(-1, "",
                      "what leaves the block is " + out.shape.text() + ", what enters it " +
                          in.shape.text() + "; only equal shapes can be added");
    }
    wiring_.ties.tie(in.units, out.units);
    wiring_.skips.push_back({open_.back(), i});
    wiring_.flows.back().units = in.units;
    open_.pop_back();
  }

  [[noreturn]] void fail(std::size_t i, const std::string& field, const std::string& what) const {
    throw SpecError(static_cast<int>(i), field,
                    place(spec_.layers[i], static_cast<int>(i)) + ": " + what);
  }

  const ModelSpec& spec_;
  Wiring wiring_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::string place(const LayerSpec& layer, int index) {
  const std::string name = layer.name.empty() ? "" : " \"" + layer.name + "\"";
  return "layer " + std::to_string(index + 1) + name + " (" + layer.kind + ")";
}

void UnitTies::tie(const AxisRole& earlier, const AxisRole& later) {
  const AxisRole a = resolve(earlier), b = resolve(later);
  const std::int32_t units = std::gcd(a.units, b.units);
  into_[b.group] = into_[a.group] = {a.group, units};
}

AxisRole UnitTies::resolve(const AxisRole& role) const {
  AxisRole out = role;
  const std::int32_t length = role.units * role.repeat;
  for (auto it = into_.find(out.group); it != into_.end(); it = into_.find(out.group)) {
    out.units = it->second.units;
    out.repeat = length / out.units;
    if (it->second.name == out.group) break;
    out.group = it->second.name;
  }
  return out;
}

Wiring wire(const ModelSpec& spec) { return Tracer(spec).run(); }

std::vector<Flow> infer_flows(const ModelSpec& spec) { return wire(spec).flows; }

}  // namespace nn
