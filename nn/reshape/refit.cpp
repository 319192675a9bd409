#include "nn/reshape/refit.h"

namespace nn {
namespace {

/// Columns of kept units with the bias's, and those of removed units.
struct Columns {
  Columns(const Reader& reader, const std::vector<bool>& kept) {
    for (std::size_t c = 0; c < reader.inputs(); ++c) {
      (kept[reader.unit(c)] ? keep : remove).push_back(c);
    }
    keep.push_back(reader.inputs());
  }
  std::vector<std::size_t> keep, remove;
};

/// A^T A + lambda I, its lower triangle.
std::vector<double> ridge_matrix(const InputGram& gram, const std::vector<std::size_t>& columns,
                                 double ridge) {
  const std::size_t n = columns.size();
  double diagonal = 0;
  for (const std::size_t c : columns) diagonal += gram.at(c, c);
  std::vector<double> out(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) out[i * n + j] = gram.at(columns[i], columns[j]);
    out[i * n + i] += ridge * diagonal / static_cast<double>(n);
  }
  return out;
}

/// A^T H_R W_R, [kept columns, outputs].
template <class T>
std::vector<double> lost(const InputGram& gram, const Reader& reader, const Columns& columns,
                         std::span<const T> weights) {
  const std::size_t outputs = reader.outputs();
  std::vector<double> out(columns.keep.size() * outputs);
  for (std::size_t i = 0; i < columns.keep.size(); ++i) {
    for (const std::size_t r : columns.remove) {
      const double x = gram.at(columns.keep[i], r);
      for (std::size_t o = 0; o < outputs; ++o) {
        out[i * outputs + o] += x * static_cast<double>(weights[reader.element(r, o)]);
      }
    }
  }
  return out;
}

}  // namespace

template <class T>
void refit(const kern::LinearAlgebra& algebra, const InputGram& gram, const Reader& reader,
           const std::vector<bool>& kept, Net<T>& net) {
  const Columns columns(reader, kept);
  const std::size_t n = columns.keep.size(), outputs = reader.outputs();
  const auto target = lost(gram, reader, columns, std::span<const T>(net.copy(0)));
  std::vector<double> change;
  bool solved = false;
  for (double ridge = kRidge; !solved; ridge *= 10) {
    auto matrix = ridge_matrix(gram, columns.keep, ridge);
    change = target;
    solved = algebra.solve_positive(static_cast<int>(n), static_cast<int>(outputs), matrix.data(),
                                    change.data());
    if (!solved && ridge > 1) return;  // sums that are no numbers: the network has diverged
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t o = 0; o < outputs; ++o) {
      net.copy(0)[reader.element(columns.keep[i], o)] += static_cast<T>(change[i * outputs + o]);
    }
  }
}

template <class T>
double reading_error(const InputGram& gram, const Reader& reader, const std::vector<bool>& kept,
                     const Net<T>& before, const Net<T>& after) {
  const std::size_t n = reader.inputs() + 1;
  double sum = 0;
  std::vector<double> d(n);
  for (std::size_t o = 0; o < reader.outputs(); ++o) {
    for (std::size_t c = 0; c < n; ++c) {
      const std::size_t e = reader.element(c, o);
      const bool stays = c + 1 == n || kept[reader.unit(c)];
      const double now = stays ? static_cast<double>(after.copy(0)[e]) : 0;
      d[c] = now - static_cast<double>(before.copy(0)[e]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) sum += d[i] * d[j] * gram.at(i, j);
    }
  }
  return sum / (gram.rows * static_cast<double>(reader.outputs()));
}

template void refit(const kern::LinearAlgebra&, const InputGram&, const Reader&,
                    const std::vector<bool>&, Net<float>&);
template void refit(const kern::LinearAlgebra&, const InputGram&, const Reader&,
                    const std::vector<bool>&, Net<double>&);
template double reading_error(const InputGram&, const Reader&, const std::vector<bool>&,
                              const Net<float>&, const Net<float>&);
template double reading_error(const InputGram&, const Reader&, const std::vector<bool>&,
                              const Net<double>&, const Net<double>&);

}  // namespace nn
