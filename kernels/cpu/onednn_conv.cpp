// Activations stay NHWC, which costs oneDNN a few percent at most; weights are turned into the
// format that a primitive asks for at every call, because an optimizer changes them between any
// two.

#include "kernels/cpu/onednn_conv.h"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <vector>

#include <dnnl.hpp>

namespace kern::cpu {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

struct Key {
  std::array<int, 18> fields;
  auto operator<=>(const Key&) const = default;
};

Key key_of(ConvStep step, const Window& w, bool bias) {
  return {{static_cast<int>(step), w.batch, w.in_h, w.in_w, w.in_c, w.out_h, w.out_w, w.out_c,
           w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.pad_h, w.pad_w, w.dilation_h,
           w.dilation_w, w.groups, bias}};
}

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

std::size_t round_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Zeros beyond the last pixel along one side.
memory::dim beyond(int out, int stride, int kernel, int dilation, int in, int pad) {
  return std::max(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - in - pad);
}

/// Groups are an axis of their own to oneDNN, before the output channels.
memory::dims weight_dims(const Window& w) {
  const memory::dims plain{w.out_c / w.groups, w.in_c / w.groups, w.kernel_h, w.kernel_w};
  if (w.groups == 1) return plain;
  return {w.groups, plain[0], plain[1], plain[2], plain[3]};
}

/// The descriptions of a convolution's operands as oneDNN wants them.
struct Geometry {
  explicit Geometry(const Window& w)
      : x({w.batch, w.in_c, w.in_h, w.in_w}, memory::data_type::f32, Tag::nhwc),
        any_weights(weight_dims(w), memory::data_type::f32, Tag::any),
        our_weights(weight_dims(w), memory::data_type::f32, w.groups == 1 ? Tag::ohwi : Tag::gohwi),
        bias({w.out_c}, memory::data_type::f32, Tag::x),
        y({w.batch, w.out_c, w.out_h, w.out_w}, memory::data_type::f32, Tag::nhwc),
        strides{w.stride_h, w.stride_w},
        dilates{w.dilation_h - 1, w.dilation_w - 1},
        left{w.pad_h, w.pad_w},
        right{beyond(w.out_h, w.stride_h, w.kernel_h, w.dilation_h, w.in_h, w.pad_h),
              beyond(w.out_w, w.stride_w, w.kernel_w, w.dilation_w, w.in_w, w.pad_w)} {}
  memory::desc x, any_weights, our_weights, bias, y;
  memory::dims strides, dilates, left, right;
};

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return attr;
}

constexpr auto kDirect = dnnl::algorithm::convolution_direct;
constexpr auto kTraining = dnnl::prop_kind::forward_training;

dnnl::convolution_forward::primitive_desc forward_desc(const Geometry& g, bool bias) {
  const memory::desc b = bias ? g.bias : memory::desc();
#if DNNL_VERSION_MAJOR >= 3
  return {cpu_engine(), kTraining, kDirect,   g.x,    g.any_weights, b,
          g.y,          g.strides, g.dilates, g.left, g.right,       attributes()};
#else
  return {{kTraining, kDirect, g.x, g.any_weights, b, g.y, g.strides, g.dilates, g.left, g.right},
          attributes(),
          cpu_engine()};
#endif
}

dnnl::convolution_backward_data::primitive_desc backward_data_desc(const Geometry& g) {
  const auto hint = forward_desc(g, false);
#if DNNL_VERSION_MAJOR >= 3
  return {cpu_engine(), kDirect, g.x,     g.any_weights, g.y,         g.strides,
          g.dilates,    g.left,  g.right, hint,          attributes()};
#else
  return {{kDirect, g.x, g.any_weights, g.y, g.strides, g.dilates, g.left, g.right},
          attributes(),
          cpu_engine(),
          hint};
#endif
}

dnnl::convolution_backward_weights::primitive_desc backward_weights_desc(const Geometry& g) {
  const auto hint = forward_desc(g, false);
#if DNNL_VERSION_MAJOR >= 3
  return {cpu_engine(), kDirect, g.x,     g.any_weights, g.y,         g.strides,
          g.dilates,    g.left,  g.right, hint,          attributes()};
#else
  return {{kDirect, g.x, g.any_weights, g.y, g.strides, g.dilates, g.left, g.right},
          attributes(),
          cpu_engine(),
          hint};
#endif
}

/// One operand of a primitive: its slot and the memory object whose address changes from call to
/// call.
struct Operand {
  Operand(int argument, const memory::desc& desc)
      : slot(argument), object(desc, cpu_engine(), nullptr) {}
  [[nodiscard]] dnnl_exec_arg_t at(const void* p) {
    object.set_data_handle(const_cast<void*>(p));
    return {slot, object.get()};
  }
  int slot;
  memory object;
};

/// A primitive with everything that one call needs. The scratch memory holds the packed weights,
/// then oneDNN's own.
struct Plan {
  template <class Desc>
  Plan(const Desc& desc, int weights_slot, const memory::desc& weights, const Geometry& g)
      : primitive(desc),
        packed(weights_slot, weights),
        scratchpad(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc()),
        packed_bytes(weights == g.our_weights ? 0 : round_up(weights.get_size())),
        scratch_bytes(packed_bytes + round_up(desc.scratchpad_desc().get_size())) {
    if (packed_bytes == 0) return;
    const bool back = weights_slot == DNNL_ARG_DIFF_WEIGHTS;
    ours.emplace(back ? DNNL_ARG_TO : DNNL_ARG_FROM, g.our_weights);
    theirs.emplace(back ? DNNL_ARG_FROM : DNNL_ARG_TO, weights);
    reorder =
        dnnl::reorder(dnnl::reorder::primitive_desc(cpu_engine(), back ? weights : g.our_weights,
                                                    cpu_engine(), back ? g.our_weights : weights));
  }
  dnnl::primitive primitive;
  dnnl::reorder reorder;
  Operand packed, scratchpad;
  std::optional<Operand> ours, theirs;  ///< of the reorder
  std::vector<Operand>
      operands;  ///< of the primitive, in the order in which a call passes pointers
  std::size_t packed_bytes, scratch_bytes;
};

Plan make_plan(ConvStep step, const Window& w, bool bias) {
  const Geometry g(w);
  if (step == ConvStep::forward) {
    const auto desc = forward_desc(g, bias);
    Plan plan(desc, DNNL_ARG_WEIGHTS, desc.weights_desc(), g);
    plan.operands = {{DNNL_ARG_SRC, g.x}, {DNNL_ARG_DST, g.y}};
    if (bias) plan.operands.emplace_back(DNNL_ARG_BIAS, g.bias);
    return plan;
  }
  if (step == ConvStep::backward_data) {
    const auto desc = backward_data_desc(g);
    Plan plan(desc, DNNL_ARG_WEIGHTS, desc.weights_desc(), g);
    plan.operands = {{DNNL_ARG_DIFF_DST, g.y}, {DNNL_ARG_DIFF_SRC, g.x}};
    return plan;
  }
  const auto desc = backward_weights_desc(g);
  Plan plan(desc, DNNL_ARG_DIFF_WEIGHTS, desc.diff_weights_desc(), g);
  plan.operands = {{DNNL_ARG_SRC, g.x}, {DNNL_ARG_DIFF_DST, g.y}};
  return plan;
}

Plan& plan_for(ConvStep step, const Window& w, bool bias) {
  // A search meets new shapes for as long as it runs; what a thread keeps has to end somewhere.
  constexpr std::size_t kMostPlans = 256;
  static thread_local std::map<Key, Plan> plans;
  const Key key = key_of(step, w, bias);
  const auto found = plans.find(key);
  if (found != plans.end()) return found->second;
  if (plans.size() >= kMostPlans) plans.clear();
  return plans.emplace(key, make_plan(step, w, bias)).first->second;
}

// The C interface, because the C++ one builds a map of arguments at every call.
template <std::size_t N>
void execute(const dnnl::primitive& primitive, std::array<dnnl_exec_arg_t, N> args,
             std::size_t count) {
  static thread_local const dnnl::stream stream(cpu_engine());
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(count), args.data()),
      "kernels: oneDNN could not run a convolution");
}

void run(Exec& exec, Plan& plan, std::array<const void*, 3> pointers, const float* weights,
         bool weights_are_result) {
  const void* packed = plan.packed_bytes == 0 ? static_cast<const void*>(weights) : exec.scratch;
  const auto reorder = [&] {
    const auto ours = plan.ours->at(weights), theirs = plan.theirs->at(packed);
    execute<2>(plan.reorder, {ours, theirs}, 2);
  };
  if (plan.packed_bytes != 0 && !weights_are_result) reorder();
  std::array<dnnl_exec_arg_t, 5> args{};
  std::size_t count = 0;
  for (Operand& operand : plan.operands) {
    args[count] = operand.at(pointers[count]);
    ++count;
  }
  args[count++] = plan.packed.at(packed);
  args[count++] = plan.scratchpad.at(exec.scratch + plan.packed_bytes);
  execute(plan.primitive, args, count);
  if (plan.packed_bytes != 0 && weights_are_result) reorder();
}

}  // namespace

void onednn_conv_forward(Exec& exec, const Window& g, const float* x, const float* w,
                         const float* bias, float* y) {
  Plan& plan = plan_for(ConvStep::forward, g, bias != nullptr);
  run(exec, plan, {x, y, bias}, w, false);
}

void onednn_conv_backward_data(Exec& exec, const Window& g, const float* dy, const float* w,
                               float* dx) {
  run(exec, plan_for(ConvStep::backward_data, g, false), {dy, dx, nullptr}, w, false);
}

void onednn_conv_backward_weights(Exec& exec, const Window& g, const float* x, const float* dy,
                                  float* dw) {
  run(exec, plan_for(ConvStep::backward_weights, g, false), {x, dy, nullptr}, dw, true);
}

std::size_t onednn_conv_scratch(ConvStep step, const Window& g) {
  const std::size_t bytes = plan_for(step, g, false).scratch_bytes;
  return step == ConvStep::forward ? std::max(bytes, plan_for(step, g, true).scratch_bytes) : bytes;
}

}  // namespace kern::cpu
