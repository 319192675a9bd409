#pragma once
// Network<T>: a spec planned for a number of rows: forward and explicit backward, layer by layer,
// without a tape.
//
// Planning (shapes, parameter offsets, lifetimes of activations, scratch of kernels) happens once,
// in the constructor; a pass only adds offsets to three base pointers (arena, weights, gradient)
// and calls kernels. Activations whose lifetimes do not overlap share memory. Instantiated for
// float (production) and double (gradient checks).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "nn/losses/loss.h"
#include "nn/model/layout.h"
#include "nn/model/spec.h"
#include "nn/network/draws.h"
#include "nn/network/use.h"

namespace nn {

struct Flow;
struct Wiring;
template <class T>
struct LayerPass;
template <class T>
class GradientSink;

template <class T>
class Network {
 public:
  /// Plans `spec` (canonical) for up to `max_rows` rows a pass. Throws SpecError when the spec is
  /// wrong.
  Network(const ModelSpec& spec, const kern::Kernels<T>& kernels, int max_rows, Use use);
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  [[nodiscard]] const ModelSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] const ParamLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] int max_rows() const noexcept { return max_rows_; }
  [[nodiscard]] Use use() const noexcept { return use_; }
  [[nodiscard]] int outputs() const noexcept { return outputs_; }
  [[nodiscard]] const kern::Kernels<T>& kernels() const noexcept { return *kernels_; }

  /// Bytes that every pass needs at `arena` (64-byte aligned). Contents need not survive between
  /// passes.
  [[nodiscard]] std::size_t arena_bytes() const noexcept { return arena_bytes_; }
  /// Where the caller puts the rows [rows, input elements] before a pass.
  [[nodiscard]] T* input(std::byte* arena) const noexcept;

  /// Whether loss_and_gradient() leaves the rows at input() as they were, for another pass.
  [[nodiscard]] bool keeps_input() const noexcept { return keeps_input_; }

  /// Outputs [rows, outputs()] for the rows at input(); valid until the next pass. `weights` is a
  /// layout().count block. Planned for training, layers behave as they do there: batch
  /// normalisation uses the statistics of these rows.
  [[nodiscard]] T* forward(std::byte* arena, const T* weights, int rows,
                           const Draws& draws = {}) const;

  /// What enters layer `layer` ([rows, its elements]; one past the last: the outputs), after
  /// running the layers before it; valid until the next pass.
  [[nodiscard]] const T* forward_to(std::byte* arena, const T* weights, int rows,
                                    std::size_t layer) const;

  /// Forward, loss, backward. Every tensor of `gradient` (a layout().count block) is overwritten
  /// with gradient_scale times the sum of the rows' gradients, running statistics with
  /// gradient_scale times `rows` times the statistics of the rows; its gaps are left alone. So the
  /// blocks of a batch's parts add up to the batch's. Needs Use::training. With a `sink` the
  /// gradients of what is trained go there, layer by layer, unless the loss is NaN or infinite, and
  /// their places in `gradient` hold anything.
  kern::LossSums loss_and_gradient(std::byte* arena, const T* weights, int rows,
                                   const LossFunction<T>& loss, const Target& target,
                                   T gradient_scale, T* gradient, const Draws& draws = {},
                                   GradientSink<T>* sink = nullptr) const;

  /// What a pass that is run by parts goes on from. `arena` and `gradient` are its own.
  struct Pass {
    std::byte* arena = nullptr;
    const T* weights = nullptr;
    int rows = 0;
    const Draws* draws = nullptr;
    T gradient_scale = 1;
    T* gradient = nullptr;
  };
  /// loss_and_gradient() by parts: all layers forward in order, the loss, then all layers backward
  /// in the opposite order, each time [first, last) of them. Parts may be run by different threads,
  /// one after the other. When a layer has been backward, its tensors of `gradient` are there.
  void forward(const Pass& pass, std::size_t first, std::size_t last) const;
  [[nodiscard]] kern::LossSums loss(const Pass& pass, const LossFunction<T>& loss,
                                    const Target& target) const;
  void backward(const Pass& pass, std::size_t first, std::size_t last) const;

  /// An array [rows, elements] in a pass's arena.
  struct PassArray {
    std::size_t offset = 0;  ///< bytes
    std::size_t elements = 0;
  };
  /// Returns what layers from `layer` on read of those before it, once these have been forward. A
  /// pass of another arena that gets it there can run the rest.
  [[nodiscard]] std::vector<PassArray> entering(std::size_t layer) const;
  /// Returns the gradients that layers before `layer` read of the others, once these have been
  /// backward. Nothing if layers before it have nothing to learn.
  [[nodiscard]] std::vector<PassArray> returning(std::size_t layer) const;

  /// After a step: moves the running statistics in `weights` towards those that
  /// loss_and_gradient left in their place in `gradient`.
  void keep_statistics(kern::Exec& exec, const T* gradient, T* weights) const;

  /// The gradients of two neighbours with weights and nothing with units between them: what enters
  /// `layer`, and the gradient with respect to the sums (before the activation) of `later`, a dense
  /// layer. Runs what loss_and_gradient runs, from the end to `later`; arguments as there.
  struct Around {
    const T* x = nullptr;   ///< [rows, elements that enter `layer`]
    const T* dz = nullptr;  ///< [rows, units of `later`]
  };
  [[nodiscard]] Around gradients_around(std::size_t layer, std::size_t later, std::byte* arena,
                                        const T* weights, int rows, const LossFunction<T>& loss,
                                        const Target& target, T gradient_scale, T* gradient) const;

  /// The execution context for kernels called beside the network's own; its scratch lies in
  /// `arena`.
  [[nodiscard]] kern::Exec exec(std::byte* arena,
                                kern::StepBuffer* step_buffer = nullptr) const noexcept;

 private:
  struct Node;
  void plan_layers(std::span<const Flow> flows);
  void plan_memory(const Wiring& wiring);
  struct Run {  // what the passes through all layers share
    kern::Exec& exec;
    std::byte* arena;
    const T* weights;
    int rows;
    const Draws& draws;
    GradientSink<T>* sink = nullptr;
  };
  [[nodiscard]] LayerPass<T> pass(std::size_t layer, const Run& run) const;
  void run_forward(const Run& run, std::size_t first, std::size_t last) const;
  [[nodiscard]] kern::LossSums run_loss(const Run& run, const LossFunction<T>& loss,
                                        const Target& target, T gradient_scale) const;
  void run_backward(const Run& run, T share, T* gradient, std::size_t first,
                    std::size_t last) const;
  kern::LossSums run_both(const Run& run, const LossFunction<T>& loss, const Target& target,
                          T gradient_scale, T* gradient, std::size_t last) const;

  ModelSpec spec_;
  ParamLayout layout_;
  const kern::Kernels<T>* kernels_;
  int max_rows_;
  Use use_;
  int outputs_ = 0;
  bool keeps_input_ = false;
  std::vector<Node> nodes_;
  std::size_t first_trained_ = 0;  // layers before it have nothing to learn: backward ends here
  std::size_t input_ = 0, scratch_ = 0, scratch_bytes_ = 0, arena_bytes_ = 0;
};

extern template class Network<float>;
extern template class Network<double>;

}  // namespace nn
