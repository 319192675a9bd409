#pragma once
// What a kind of reshape operation is: one object per kind, listed in registry.cpp.

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/network/workspace.h"
#include "nn/reshape/net.h"
#include "nn/reshape/operation.h"

namespace nn {

/// What an operation works on. References live until run() returns.
template <class T>
struct ReshapeJob {
  ReshapeContext<T> hands;
  const Net<T>& from;           ///< in the kernels' memory
  const Operation& operation;   ///< complete
  const ModelSpec& to;          ///< what spec() said
  const DataView& calibration;  ///< the chosen rows; none unless needs_data()
  std::uint64_t seed;
  T* into = nullptr;  ///< room for the result of `promised`, as of Net::empty
  const ModelSpec* promised = nullptr;

  /// Room for a result of that spec, as of Net::empty; throws base::Error (internal) where
  /// another was promised.
  [[nodiscard]] T* room(const ModelSpec& spec) const;
};

class ReshapeKind {
 public:
  virtual ~ReshapeKind() = default;
  [[nodiscard]] virtual const KindInfo& info() const = 0;
  /// What the fields can't say one by one; throws SpecError (the caller adds kind and layer).
  virtual void check(const Operation&) const {}
  /// The spec afterwards (the largest it can be when size_depends_on_data). Throws SpecError, the
  /// caller adds kind and layer and completes the result.
  [[nodiscard]] virtual ModelSpec spec(const ModelSpec& from, const Operation& operation) const = 0;
  [[nodiscard]] virtual bool size_depends_on_data(const Operation&) const { return false; }
  [[nodiscard]] virtual bool needs_data(const Operation&) const { return false; }
  /// The spec of the result where only running it can tell: without `into`.
  [[nodiscard]] virtual ModelSpec measured_spec(const ReshapeJob<float>& job) const {
    return job.to;
  }
  /// Numbers that run() keeps in the kernels' memory beside passes that compute gradients; 0: it
  /// computes none.
  [[nodiscard]] virtual std::size_t gradient_numbers(const ModelSpec&, const Operation&) const {
    return 0;
  }
  /// As reshape_flops, for `rows` calibration rows.
  [[nodiscard]] virtual std::uint64_t flops(const ModelSpec&, const Operation&,
                                            std::uint64_t /*rows*/) const {
    return 0;
  }
  /// The result, whose numbers lie in job.room() of its spec.
  [[nodiscard]] virtual Net<float> run(const ReshapeJob<float>& job) const = 0;
  [[nodiscard]] virtual Net<double> run(const ReshapeJob<double>& job) const = 0;
};

/// The registry: every kind, and the one behind a word (throws SpecError naming the nearest known
/// kind).
[[nodiscard]] std::span<const ReshapeKind* const> reshape_kinds();
[[nodiscard]] const ReshapeKind& reshape_kind_of(std::string_view kind);

/// reshape() for numbers of any type, in the program's memory: tests run the operations in double
/// too.
template <class T>
[[nodiscard]] Net<T> reshape(const kern::Kernels<T>& kernels, Workspace& workspace,
                             const Net<T>& from, const Operation& operation,
                             const DataView& training, std::uint64_t seed);

extern template struct ReshapeJob<float>;
extern template struct ReshapeJob<double>;
extern template Net<float> reshape(const kern::Kernels<float>&, Workspace&, const Net<float>&,
                                   const Operation&, const DataView&, std::uint64_t);
extern template Net<double> reshape(const kern::Kernels<double>&, Workspace&, const Net<double>&,
                                    const Operation&, const DataView&, std::uint64_t);

}  // namespace nn
