#include "nn/network/network.h"

#include <algorithm>
#include <cmath>

#include "nn/layers/layer.h"
#include "nn/model/wiring.h"
#include "nn/network/arena.h"

namespace nn {
namespace {

template <class T>
T* at(std::byte* arena, std::size_t offset) {
  return reinterpret_cast<T*>(arena + offset);
}

/// Adds an array unless it is there.
template <class Array>
void add_array(std::vector<Array>& arrays, const Array& array) {
  const auto is_it = [&](const Array& one) { return one.offset == array.offset; };
  if (std::ranges::none_of(arrays, is_it)) arrays.push_back(array);
}

/// Collects the buffers of a network with their lifetimes. Time: forward of layer i of n happens at
/// i, the loss at n, backward of layer i at 2n - i.
class Planner {
 public:
  explicit Planner(int layers) : layers_(layers) {}

  [[nodiscard]] int backward(std::size_t layer) const {
    return 2 * layers_ - static_cast<int>(layer);
  }

  /// A buffer of `bytes` that is first used at `time`.
  std::size_t add(std::size_t bytes, int time) {
    buffers_.push_back({bytes, time, time});
    return buffers_.size() - 1;
  }
  void use(std::size_t buffer, int time) {
    buffers_[buffer].last = std::max(buffers_[buffer].last, time);
  }
  std::size_t place() { return place_buffers(buffers_); }
  [[nodiscard]] std::size_t offset(std::size_t buffer) const { return buffers_[buffer].offset; }
  [[nodiscard]] int last_use(std::size_t buffer) const { return buffers_[buffer].last; }

 private:
  int layers_;
  std::vector<Lifetime> buffers_;
};

}  // namespace

/// One layer; offsets in bytes from the arena's start.
template <class T>
struct Network<T>::Node {
  std::unique_ptr<LayerOp<T>> op;
  LayerNeeds needs;
  bool wants_dx = false;
  std::size_t y = 0, saved = 0, dy = 0;
  std::size_t skip = 0;                      // closes a block: what entered it
  std::size_t dskip = 0;                     // opens a block: the gradient that went around it
  std::size_t trained = 0, trained_end = 0;  // its numbers in the slab that are trained
};

template <class T>
Network<T>::Network(Network&&) noexcept = default;
template <class T>
Network<T>& Network<T>::operator=(Network&&) noexcept = default;
template <class T>
Network<T>::~Network() = default;

template <class T>
Network<T>::Network(const ModelSpec& spec, const kern::Kernels<T>& kernels, int max_rows, Use use)
    : spec_(spec), layout_(param_layout(spec)), kernels_(&kernels), max_rows_(max_rows), use_(use) {
  const Wiring wiring = wire(spec_);
  outputs_ = static_cast<int>(wiring.flows.back().shape.elements());
  first_trained_ = spec_.layers.size();
  plan_layers(wiring.flows);
  plan_memory(wiring);
}

template <class T>
void Network<T>::plan_layers(std::span<const Flow> flows) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
    std::size_t end = first;
    while (end < layout_.tensors.size() && layout_.tensors[end].layer == static_cast<int>(i)) ++end;
    const std::span<const ParamTensor> params(layout_.tensors.data() + first, end - first);
    const LayerSpec& layer = spec_.layers[i];
    Node node;
    node.op =
        layer_of(layer.kind)
            .plan(LayerPlan<T>{layer, flows[i], flows[i + 1], params, *kernels_, max_rows_, use_});
    node.needs = node.op->needs();
    if (!params.empty()) first_trained_ = std::min(first_trained_, i);
    for (const ParamTensor& tensor : params) {
      if (!trained(tensor.role)) continue;
      if (node.trained_end == 0) node.trained = tensor.offset;
      node.trained_end = tensor.offset + tensor.count;
    }
    scratch_bytes_ = std::max(scratch_bytes_, node.needs.scratch_bytes);
    nodes_.push_back(std::move(node));
    first = end;
  }
}

template <class T>
void Network<T>::plan_memory(const Wiring& wiring) {
  const std::vector<Flow>& flows = wiring.flows;
  const std::size_t count = nodes_.size();
  const bool training = use_ == Use::training;
  Planner planner(static_cast<int>(count));
  const auto row_bytes = [&](std::size_t flow) {
    return static_cast<std::size_t>(max_rows_) *
           static_cast<std::size_t>(flows[flow].shape.elements()) * sizeof(T);
  };

  // y[i] enters layer i, y[count] is what the network puts out.
  std::vector<std::size_t> y{planner.add(row_bytes(0), 0)}, saved;
  for (std::size_t i = 0; i < count; ++i) {
    const LayerNeeds& needs = nodes_[i].needs;
    const int now = static_cast<int>(i);
    planner.use(y[i], now);
    y.push_back(needs.in_place ? y[i] : planner.add(row_bytes(i + 1), now));
    saved.push_back(planner.add(needs.saved_bytes, now));
    if (!training || i < first_trained_) continue;
    planner.use(saved[i], planner.backward(i));
    if (needs.input_in_backward) planner.use(y[i], planner.backward(i));
    if (needs.output_in_backward) planner.use(y[i + 1], planner.backward(i));
  }
  planner.use(y[count], static_cast<int>(count));

  // dy[i] is the gradient with respect to y[i]; the loss writes dy[count].
  std::vector<std::size_t> dy(count + 1, y[0]);
  if (training) dy[count] = planner.add(row_bytes(count), static_cast<int>(count));
  for (std::size_t i = count; training && i-- > first_trained_;) {
    planner.use(dy[i + 1], planner.backward(i));
    nodes_[i].wants_dx = i > first_trained_;
    if (!nodes_[i].wants_dx) break;
    const bool shared = nodes_[i].needs.in_place;
    dy[i] = shared ? dy[i + 1] : planner.add(row_bytes(i), planner.backward(i));
  }

  // What enters a block lives until its end, the gradient behind its end until its beginning.
  for (const Skip& skip : wiring.skips) {
    planner.use(y[skip.from], static_cast<int>(skip.to));
    if (nodes_[skip.from].wants_dx) planner.use(dy[skip.to + 1], planner.backward(skip.from));
  }

  const std::size_t scratch = planner.add(scratch_bytes_, 0);
  planner.use(scratch, planner.backward(0));
  arena_bytes_ = planner.place();
  input_ = planner.offset(y[0]);
  keeps_input_ = planner.last_use(y[0]) >= planner.backward(first_trained_);
  scratch_ = planner.offset(scratch);
  for (std::size_t i = 0; i < count; ++i) {
    nodes_[i].y = planner.offset(y[i + 1]);
    nodes_[i].saved = planner.offset(saved[i]);
    nodes_[i].dy = planner.offset(dy[i + 1]);
  }
  for (const Skip& skip : wiring.skips) {
    nodes_[skip.to].skip = planner.offset(y[skip.from]);
    nodes_[skip.from].dskip = planner.offset(dy[skip.to + 1]);
  }
}

template <class T>
T* Network<T>::input(std::byte* arena) const noexcept {
  return at<T>(arena, input_);
}

template <class T>
kern::Exec Network<T>::exec(std::byte* arena, kern::StepBuffer* step_buffer) const noexcept {
  return {.scratch = arena + scratch_, .scratch_bytes = scratch_bytes_, .step_buffer = step_buffer};
}

template <class T>
LayerPass<T> Network<T>::pass(std::size_t layer, const Run& run) const {
  const Node& node = nodes_[layer];
  return {.kernels = *kernels_,
          .exec = run.exec,
          .rows = run.rows,
          .x = at<T>(run.arena, layer == 0 ? input_ : nodes_[layer - 1].y),
          .y = at<T>(run.arena, node.y),
          .saved = run.arena + node.saved,
          .weights = run.weights,
          .draws = &run.draws,
          .skip = at<T>(run.arena, node.skip),
          .dskip = at<T>(run.arena, node.dskip)};
}

template <class T>
void Network<T>::run_forward(const Run& run, std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    if (!nodes_[i].needs.in_place) nodes_[i].op->forward(pass(i, run));
  }
}

template <class T>
kern::LossSums Network<T>::run_loss(const Run& run, const LossFunction<T>& loss,
                                    const Target& target, T gradient_scale) const {
  return loss.run({*kernels_, run.exec, run.rows, outputs_, at<T>(run.arena, nodes_.back().y),
                   target, gradient_scale, at<T>(run.arena, nodes_.back().dy)});
}

template <class T>
void Network<T>::run_backward(const Run& run, T share, T* gradient, std::size_t first,
                              std::size_t last) const {
  for (std::size_t i = last; i-- > first;) {
    const Node& node = nodes_[i];
    LayerPass<T> p = pass(i, run);
    p.dy = at<T>(run.arena, node.dy);
    p.dx = node.wants_dx ? at<T>(run.arena, nodes_[i - 1].dy) : nullptr;
    p.gradient = gradient;
    p.sink = run.sink;
    p.share = share;
    node.op->backward(p);
    if (run.sink != nullptr && !node.op->sinks() && node.trained_end > node.trained)
      run.sink->take(run.exec, node.trained, node.trained_end - node.trained,
                     gradient + node.trained);
  }
}

template <class T>
T* Network<T>::forward(std::byte* arena, const T* weights, int rows, const Draws& draws) const {
  kern::Exec context = exec(arena);
  run_forward({context, arena, weights, rows, draws}, 0, nodes_.size());
  return at<T>(arena, nodes_.empty() ? input_ : nodes_.back().y);
}

template <class T>
const T* Network<T>::forward_to(std::byte* arena, const T* weights, int rows,
                                std::size_t layer) const {
  kern::Exec context = exec(arena);
  run_forward({context, arena, weights, rows, Draws{}}, 0, layer);
  return at<T>(arena, layer == 0 ? input_ : nodes_[layer - 1].y);
}

template <class T>
kern::LossSums Network<T>::loss_and_gradient(std::byte* arena, const T* weights, int rows,
                                             const LossFunction<T>& loss, const Target& target,
                                             T gradient_scale, T* gradient, const Draws& draws,
                                             GradientSink<T>* sink) const {
  kern::Exec context = exec(arena, draws.step_buffer);
  return run_both({context, arena, weights, rows, draws, sink}, loss, target, gradient_scale,
                  gradient, first_trained_);
}

template <class T>
auto Network<T>::gradients_around(std::size_t layer, std::size_t later, std::byte* arena,
                                  const T* weights, int rows, const LossFunction<T>& loss,
                                  const Target& target, T gradient_scale, T* gradient) const
    -> Around {
  kern::Exec context = exec(arena);
  (void)run_both({context, arena, weights, rows, Draws{}}, loss, target, gradient_scale, gradient,
                 later);
  return {at<T>(arena, layer == 0 ? input_ : nodes_[layer - 1].y), at<T>(arena, nodes_[later].dy)};
}

template <class T>
kern::LossSums Network<T>::run_both(const Run& run, const LossFunction<T>& loss,
                                    const Target& target, T gradient_scale, T* gradient,
                                    std::size_t last) const {
  run_forward(run, 0, nodes_.size());
  const kern::LossSums sums = run_loss(run, loss, target, gradient_scale);
  if (run.sink != nullptr && !std::isfinite(sums.loss)) return sums;
  run_backward(run, gradient_scale * static_cast<T>(run.rows), gradient, last, nodes_.size());
  return sums;
}

template <class T>
void Network<T>::forward(const Pass& pass, std::size_t first, std::size_t last) const {
  kern::Exec context = exec(pass.arena);
  run_forward({context, pass.arena, pass.weights, pass.rows, *pass.draws}, first, last);
}

template <class T>
kern::LossSums Network<T>::loss(const Pass& pass, const LossFunction<T>& loss,
                                const Target& target) const {
  kern::Exec context = exec(pass.arena);
  return run_loss({context, pass.arena, pass.weights, pass.rows, *pass.draws}, loss, target,
                  pass.gradient_scale);
}

template <class T>
void Network<T>::backward(const Pass& pass, std::size_t first, std::size_t last) const {
  kern::Exec context = exec(pass.arena);
  run_backward({context, pass.arena, pass.weights, pass.rows, *pass.draws},
               pass.gradient_scale * static_cast<T>(pass.rows), pass.gradient,
               std::max(first, first_trained_), last);
}

/// Layers that work in place share an array, and it is there once.
template <class T>
auto Network<T>::entering(std::size_t layer) const -> std::vector<PassArray> {
  const Wiring wiring = wire(spec_);
  const auto elements = [&](std::size_t flow) {
    return static_cast<std::size_t>(wiring.flows[flow].shape.elements());
  };
  std::vector<PassArray> found{{layer == 0 ? input_ : nodes_[layer - 1].y, elements(layer)}};
  for (const Skip& skip : wiring.skips)
    if (skip.from < layer && layer <= skip.to)
      add_array(found, PassArray{nodes_[skip.to].skip, elements(skip.from)});
  return found;
}

template <class T>
auto Network<T>::returning(std::size_t layer) const -> std::vector<PassArray> {
  if (layer <= first_trained_) return {};
  const Wiring wiring = wire(spec_);
  const auto elements = [&](std::size_t flow) {
    return static_cast<std::size_t>(wiring.flows[flow].shape.elements());
  };
  std::vector<PassArray> found{{nodes_[layer - 1].dy, elements(layer)}};
  for (const Skip& skip : wiring.skips)
    if (skip.from < layer && layer <= skip.to && nodes_[skip.from].wants_dx)
      add_array(found, PassArray{nodes_[skip.from].dskip, elements(skip.to + 1)});
  return found;
}

template <class T>
void Network<T>::keep_statistics(kern::Exec& exec, const T* gradient, T* weights) const {
  if (layout_.trained == layout_.count) return;
  for (const Node& node : nodes_) node.op->keep_statistics(*kernels_, exec, gradient, weights);
}

template class Network<float>;
template class Network<double>;

}  // namespace nn
