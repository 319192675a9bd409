// Changing a network's shape, and what its optimizer remembers.
#include "nn/reshape/reshape.h"

#include <optional>
#include <vector>

#include "kernels/kernels.h"
#include "nn/training/optimizer_slots.h"
#include "runtime/runtime.h"
#include "tasks/device.h"
#include "tasks/simulated.h"
#include "tasks/tasks.h"
#include "tasks/work.h"

namespace tasks {

namespace {

/// The table of a `.cuda` body whose operation looks at it, and nothing else of the data.
nn::DataView training_rows(std::optional<TableOnGpu>& table, const rt::Context& context,
                           const OnGpu& gpu, const nn::Dataset& data,
                           const nn::Operation& operation) {
  if (!nn::needs_data(operation)) return {};
  return table.emplace(context, *gpu.kernels.memory, data).view(nn::Part::train);
}

rt::Work work_of(const nn::ParamSlab& net, const nn::Dataset& data,
                 const nn::Operation& operation) {
  const nn::Dataset::Header& header = data.header();
  return reshaping_work(net.spec(), operation, header.train_rows, nn::feed_shape(header));
}

const auto reshape_task =
    rt::task("reshape", 5)
        .cpu([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                rt::out<nn::ParamSlab> to, nn::Operation operation, std::uint64_t seed) {
          nn::reshape(kern::cpu_kernels(), context.local<nn::Workspace>(), *net, operation,
                      data->view(nn::Part::train), seed, *to);
        })
        .cuda([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                 rt::out<nn::ParamSlab> to, nn::Operation operation, std::uint64_t seed) {
          translated([&] {
            const OnGpu gpu(context, kern::Precision::f32);
            std::optional<TableOnGpu> table;
            nn::reshape(gpu.kernels, context.local<nn::Workspace>(), *net, operation,
                        training_rows(table, context, gpu, *data, operation), seed, *to);
            (void)to->state(*gpu.kernels.memory);  // waits: a device's fault is this task's
          });
        })
        .simulated([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset>, rt::out<nn::ParamSlab> to,
                      nn::Operation operation, std::uint64_t) {
          (void)nn::reshaped(net->spec(), operation);
          simulated_reshape(*net, *to);
        })
        .work([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data, rt::out<nn::ParamSlab>,
                 const nn::Operation& operation,
                 std::uint64_t) { return work_of(*net, *data, operation); })
        .pure();

const auto measure_task =
    rt::task("measure reshape", 1)
        .cpu([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                nn::Operation operation) -> nn::ModelSpec {
          return nn::measured_spec(kern::cpu_kernels(), context.local<nn::Workspace>(), *net,
                                   operation, data->view(nn::Part::train));
        })
        .cuda([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                 nn::Operation operation) -> nn::ModelSpec {
          return translated([&] {
            const OnGpu gpu(context, kern::Precision::f32);
            std::optional<TableOnGpu> table;
            return nn::measured_spec(gpu.kernels, context.local<nn::Workspace>(), *net, operation,
                                     training_rows(table, context, gpu, *data, operation));
          });
        })
        .simulated([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset>,
                      nn::Operation operation) -> nn::ModelSpec {
          return nn::reshaped(net->spec(), operation);
        })
        .work([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                 const nn::Operation& operation) { return work_of(*net, *data, operation); })
        .pure();

const auto slots_task =
    rt::task("with slots for", 1)
        .cpu([](rt::in<nn::ParamSlab> net, nn::Choice optimizer) -> nn::ParamSlab {
          return nn::with_slots_for(*net, optimizer);
        })
        .pure()
        .keep(rt::Keep::never);

const auto norms_task =
    rt::task("unit norms", 2)
        .cpu([](rt::in<nn::ParamSlab> net) -> std::vector<nn::UnitNorms> {
          return nn::unit_norms(kern::cpu_kernels(), *net);
        })
        .cuda([](rt::Context& context, rt::in<nn::ParamSlab> net) -> std::vector<nn::UnitNorms> {
          return translated([&] {
            const OnGpu gpu(context, kern::Precision::f32);
            return nn::unit_norms(gpu.kernels, *net);
          });
        })
        .simulated([](rt::in<nn::ParamSlab> net) -> std::vector<nn::UnitNorms> {
          return simulated_norms(net->spec());
        })
        .work([](rt::in<nn::ParamSlab> net) { return norms_work(net->spec()); })
        .pure();

const auto statistics_task =
    rt::task("unit statistics", 1)
        .cpu([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                double) -> std::vector<nn::UnitStatistics> {
          return nn::unit_statistics(kern::cpu_kernels(), context.local<nn::Workspace>(), *net,
                                     data->view(nn::Part::train));
        })
        .cuda([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                 double) -> std::vector<nn::UnitStatistics> {
          return translated([&] {
            const OnGpu gpu(context, kern::Precision::f32);
            const TableOnGpu table(context, *gpu.kernels.memory, *data);
            return nn::unit_statistics(gpu.kernels, context.local<nn::Workspace>(), *net,
                                       table.view(nn::Part::train));
          });
        })
        .simulated([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset>,
                      double) -> std::vector<nn::UnitStatistics> {
          return simulated_statistics(net->spec());
        })
        .work([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data, double) {
          return statistics_work(net->spec(), data->header().train_rows,
                                 nn::feed_shape(data->header()));
        })
        .pure()
        .cost([](double flops) { return rt::Flops{flops}; });

}  // namespace

rt::Value<nn::ParamSlab> reshape(const rt::Value<nn::ParamSlab>& net,
                                 const rt::Value<nn::Dataset>& data, const nn::Operation& operation,
                                 const nn::ParamSlab::Header& after, std::uint64_t seed) {
  rt::Value<nn::ParamSlab> to = rt::uninitialised<nn::ParamSlab>(after);
  reshape_task(net, data, to, nn::complete(operation), seed);
  return to;
}

rt::Value<nn::ModelSpec> measured_spec(const rt::Value<nn::ParamSlab>& net,
                                       const rt::Value<nn::Dataset>& data,
                                       const nn::Operation& operation) {
  return measure_task(net, data, nn::complete(operation));
}

rt::Value<nn::ParamSlab> with_slots_for(const rt::Value<nn::ParamSlab>& net,
                                        const nn::Choice& optimizer) {
  return slots_task(net, optimizer);
}

rt::Value<std::vector<nn::UnitNorms>> unit_norms(const rt::Value<nn::ParamSlab>& net) {
  return norms_task(net);
}

rt::Value<std::vector<nn::UnitStatistics>> unit_statistics(const rt::Value<nn::ParamSlab>& net,
                                                           const rt::Value<nn::Dataset>& data,
                                                           rt::Flops cost) {
  return statistics_task(net, data, cost.value);
}

}  // namespace tasks
