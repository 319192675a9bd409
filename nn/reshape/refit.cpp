#include "nn/reshape/refit.h"

#include <algorithm>
#include <span>

#include "kernels/product.h"

namespace nn {
namespace {

using Columns = std::span<const std::size_t>;

/// Calls f with `columns` in pieces.
template <class F>
void by_pieces(const std::vector<std::size_t>& columns, F f) {
  constexpr std::size_t kPiece = 256;
  for (std::size_t begin = 0; begin < columns.size(); begin += kPiece)
    f(begin, Columns(columns).subspan(begin, std::min(kPiece, columns.size() - begin)));
}

/// c[m, n] += a b.
void add_product(std::size_t m, std::size_t n, std::size_t k, const std::vector<double>& a,
                 const std::vector<double>& b, double* c) {
  kern::add_product(static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), a.data(),
                    b.data(), c);
}

/// The fit of one reader.
template <class T>
class Fit {
 public:
  Fit(const kern::LinearAlgebra& algebra, const LayerInputs<T>& seen, const Reader& reader,
      const std::vector<bool>& kept, const Fetched<T>& weights)
      : algebra_(algebra),
        seen_(seen),
        reader_(reader),
        outputs_(reader.outputs()),
        weights_(weights) {
    for (std::size_t c = 0; c < reader.inputs(); ++c) {
      (kept[reader.unit(c)] ? keep_ : remove_).push_back(c);
    }
    keep_.push_back(reader.inputs());
  }

  [[nodiscard]] std::vector<T> of_gram() {
    const std::size_t n = keep_.size();
    std::vector<double> matrix(n * n);
    double diagonal = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[i * n + j] = seen_.at(keep_[i], keep_[j]);
      diagonal += matrix[i * n + i];
    }
    const auto change = solved(matrix, lost_by_gram(), diagonal / static_cast<double>(n));
    std::vector<T> out;
    append(change, out);
    return out;
  }

  [[nodiscard]] std::vector<T> of_samples() {
    const std::size_t rows = seen_.samples.size() / seen_.columns;
    std::vector<double> matrix(rows * rows);
    by_pieces(keep_, [&](std::size_t, Columns columns) {
      algebra_.add_gram(static_cast<int>(columns.size()), static_cast<int>(rows),
                        turned_samples(columns, rows).data(), matrix.data());
    });
    double diagonal = 0;
    for (std::size_t i = 0; i < rows; ++i) diagonal += matrix[i * rows + i];
    const auto shares =
        solved(matrix, lost_by_samples(rows), diagonal / static_cast<double>(keep_.size()));
    std::vector<T> out;
    if (shares.empty()) return out;
    by_pieces(keep_, [&](std::size_t, Columns columns) {
      std::vector<double> change(columns.size() * outputs_);
      add_product(columns.size(), outputs_, rows, turned_samples(columns, rows), shares,
                  change.data());
      append(change, out);
    });
    return out;
  }

 private:
  /// A^T H_R W_R, [kept columns, outputs].
  [[nodiscard]] std::vector<double> lost_by_gram() const {
    const std::vector<double> weights = weights_of(Columns(remove_));
    std::vector<double> out(keep_.size() * outputs_), products;
    by_pieces(keep_, [&](std::size_t begin, Columns columns) {
      products.clear();
      for (const std::size_t c : columns) {
        for (const std::size_t r : remove_) products.push_back(seen_.at(c, r));
      }
      add_product(columns.size(), outputs_, remove_.size(), products, weights,
                  out.data() + begin * outputs_);
    });
    return out;
  }

  /// H_R W_R, [rows, outputs].
  [[nodiscard]] std::vector<double> lost_by_samples(std::size_t rows) const {
    std::vector<double> out(rows * outputs_), some;
    by_pieces(remove_, [&](std::size_t, Columns columns) {
      some.clear();
      for (std::size_t row = 0; row < rows; ++row) {
        for (const std::size_t c : columns) some.push_back(sample(row, c));
      }
      add_product(rows, outputs_, columns.size(), some, weights_of(columns), out.data());
    });
    return out;
  }

  [[nodiscard]] double sample(std::size_t row, std::size_t column) const {
    return static_cast<double>(seen_.samples[row * seen_.columns + column]);
  }

  /// [columns, rows].
  [[nodiscard]] std::vector<double> turned_samples(Columns columns, std::size_t rows) const {
    std::vector<double> out(columns.size() * rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < columns.size(); ++i)
        out[i * rows + row] = sample(row, columns[i]);
    }
    return out;
  }

  /// [columns, outputs].
  [[nodiscard]] std::vector<double> weights_of(Columns columns) const {
    std::vector<double> out;
    out.reserve(columns.size() * outputs_);
    for (const std::size_t c : columns) {
      for (std::size_t o = 0; o < outputs_; ++o)
        out.push_back(static_cast<double>(weights_[reader_.element(c, o)]));
    }
    return out;
  }

  /// (matrix + kRidge scale I)^-1 target, or with a larger ridge; empty where the sums are no
  /// numbers, because the network has diverged.
  [[nodiscard]] std::vector<double> solved(const std::vector<double>& matrix,
                                           const std::vector<double>& target, double scale) const {
    const std::size_t n = target.size() / outputs_;
    for (double ridge = kRidge; ridge <= 10; ridge *= 10) {
      std::vector<double> factors = matrix, out = target;
      for (std::size_t i = 0; i < n; ++i) factors[i * n + i] += ridge * scale;
      if (algebra_.solve_positive(static_cast<int>(n), static_cast<int>(outputs_), factors.data(),
                                  out.data()))
        return out;
    }
    return {};
  }

  static void append(const std::vector<double>& change, std::vector<T>& out) {
    for (const double value : change) out.push_back(static_cast<T>(value));
  }

  const kern::LinearAlgebra& algebra_;
  const LayerInputs<T>& seen_;
  const Reader& reader_;
  std::size_t outputs_;
  const Fetched<T>& weights_;
  std::vector<std::size_t> keep_, remove_;  ///< columns of kept units with the bias's; the others
};

}  // namespace

template <class T>
std::vector<T> refit(const kern::LinearAlgebra& algebra, const LayerInputs<T>& seen,
                     const Reader& reader, const std::vector<bool>& kept,
                     const Fetched<T>& weights) {
  Fit<T> fit(algebra, seen, reader, kept, weights);
  return seen.gram.empty() ? fit.of_samples() : fit.of_gram();
}

template <class T>
void change_reader(const ReshapeContext<T>& hands, Net<T>& net, const Reader& reader,
                   std::span<const std::size_t> outputs, std::span<const T> change) {
  const std::size_t columns = reader.inputs(), width = change.size() / (columns + 1);
  const ParamTensor& weight = net.layout.tensors[reader.weight()];
  std::vector<T> list(weight.count), bias;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    for (std::size_t c = 0; c < columns; ++c)
      list[reader.element(c, o) - weight.offset] = change[c * width + outputs[o]];
    bias.push_back(change[columns * width + outputs[o]]);
  }
  add_to_tensor<T>(hands, net.copy(0).data(), weight, list);
  add_to_tensor<T>(hands, net.copy(0).data(), net.layout.tensors[reader.bias()], bias);
}

template std::vector<float> refit(const kern::LinearAlgebra&, const LayerInputs<float>&,
                                  const Reader&, const std::vector<bool>&, const Fetched<float>&);
template std::vector<double> refit(const kern::LinearAlgebra&, const LayerInputs<double>&,
                                   const Reader&, const std::vector<bool>&, const Fetched<double>&);
template void change_reader(const ReshapeContext<float>&, Net<float>&, const Reader&,
                            std::span<const std::size_t>, std::span<const float>);
template void change_reader(const ReshapeContext<double>&, Net<double>&, const Reader&,
                            std::span<const std::size_t>, std::span<const double>);

}  // namespace nn
