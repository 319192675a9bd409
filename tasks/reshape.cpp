// Changing a network's shape, and what its optimizer remembers.
#include "nn/reshape/reshape.h"

#include <vector>

#include "kernels/kernels.h"
#include "nn/optimizer_slots.h"
#include "runtime/runtime.h"
#include "tasks/body.h"
#include "tasks/simulated.h"
#include "tasks/tasks.h"
#include "tasks/work.h"

namespace tasks {

namespace {

const auto& reshape_task() {
  static const auto task =
      rt::task("reshape", 4)
          .cpu([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                  nn::Operation operation, std::uint64_t seed) -> nn::ParamSlab {
            return translated([&] {
              return nn::reshape(kern::cpu_kernels(), context.local<nn::Workspace>(), *net,
                                 operation, data->view(nn::Part::train), seed);
            });
          })
          .simulated([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset>, nn::Operation operation,
                        std::uint64_t) -> nn::ParamSlab {
            return translated([&] {
              nn::ParamSlab::Header header = net->header();
              header.spec = nn::reshaped(net->spec(), operation);
              header.reshaped = true;
              return simulated_reshape(*net, std::move(header));
            });
          })
          .work([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                   const nn::Operation& operation, std::uint64_t) {
            return translated([&] {
              const double flops = static_cast<double>(
                  nn::reshape_flops(net->spec(), operation, data->header().train_rows));
              return reshaping_work(net->spec(), nn::reshaped(net->spec(), operation), flops);
            });
          })
          .pure();
  return task;
}

const auto& slots_task() {
  static const auto task =
      rt::task("with slots for", 1)
          .cpu([](rt::in<nn::ParamSlab> net, nn::Choice optimizer) -> nn::ParamSlab {
            return translated([&] { return nn::with_slots_for(*net, optimizer); });
          })
          .pure()
          .keep(rt::Keep::never);
  return task;
}

const auto& spec_task() {
  static const auto task =
      rt::task("spec of", 1)
          .cpu([](rt::in<nn::ParamSlab> net) -> nn::ModelSpec { return net->spec(); })
          .pure();
  return task;
}

const auto& norms_task() {
  static const auto task = rt::task("unit norms", 1)
                               .cpu([](rt::in<nn::ParamSlab> net) -> std::vector<nn::UnitNorms> {
                                 return nn::unit_norms(*net);
                               })
                               .pure();
  return task;
}

}  // namespace

rt::Value<nn::ParamSlab> reshape(const rt::Value<nn::ParamSlab>& net,
                                 const rt::Value<nn::Dataset>& data, const nn::Operation& operation,
                                 std::uint64_t seed) {
  return reshape_task()(net, data, translated([&] { return nn::complete(operation); }), seed);
}

rt::Value<nn::ParamSlab> with_slots_for(const rt::Value<nn::ParamSlab>& net,
                                        const nn::Choice& optimizer) {
  return slots_task()(net, optimizer);
}

rt::Value<nn::ModelSpec> spec_of(const rt::Value<nn::ParamSlab>& net) { return spec_task()(net); }

rt::Value<std::vector<nn::UnitNorms>> unit_norms(const rt::Value<nn::ParamSlab>& net) {
  return norms_task()(net);
}

}  // namespace tasks
