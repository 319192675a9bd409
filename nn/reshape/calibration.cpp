#include "nn/reshape/calibration.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "nn/data/feed.h"
#include "nn/layers/conv2d.h"
#include "nn/losses/loss.h"
#include "nn/network/brought_here.h"
#include "nn/network/flow.h"
#include "nn/network/network.h"
#include "nn/training/batch_reader.h"
#include "nn/training/random.h"
#include "nn/training/train.h"

namespace nn {
namespace {

/// The calibration rows in chunks, each put where a network reads it.
template <class T>
class Chunks {
 public:
  /// `numbers` are what the caller keeps in the kernels' memory from chunk to chunk, zero at first.
  Chunks(const ReshapeJob<T>& job, Use use, std::size_t numbers = 0)
      : job_(job),
        memory_(*job.hands.kernels.memory),
        most_(calibration_chunk(memory_, job.from.spec(), use)),
        network_(job.from.spec(), job.hands.kernels, most_, use),
        reader_(network_, job.calibration),
        targets_(Block::aligned(network_.arena_bytes())),
        numbers_(targets_ + Block::aligned(reader_.target_bytes())),
        feed_(numbers_ + Block::aligned(numbers * sizeof(T))),
        arena_(job.hands.workspace.arena(feed_ + feed_bytes(), memory_)) {
    memory_.zero(this->numbers(), numbers * sizeof(T));
  }

  /// Calls f(first row, rows, target) with the rows in place.
  template <class F>
  void each(F f) {
    const auto& rows = job_.calibration.rows;
    const auto most = static_cast<std::size_t>(most_);
    const auto feed = fed() ? std::make_unique<TableFeed>(
                                  memory_, job_.calibration, most, arena_ + feed_,
                                  job_.hands.workspace.arena(
                                      TableFeed::bytes_staged(feed_shape(job_.calibration), most),
                                      *kern::feed_of(memory_).staging))
                            : nullptr;
    for (std::size_t begin = 0; begin < rows.size(); begin += most) {
      const auto some = rows.subspan(begin, std::min(most, rows.size() - begin));
      const Target target = feed ? read(*feed, some) : reader_.read(arena_, targets(), some);
      f(begin, static_cast<int>(some.size()), target);
    }
  }

  [[nodiscard]] const Network<T>& network() const { return network_; }
  [[nodiscard]] std::byte* arena() const { return arena_; }
  [[nodiscard]] const T* weights() const { return job_.from.copy(0).data(); }
  [[nodiscard]] T* numbers() const { return reinterpret_cast<T*>(arena_ + numbers_); }

 private:
  [[nodiscard]] std::byte* targets() const { return arena_ + targets_; }
  [[nodiscard]] bool fed() const { return is_fed(memory_, job_.calibration); }
  [[nodiscard]] std::size_t feed_bytes() const {
    return fed() ? TableFeed::bytes_there(feed_shape(job_.calibration),
                                          static_cast<std::size_t>(most_))
                 : 0;
  }
  [[nodiscard]] Target read(TableFeed& feed, std::span<const std::uint32_t> rows) const {
    std::vector<std::uint32_t> places(rows.size());
    std::iota(places.begin(), places.end(), 0U);
    feed.ask(rows);
    const Target target = reader_.read(arena_, targets(), feed.take(), places);
    feed.give_back();
    return target;
  }

  const ReshapeJob<T>& job_;
  const kern::Memory& memory_;
  int most_;  ///< rows of a chunk
  Network<T> network_;
  BatchReader<T> reader_;
  std::size_t targets_, numbers_, feed_;  ///< where they begin in the arena
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

std::vector<std::uint32_t> calibration_rows(std::span<const std::uint32_t> rows,
                                            std::int64_t most) {
  std::vector<std::uint32_t> chosen;
  epoch_order(RandomKey{}.derive("calibration").value, 0, static_cast<std::uint32_t>(rows.size()),
              chosen);
  chosen.resize(std::min(rows.size(), static_cast<std::size_t>(most)));
  std::ranges::sort(chosen);
  for (auto& row : chosen) row = rows[row];
  return chosen;
}

int calibration_chunk(const kern::Memory& memory, const ModelSpec& spec, Use use) {
  return evaluate_rows(use == Use::training ? kern::kOwnMemory : memory, spec);
}

std::size_t calibration_memory(const kern::Kernels<float>& kernels, const ModelSpec& spec,
                               Use use) {
  const Network<float> network(spec, kernels, calibration_chunk(*kernels.memory, spec, use), use);
  return Block::aligned(network.arena_bytes()) +
         Block::aligned(BatchReader<float>(network, DataView{}).target_bytes());
}

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
  const kern::Kernels<T>& kernels = job.hands.kernels;
  std::vector<T> seen(columns, 1), copy;
  std::vector<double> some;
  const auto add_some = [&] {
    const std::size_t rows = some.size() / columns;
    if (rows > 0)
      kernels.algebra->add_gram(static_cast<int>(rows), static_cast<int>(columns), some.data(),
                                out.gram.data());
    some.clear();
  };
  std::size_t number = 0;
  chunks.each([&](std::size_t begin, int rows, const Target&) {
    const T* x = brought_here(
        *kernels.memory, chunks.network().forward_to(chunks.arena(), chunks.weights(), rows, layer),
        static_cast<std::size_t>(rows) * reading.inputs, copy);
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
LayerValues layer_values(const ReshapeJob<T>& job, std::size_t layer) {
  Chunks<T> chunks(job, Use::inference);
  const auto elements =
      static_cast<std::size_t>(infer_flows(job.from.spec())[layer].shape.elements());
  LayerValues out{std::vector<double>(elements), std::vector<double>(elements)};
  std::vector<T> copy;
  chunks.each([&](std::size_t, int rows, const Target&) {
    const T* x =
        brought_here(*job.hands.kernels.memory,
                     chunks.network().forward_to(chunks.arena(), chunks.weights(), rows, layer),
                     static_cast<std::size_t>(rows) * elements, copy);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows) * elements; ++i) {
      const auto value = static_cast<double>(x[i]);
      out.sums[i % elements] += value;
      out.squares[i % elements] += value * value;
    }
  });
  return out;
}

std::size_t bridge_numbers(const ModelSpec& spec, std::size_t layer, std::size_t later) {
  const auto flows = infer_flows(spec);
  return param_layout(spec).count + static_cast<std::size_t>(flows[layer].shape.elements()) *
                                        static_cast<std::size_t>(flows[later + 1].shape.elements());
}

template <class T>
std::vector<double> bridge_gradient(const ReshapeJob<T>& job, std::size_t layer,
                                    std::size_t later) {
  const std::size_t numbers = bridge_numbers(job.from.spec(), layer, later);
  Chunks<T> chunks(job, Use::training, numbers);
  T* const gradient = chunks.numbers();
  T* const sum = gradient + job.from.layout.count;
  const auto flows = infer_flows(job.from.spec());
  const auto inputs = static_cast<int>(flows[layer].shape.elements());
  const auto units = static_cast<int>(flows[later + 1].shape.elements());
  const auto loss = loss_for(chunks.network(), job.calibration);
  chunks.each([&](std::size_t, int rows, const Target& target) {
    const T scale = T(1) / static_cast<T>(job.calibration.rows.size());
    const auto around = chunks.network().gradients_around(
        layer, later, chunks.arena(), chunks.weights(), rows, *loss, target, scale, gradient);
    kern::Exec exec = chunks.network().exec(chunks.arena());
    job.hands.kernels.gemm(exec, {.trans_a = true,
                                  .m = units,
                                  .n = inputs,
                                  .k = rows,
                                  .a = around.dz,
                                  .lda = units,
                                  .b = around.x,
                                  .ldb = inputs,
                                  .beta = 1,
                                  .c = sum,
                                  .ldc = inputs});
  });
  std::vector<T> copy;
  const std::size_t count = numbers - job.from.layout.count;
  const T* here = brought_here(*job.hands.kernels.memory, sum, count, copy);
  return {here, here + count};
}

template <class T>
std::vector<std::vector<double>> gate_gradients(const ReshapeJob<T>& job,
                                                const std::vector<Gates>& groups) {
  Chunks<T> chunks(job, Use::training, job.from.layout.count);
  const kern::Memory& memory = *job.hands.kernels.memory;
  const auto loss = loss_for(chunks.network(), job.calibration);
  std::vector<std::vector<Fetched<T>>> weights(groups.size());
  std::vector<std::vector<double>> out(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    out[g].resize(groups[g].count);
    for (const Reader& reader : groups[g].readers)
      weights[g].emplace_back(memory, chunks.weights(), job.from.layout.tensors[reader.weight()]);
  }
  const auto add = [&](const Gates& group, const std::vector<Fetched<T>>& read, double share,
                       std::vector<double>& sums) {
    std::vector<double> gate(group.count);
    for (std::size_t r = 0; r < group.readers.size(); ++r) {
      const Reader& reader = group.readers[r];
      const Fetched<T> gradient(memory, chunks.numbers(), job.from.layout.tensors[reader.weight()]);
      for (std::size_t c = 0; c < reader.inputs(); ++c) {
        for (std::size_t o = 0; o < reader.outputs(); ++o) {
          const std::size_t e = reader.element(c, o);
          gate[reader.unit(c)] +=
              static_cast<double>(read[r][e]) * static_cast<double>(gradient[e]);
        }
      }
    }
    for (std::size_t u = 0; u < gate.size(); ++u) sums[u] += gate[u] * gate[u] * share;
  };
  chunks.each([&](std::size_t, int rows, const Target& target) {
    (void)chunks.network().loss_and_gradient(chunks.arena(), chunks.weights(), rows, *loss, target,
                                             T(1) / static_cast<T>(rows), chunks.numbers());
    const double share = rows / static_cast<double>(job.calibration.rows.size());
    for (std::size_t g = 0; g < groups.size(); ++g) add(groups[g], weights[g], share, out[g]);
  });
  return out;
}

template LayerInputs<float> layer_inputs(const ReshapeJob<float>&, std::size_t, Kept);
template LayerInputs<double> layer_inputs(const ReshapeJob<double>&, std::size_t, Kept);
template LayerValues layer_values(const ReshapeJob<float>&, std::size_t);
template std::vector<double> bridge_gradient(const ReshapeJob<float>&, std::size_t, std::size_t);
template std::vector<double> bridge_gradient(const ReshapeJob<double>&, std::size_t, std::size_t);
template std::vector<std::vector<double>> gate_gradients(const ReshapeJob<float>&,
                                                         const std::vector<Gates>&);
template std::vector<std::vector<double>> gate_gradients(const ReshapeJob<double>&,
                                                         const std::vector<Gates>&);

}  // namespace nn
