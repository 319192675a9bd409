#include "nn/reshape/calibration.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "nn/layers/conv2d.h"
#include "nn/losses/loss.h"
#include "nn/network.h"
#include "nn/train.h"
#include "nn/trainer.h"

namespace nn {
namespace {

/// The calibration rows in chunks, each put where a network reads it.
template <class T>
class Chunks {
 public:
  Chunks(const ReshapeJob<T>& job, Use use)
      : job_(job),
        most_(evaluate_rows(*job.kernels.memory, job.from.spec())),
        network_(job.from.spec(), job.kernels, most_, use),
        reader_(network_, job.calibration),
        targets_(Block::aligned(network_.arena_bytes())),
        gradient_(targets_ + Block::aligned(reader_.target_bytes())),
        weights_(gradient_ + Block::aligned(job.from.layout.count * sizeof(T))),
        arena_(job.workspace.arena(weights_ + Block::aligned(job.from.layout.count * sizeof(T)))) {
    std::ranges::copy(job.from.copy(0), weights());
  }

  /// Calls f(first row, rows, target) with the rows in place.
  template <class F>
  void each(F f) {
    const auto& rows = job_.calibration.rows;
    const auto most = static_cast<std::size_t>(most_);
    for (std::size_t begin = 0; begin < rows.size(); begin += most) {
      const std::size_t count = std::min(most, rows.size() - begin);
      const Target target = reader_.read(arena_, arena_ + targets_, rows.subspan(begin, count));
      f(begin, static_cast<int>(count), target);
    }
  }

  [[nodiscard]] const Network<T>& network() const { return network_; }
  [[nodiscard]] std::byte* arena() const { return arena_; }
  [[nodiscard]] T* weights() const { return reinterpret_cast<T*>(arena_ + weights_); }
  [[nodiscard]] T* gradient() const { return reinterpret_cast<T*>(arena_ + gradient_); }

 private:
  const ReshapeJob<T>& job_;
  int most_;  ///< rows of a chunk
  Network<T> network_;
  BatchReader<T> reader_;
  std::size_t targets_, gradient_, weights_;
  std::byte* arena_;
};

/// The loss that calibration uses for these targets and a network with so many outputs.
template <class T>
std::unique_ptr<LossFunction<T>> loss_for(const Network<T>& network, const DataView& data) {
  const bool one_logit = data.labels != nullptr && network.outputs() == 1 && data.outputs == 2;
  const std::string kind = one_logit ? "bce" : data.labels != nullptr ? "cross_entropy" : "mse";
  check_fit(network, data, loss_of(kind));
  return loss_function<T>({kind, complete(loss_kind(kind), {}, kind)}, data);
}

/// Writes what a convolution sees at one position, in the order of its weights.
template <class T>
void read_patch(const kern::Window& w, const T* image, int position, T* out) {
  const int y0 = position / w.out_w * w.stride_h - w.pad_h;
  const int x0 = position % w.out_w * w.stride_w - w.pad_w;
  for (int y = y0; y < y0 + w.kernel_h * w.dilation_h; y += w.dilation_h) {
    for (int x = x0; x < x0 + w.kernel_w * w.dilation_w; x += w.dilation_w, out += w.in_c) {
      const bool inside = y >= 0 && y < w.in_h && x >= 0 && x < w.in_w;
      const T* pixel = image + (static_cast<std::ptrdiff_t>(y) * w.in_w + x) * w.in_c;
      for (int c = 0; c < w.in_c; ++c) out[c] = inside ? pixel[c] : T(0);
    }
  }
}

/// How one layer reads the rows that enter it: as they are, or patch by patch.
struct Reading {
  Reading(const ModelSpec& spec, std::size_t layer, std::size_t rows, Kept kept) {
    const Flow in = infer_flows(spec)[layer];
    inputs = static_cast<std::size_t>(in.shape.elements());
    columns = inputs;
    if (spec.layers[layer].kind != "conv2d") return;
    window = Conv2d::from(spec.layers[layer].fields, in.shape).window;
    columns = static_cast<std::size_t>(window.kernel_h * window.kernel_w * window.in_c);
    positions = static_cast<std::size_t>(window.out_h * window.out_w);
    used = kept == Kept::sums ? positions : std::clamp<std::size_t>(kGramRows / rows, 1, positions);
    while (std::gcd(step, positions) != 1) ++step;
  }

  /// Position number i of those used for a row; they move from row to row, through all of them.
  [[nodiscard]] int position(std::size_t row, std::size_t i) const {
    return static_cast<int>((i * positions / used + row * step) % positions);
  }

  kern::Window window;
  std::size_t inputs = 0, columns = 0, positions = 0, used = 1;
  std::size_t step = 7;  ///< from one row's positions to the next one's
};

}  // namespace

std::size_t kept_rows(std::size_t columns, std::size_t rows) {
  constexpr std::size_t kNumbers = std::size_t{1} << 24;
  return std::max<std::size_t>(1, std::min(kNumbers / columns, rows));
}

template <class T>
LayerInputs<T> layer_inputs(const ReshapeJob<T>& job, std::size_t layer, Kept kept) {
  Chunks<T> chunks(job, Use::inference);
  const Reading reading(job.from.spec(), layer, job.calibration.rows.size(), kept);
  LayerInputs<T> out;
  const std::size_t columns = out.columns = reading.columns + 1;
  out.rows = job.calibration.rows.size() * reading.used;
  out.sums.resize(columns);
  out.squares.resize(columns);
  const bool gram = kept == Kept::all && keeps_gram(columns, out.rows);
  const bool samples = kept == Kept::all && !gram;
  const std::size_t most = samples ? kept_rows(columns, out.rows) : 0;
  if (gram) out.gram.resize(columns * columns);
  out.samples.reserve(most * columns);
  constexpr std::size_t kSome = 128;  // rows of a product
  std::vector<T> seen(columns, 1);
  std::vector<double> some;
  const auto add_some = [&] {
    const std::size_t rows = some.size() / columns;
    if (rows > 0)
      job.kernels.algebra->add_gram(static_cast<int>(rows), static_cast<int>(columns), some.data(),
                                    out.gram.data());
    some.clear();
  };
  std::size_t number = 0;
  chunks.each([&](std::size_t begin, int rows, const Target&) {
    const T* x = chunks.network().forward_to(chunks.arena(), chunks.weights(), rows, layer);
    const std::size_t count = static_cast<std::size_t>(rows) * reading.used;
    for (std::size_t i = 0; i < count; ++i, ++number) {
      const std::size_t row = i / reading.used;
      const T* from = x + row * reading.inputs;
      if (reading.positions == 0) {
        std::copy_n(from, reading.inputs, seen.data());
      } else {
        read_patch(reading.window, from, reading.position(begin + row, i % reading.used),
                   seen.data());
      }
      for (std::size_t c = 0; c < columns; ++c) {
        const auto value = static_cast<double>(seen[c]);
        out.sums[c] += value;
        out.squares[c] += value * value;
      }
      if (gram) some.insert(some.end(), seen.begin(), seen.end());
      if (gram && some.size() == kSome * columns) add_some();
      if ((number + 1) * most / out.rows > number * most / out.rows)
        out.samples.insert(out.samples.end(), seen.begin(), seen.end());
    }
  });
  if (gram) add_some();
  return out;
}

template <class T>
std::vector<double> bridge_gradient(const ReshapeJob<T>& job, std::size_t layer,
                                    std::size_t later) {
  Chunks<T> chunks(job, Use::training);
  const auto flows = infer_flows(job.from.spec());
  const auto inputs = static_cast<std::size_t>(flows[layer].shape.elements());
  const auto units = static_cast<std::size_t>(flows[later + 1].shape.elements());
  const auto loss = loss_for(chunks.network(), job.calibration);
  std::vector<T> sum(units * inputs);
  chunks.each([&](std::size_t, int rows, const Target& target) {
    const T scale = T(1) / static_cast<T>(job.calibration.rows.size());
    const auto around =
        chunks.network().gradients_around(layer, later, chunks.arena(), chunks.weights(), rows,
                                          *loss, target, scale, chunks.gradient());
    kern::Exec exec = chunks.network().exec(chunks.arena());
    job.kernels.gemm(exec, {.trans_a = true,
                            .m = static_cast<int>(units),
                            .n = static_cast<int>(inputs),
                            .k = rows,
                            .a = around.dz,
                            .lda = static_cast<int>(units),
                            .b = around.x,
                            .ldb = static_cast<int>(inputs),
                            .beta = 1,
                            .c = sum.data(),
                            .ldc = static_cast<int>(inputs)});
  });
  return {sum.begin(), sum.end()};
}

template <class T>
std::vector<double> gate_gradients(const ReshapeJob<T>& job, const std::vector<Reader>& readers,
                                   std::size_t count) {
  Chunks<T> chunks(job, Use::training);
  const auto loss = loss_for(chunks.network(), job.calibration);
  std::vector<double> out(count), gate(count);
  chunks.each([&](std::size_t, int rows, const Target& target) {
    (void)chunks.network().loss_and_gradient(chunks.arena(), chunks.weights(), rows, *loss, target,
                                             T(1) / static_cast<T>(rows), chunks.gradient());
    std::ranges::fill(gate, 0);
    for (const Reader& reader : readers) {
      for (std::size_t c = 0; c < reader.inputs(); ++c) {
        for (std::size_t o = 0; o < reader.outputs(); ++o) {
          const std::size_t e = reader.element(c, o);
          gate[reader.unit(c)] +=
              static_cast<double>(chunks.weights()[e]) * static_cast<double>(chunks.gradient()[e]);
        }
      }
    }
    for (std::size_t u = 0; u < count; ++u) {
      out[u] += gate[u] * gate[u] * rows / static_cast<double>(job.calibration.rows.size());
    }
  });
  return out;
}

template LayerInputs<float> layer_inputs(const ReshapeJob<float>&, std::size_t, Kept);
template LayerInputs<double> layer_inputs(const ReshapeJob<double>&, std::size_t, Kept);
template std::vector<double> bridge_gradient(const ReshapeJob<float>&, std::size_t, std::size_t);
template std::vector<double> bridge_gradient(const ReshapeJob<double>&, std::size_t, std::size_t);
template std::vector<double> gate_gradients(const ReshapeJob<float>&, const std::vector<Reader>&,
                                            std::size_t);
template std::vector<double> gate_gradients(const ReshapeJob<double>&, const std::vector<Reader>&,
                                            std::size_t);

}  // namespace nn
