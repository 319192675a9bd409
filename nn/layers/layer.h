#pragma once
// What a kind of layer is: one object per kind, listed in registry.cpp, that answers everything the
// rest of nn/ asks.
//
// A kind describes itself (info), says how it changes shapes and which units it owns (flow), which
// parameters it has (params), what it costs (flops), and plans an operation for a given geometry
// (plan) that runs forward and backward on raw memory through a kernel table. Its examples() put it
// under the conformance tests (gradient checks in f64, layout, cost) without a test being written.
// How to add one: README.md beside this file.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "nn/layers/activation.h"
#include "nn/model/layout.h"
#include "nn/model/spec.h"
#include "nn/network/draws.h"
#include "nn/network/flow.h"
#include "nn/network/use.h"
#include "nn/training/gradient_sink.h"

namespace nn {

/// What a layer is to a residual block: the first adds what entered it to what enters the second.
enum class Branch : std::uint8_t { none, opens, closes };

/// What an operation needs from the planner besides its input and output.
struct LayerNeeds {
  bool input_in_backward = false;   ///< x must live until backward
  bool output_in_backward = false;  ///< y must live until backward
  bool in_place = false;  ///< y is x and dx is dy: the same memory, which forward leaves as it is
  std::size_t saved_bytes = 0;    ///< private memory from forward to backward
  std::size_t scratch_bytes = 0;  ///< kern::Exec::scratch
};

/// One layer's view of one pass. Pointers are 64-byte aligned (parameters at their tensor's
/// offset).
template <class T>
struct LayerPass {
  const kern::Kernels<T>& kernels;
  kern::Exec& exec;
  int rows = 0;
  const T* x = nullptr;
  T* y = nullptr;
  std::byte* saved = nullptr;
  const T* weights = nullptr;  ///< base of the slab's weights: add ParamTensor::offset
  T* dy = nullptr;             ///< backward: gradient with respect to y, may be overwritten
  T* dx = nullptr;             ///< backward: overwritten; null when nobody wants it
  /// backward: base like weights; the layer's tensors are overwritten. Where running statistics lie
  /// it gets `share` times those of these rows, so that the parts of a batch add up to a mean.
  T* gradient = nullptr;
  /// backward: where set, a layer that `sinks()` hands its gradients over instead, and `gradient`
  /// is its tensors' room to work in.
  GradientSink<T>* sink = nullptr;
  T share = 1;                   ///< backward: these rows as a part of the step's batch
  const Draws* draws = nullptr;  ///< in training: what random masks hang on
  const T* skip = nullptr;       ///< forward of a layer that closes a block: what entered the block
  const T* dskip = nullptr;      ///< backward of one that opens: the gradient that went around it
};

/// A layer planned for one geometry. Immutable after planning; any number of passes.
template <class T>
class LayerOp {
 public:
  virtual ~LayerOp() = default;
  [[nodiscard]] virtual LayerNeeds needs() const = 0;
  virtual void forward(const LayerPass<T>& pass) const = 0;
  virtual void backward(const LayerPass<T>& pass) const = 0;
  /// Whether backward knows what to do with LayerPass::sink.
  [[nodiscard]] virtual bool sinks() const { return false; }
  /// After a step: moves the layer's running statistics in `weights` towards those that backward
  /// left in `gradient` (bases like LayerPass's).
  virtual void keep_statistics(const kern::Kernels<T>& /*kernels*/, kern::Exec& /*exec*/,
                               const T* /*gradient*/, T* /*weights*/) const {}
};

/// What a kind gets to plan with. References live until plan() returns.
template <class T>
struct LayerPlan {
  const LayerSpec& spec;  ///< complete
  const Flow& in;
  const Flow& out;
  std::span<const ParamTensor> params;  ///< as params() declared them, with offsets
  const kern::Kernels<T>& kernels;
  int max_rows = 0;
  Use use = Use::inference;
};

/// A small case for the conformance tests: this layer with these fields on this input.
struct LayerExample {
  Shape input;
  Fields fields;
  std::vector<LayerSpec> before{}, after{};  ///< the layers that it does not stand without
};

class Layer {
 public:
  virtual ~Layer() = default;
  [[nodiscard]] virtual const KindInfo& info() const = 0;
  /// What leaves the layer. Throws SpecError (layer -1: the caller adds the place) when the input
  /// does not fit.
  [[nodiscard]] virtual Flow flow(const LayerSpec& spec, const Flow& in) const = 0;
  /// The layer's tensors in slab order; layer index, offset and count are filled in by
  /// param_layout.
  [[nodiscard]] virtual std::vector<ParamTensor> params(const LayerSpec& spec,
                                                        const Flow& in) const;
  /// Why no unit that enters or leaves the layer may be added or removed, as it stands behind the
  /// layer's name ("normalises across its units"); empty: they may. It holds where a unit that
  /// leaves depends on units that enter in another way than through an axis of a tensor that is
  /// theirs.
  [[nodiscard]] virtual std::string holds_units(const LayerSpec&) const { return ""; }
  /// Multiply-adds of the forward pass of one row, times two.
  [[nodiscard]] virtual std::uint64_t flops(const LayerSpec& spec, const Flow& in) const;
  [[nodiscard]] virtual Branch branch() const { return Branch::none; }
  /// Covers every field's every meaning at least once; activations need no cases of their own, the
  /// tests vary them.
  [[nodiscard]] virtual std::vector<LayerExample> examples() const = 0;
  [[nodiscard]] virtual std::unique_ptr<LayerOp<float>> plan(
      const LayerPlan<float>& plan) const = 0;
  [[nodiscard]] virtual std::unique_ptr<LayerOp<double>> plan(
      const LayerPlan<double>& plan) const = 0;
};

/// Implements both plan() overloads through a template Op<T> constructible from LayerPlan<T>.
template <template <class> class Op>
class LayerOf : public Layer {
 public:
  using Layer::plan;
  [[nodiscard]] std::unique_ptr<LayerOp<float>> plan(const LayerPlan<float>& p) const override {
    return std::make_unique<Op<float>>(p);
  }
  [[nodiscard]] std::unique_ptr<LayerOp<double>> plan(const LayerPlan<double>& p) const override {
    return std::make_unique<Op<double>>(p);
  }
};

/// The registry: every kind, and the one behind a word (throws SpecError naming the nearest known
/// kind).
[[nodiscard]] std::span<const Layer* const> layers();
[[nodiscard]] const Layer& layer_of(std::string_view kind);

/// The field `epsilon` of a normalisation: what is added to a variance.
[[nodiscard]] FieldInfo norm_epsilon_field();

}  // namespace nn
