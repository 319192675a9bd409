#pragma once
// Reshape operations: what can be done to the shape of a network while it trains, as values.
//
//   nn::Operation op{"widen", "fc1", {{"by", std::int64_t{16}}}};
//   nn::ModelSpec wider = nn::reshaped(net.spec(), op);                          // before running
//   nn::ParamSlab grown = nn::reshape(kernels, workspace, net, op, train_rows, seed);
//
// An operation names a layer, never a position. `reshaped` is a pure function of the spec, so what
// can't be done to a network is known before anything runs; `reshape` makes the new network from
// the old one, optimizer state included. Kinds are in a registry (nn/reshape/README.md); the study
// file's words, their documentation and messages follow from its table.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "nn/fields.h"
#include "nn/model/spec.h"

namespace nn {

/// One change of shape: the kind's word, the layer it starts from, the fields. Encodable.
struct Operation {
  std::string kind;
  std::string layer;
  Fields fields;
  auto operator<=>(const Operation&) const = default;
};

/// Every kind of operation, in the order of the registry. Valid for the life of the process; any
/// thread.
[[nodiscard]] std::span<const KindInfo> operation_kinds();

/// The table entry of a kind; throws SpecError naming the nearest known kind.
[[nodiscard]] const KindInfo& operation_kind(std::string_view kind);

/// `operation` with every field present and checked. Throws SpecError with the field's name where
/// one is at fault ("widen fc1: by must be ..."). Whether a network allows it: `reshaped`.
[[nodiscard]] Operation complete(const Operation& operation);

/// The spec after `operation`, canonical. `spec` is canonical, output layer included. Throws
/// SpecError with the reason when it can't be done to this network: an unknown layer (with the
/// nearest name), a layer without units of its own, the output layer, units tied to the input,
/// units that a layer norm mixes, fewer than one unit left. Where the size depends on the weights
/// or the data (`size_depends_on_data`) the answer is the largest it can be.
[[nodiscard]] ModelSpec reshaped(const ModelSpec& spec, const Operation& operation);

/// The same, where the result may have at most `most` weights (0: any number). Throws SpecError for
/// more, too.
[[nodiscard]] ModelSpec reshaped_within(const ModelSpec& spec, const Operation& operation,
                                        std::uint64_t most);

/// Whether only running it can tell how many units are left: the spec is then that of the result.
[[nodiscard]] bool size_depends_on_data(const Operation& operation);

/// Whether it looks at rows of the training data (calibration): a scored or refitted shrink,
/// GradMax, NeST.
[[nodiscard]] bool needs_data(const Operation& operation);

/// Counted arithmetic of running it on a network for a training part of `rows` rows: passes over
/// the calibration rows and least squares, by the rule of flops_per_row. 0 without data.
[[nodiscard]] std::uint64_t reshape_flops(const ModelSpec& spec, const Operation& operation,
                                          std::uint64_t rows);

/// "widen fc1 by 16 (fresh)": one line for people; fields at their default are left out.
[[nodiscard]] std::string describe(const Operation& operation);

/// The layers of `spec` whose units can be widened or shrunk, in order; of layers that share their
/// units (a residual sum) the first stands for all. For policies that try what there is.
[[nodiscard]] std::vector<std::string> resizable_layers(const ModelSpec& spec);

}  // namespace nn
