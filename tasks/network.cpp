// Making, training and evaluating networks.
#include <atomic>
#include <type_traits>

#include "base/clock.h"
#include "base/error.h"
#include "kernels/kernels.h"
#include "nn/adapt/judge.h"
#include "nn/evaluation/latency.h"
#include "nn/model/init.h"
#include "nn/optimizers/stale.h"
#include "runtime/runtime.h"
#include "tasks/arrivals.h"
#include "tasks/device.h"
#include "tasks/gang.h"
#include "tasks/open_gangs.h"
#include "tasks/simulated.h"
#include "tasks/tasks.h"
#include "tasks/train_pack.h"
#include "tasks/work.h"

namespace tasks {

namespace {

std::atomic<double> trained_epochs{0};

void note_trained(const nn::Segment& segment) {
  trained_epochs.fetch_add(nn::epochs_in(segment), std::memory_order_relaxed);
}

/// Lends nn/ the workers that have nothing else to run.
class Lent final : public nn::Parallel {
 public:
  explicit Lent(rt::Context& context) : context_(context) {}
  void run(int parts, Body body, void* object) override {
    context_.split(parts, [&](const rt::Part& part) {
      body(object, part.index(), part.local<nn::Workspace>());
    });
  }

 private:
  rt::Context& context_;
};

// Drawing weights is quicker than reading them back, so nothing is kept.
const auto init_task =
    rt::task("init", 1)
        .cpu([](rt::Context& context, nn::ParamSlab::Header header, std::uint64_t seed,
                std::uint64_t) -> nn::ParamSlab {
          nn::ParamSlab net(std::move(header));
          Lent lent(context);
          nn::init_weights(net, seed, &lent);
          return net;
        })
        .simulated([](nn::ParamSlab::Header header, std::uint64_t, std::uint64_t) -> nn::ParamSlab {
          return simulated_birth(std::move(header));
        })
        .pure()
        .keep(rt::Keep::never);

/// What the task returns for the end of its steps.
nn::TrainStats whole(const nn::TrainStats& stats, const nn::Segment& segment) {
  // A half-way network is no result and must not be kept under the result's name.
  if (stats.stopped) throw base::Error(base::Errc::cancelled, "stopped on request");
  note_trained(segment);
  return stats;
}

/// Trains on whatever `kernels` compute with.
nn::TrainStats train_here(rt::Context& context, const kern::Kernels<float>& kernels,
                          nn::ParamSlab& net, const nn::DataView& data, const nn::Hyper& hyper,
                          const nn::Segment& segment, nn::Parallel* parallel) {
  return whole(nn::train_steps(kernels, context.local<nn::Workspace>(), net, data, hyper, segment,
                               [&context] { return context.stop_requested(); }, parallel, nullptr,
                               {.stages = stages_of_training()}),
               segment);
}

const auto train_task =
    rt::task("train", 3)
        .cpu([](rt::Context& context, rt::inout<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                nn::Hyper hyper, nn::Segment segment, double) -> nn::TrainStats {
          const kern::Kernels<float>& kernels = kern::cpu_kernels(hyper.precision);
          if (Gang* const gang = gang_of_training())
            return whole(gang->train(kernels, context.local<nn::Workspace>(), *net, *data, hyper,
                                     segment, [&context] { return context.stop_requested(); }),
                         segment);
          Lent lent(context);
          if (OpenGangs* const gangs = open_gangs_of_training())
            return whole(gangs->train(
                             kernels, context.local<nn::Workspace>(), *net, *data, hyper, segment,
                             [&context] { return context.stop_requested(); }, &lent),
                         segment);
          return train_here(context, kernels, *net, data->view(nn::Part::train), hyper, segment,
                            trains_serially() ? nullptr : &lent);
        })
        .cuda([](rt::Context& context, rt::inout<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                 nn::Hyper hyper, nn::Segment segment, double) -> nn::TrainStats {
          return translated([&] {
            const OnGpu gpu(context, hyper.precision);
            const TableOnGpu table(context, *gpu.kernels.memory, *data);
            const nn::TrainStats stats = train_here(
                context, gpu.kernels, *net, table.view(nn::Part::train), hyper, segment, nullptr);
            (void)net->state(*gpu.kernels.memory);  // waits: a device's fault is this task's
            return stats;
          });
        })
        .simulated([](rt::inout<nn::ParamSlab> net, rt::in<nn::Dataset> data, nn::Hyper hyper,
                      nn::Segment segment, double) -> nn::TrainStats {
          note_trained(segment);
          return simulated_training(*net, hyper, segment, data->header().train_rows);
        })
        .work([](rt::inout<nn::ParamSlab> net, rt::in<nn::Dataset> data, const nn::Hyper& hyper,
                 const nn::Segment& segment, double) {
          return training_work(net->spec(), hyper, segment, data->header().train_rows,
                               nn::feed_shape(data->header()));
        })
        .packs([](rt::inout<nn::ParamSlab> net, rt::in<nn::Dataset> data, const nn::Hyper& hyper,
                  const nn::Segment& segment,
                  double) { return train_fit(*net, *data, hyper, segment); },
               [](rt::Context& context, rt::Pack<TrainCall>& calls) {
                 train_together(context, calls, note_trained);
               })
        .pure()
        .cost([](const nn::Hyper&, const nn::Segment&, double flops) { return rt::Flops{flops}; });

/// Not pure: the machine decides in which order replicas finish.
const auto arriving_task =
    rt::task("train by arrival", 1)
        .cpu([](rt::Context& context, rt::inout<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                nn::Hyper hyper, nn::Segment segment, double) -> nn::TrainStats {
          ArrivalBook& book = *arrivals_of_training();
          Lent lent(context);
          const nn::TrainStats stats = nn::train_steps(
              kern::cpu_kernels(hyper.precision), context.local<nn::Workspace>(), *net,
              data->view(nn::Part::train), hyper, segment,
              [&context] { return context.stop_requested(); }, trains_serially() ? nullptr : &lent,
              nullptr, {.arrivals = &book.arrivals()});
          book.write();
          return whole(stats, segment);
        })
        .cost([](const nn::Hyper&, const nn::Segment&, double flops) { return rt::Flops{flops}; });

/// A task that answers the rows of a part. `score` takes what nn::evaluate_classes() takes.
template <auto score>
auto scoring_task(const char* name, int version) {
  using Result = std::invoke_result_t<decltype(score), const kern::Kernels<float>&, nn::Workspace&,
                                      const nn::ParamSlab&, const nn::DataView&, const nn::Choice&,
                                      nn::Parallel*>;
  return rt::task(name, version)
      .cpu([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
              nn::Part part, nn::Choice loss, double) -> Result {
        Lent lent(context);
        return score(kern::cpu_kernels(), context.local<nn::Workspace>(), *net, data->view(part),
                     loss, &lent);
      })
      .cuda([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
               nn::Part part, nn::Choice loss, double) -> Result {
        return translated([&] {
          const OnGpu gpu(context, kern::Precision::f32);
          const TableOnGpu table(context, *gpu.kernels.memory, *data);
          return score(gpu.kernels, context.local<nn::Workspace>(), *net, table.view(part), loss,
                       nullptr);
        });
      })
      .work([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data, nn::Part part,
               const nn::Choice&, double) {
        return scoring_work(net->spec(), data->header().rows_of(part),
                            nn::feed_shape(data->header()));
      })
      .pure()
      .cost([](nn::Part, const nn::Choice&, double flops) { return rt::Flops{flops}; });
}

const auto evaluate_task =
    scoring_task<[](auto&&... what) { return nn::evaluate(what...); }>("evaluate", 4)
        .simulated([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data, nn::Part part,
                      nn::Choice loss, double) -> nn::Scores {
          return simulated_scores(*net, loss, data->header(), data->header().rows_of(part));
        });

const auto answers_task = scoring_task<&nn::answers_of>("answers", 1).keep(rt::Keep::never);

const auto evaluate_classes_task = scoring_task<&nn::evaluate_classes>("evaluate classes", 1);

double clock_seconds() { return base::seconds_since({}); }

const auto latency_task =
    rt::task("latency", 1)
        .cpu([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                nn::Part part) -> double {
          return nn::row_latency(kern::cpu_kernels(), context.local<nn::Workspace>(), *net,
                                 data->view(part), &clock_seconds);
        })
        .cuda([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                 nn::Part part) -> double {
          return translated([&] {
            const OnGpu gpu(context, kern::Precision::f32);
            const TableOnGpu table(context, *gpu.kernels.memory, *data);
            return nn::row_latency(gpu.kernels, context.local<nn::Workspace>(), *net,
                                   table.view(part), &clock_seconds);
          });
        })
        .simulated([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset>, nn::Part) -> double {
          return nn::modelled_latency(net->spec());
        })
        .work([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data, nn::Part) {
          return scoring_work(net->spec(), nn::kMostTimed, nn::feed_shape(data->header()));
        });

const auto baseline_task =
    rt::task("baseline", 2)
        .cpu([](rt::Context& context, rt::in<nn::Dataset> data, nn::Baseline kind,
                double) -> nn::ParamSlab {
          return nn::fit_baseline(kern::cpu_kernels(), context.local<nn::Workspace>(), *data, kind);
        })
        .pure()
        .cost([](nn::Baseline, double flops) { return rt::Flops{flops}; });

}  // namespace

rt::Value<nn::ParamSlab> fit_baseline(const rt::Value<nn::Dataset>& data, nn::Baseline kind,
                                      rt::Flops cost) {
  return baseline_task(data, kind, cost.value);
}

double epochs_trained() noexcept { return trained_epochs.load(std::memory_order_relaxed); }

rt::Value<nn::ParamSlab> init(const nn::ModelSpec& model, const nn::Choice& optimizer,
                              std::uint64_t seed, std::uint64_t apart) {
  return init(nn::slab_header(model, optimizer), seed, apart);
}

rt::Value<nn::ParamSlab> init(const nn::ParamSlab::Header& header, std::uint64_t seed,
                              std::uint64_t apart) {
  return init_task(header, seed, apart);
}

rt::Value<nn::TrainStats> train(rt::Value<nn::ParamSlab>& net, const rt::Value<nn::Dataset>& data,
                                const nn::Hyper& hyper, const nn::Segment& segment,
                                rt::Flops cost) {
  const nn::Hyper on_it = nn::hyper_on(nn::complete(hyper), segment);
  if (arrivals_of_training() != nullptr && nn::staleness_of(on_it.optimizer))
    return arriving_task(net, data, on_it, nn::reduced(segment), cost.value);
  return train_task(net, data, on_it, nn::reduced(segment), cost.value);
}

rt::Value<nn::Scores> evaluate(const rt::Value<nn::ParamSlab>& net,
                               const rt::Value<nn::Dataset>& data, nn::Part part,
                               const nn::Choice& loss, rt::Flops cost) {
  return evaluate_task(net, data, part, loss, cost.value);
}

rt::Value<nn::ClassScores> evaluate_classes(const rt::Value<nn::ParamSlab>& net,
                                            const rt::Value<nn::Dataset>& data, nn::Part part,
                                            const nn::Choice& loss, rt::Flops cost) {
  return evaluate_classes_task(net, data, part, loss, cost.value);
}

rt::Value<nn::Answers> answers(const rt::Value<nn::ParamSlab>& net,
                               const rt::Value<nn::Dataset>& data, nn::Part part,
                               const nn::Choice& loss, rt::Flops cost) {
  return answers_task(net, data, part, loss, cost.value);
}

rt::Value<double> row_latency(const rt::Value<nn::ParamSlab>& net,
                              const rt::Value<nn::Dataset>& data, nn::Part part) {
  return latency_task(net, data, part);
}

rt::Flops train_cost(const nn::ModelSpec& model, const nn::Segment& segment, std::uint64_t rows,
                     std::int32_t batch) {
  return train_cost(nn::flops_per_row(model), segment, rows, batch);
}

rt::Flops train_cost(const nn::Flops& row, const nn::Segment& segment, std::uint64_t rows,
                     std::int32_t batch) {
  const auto visited = nn::rows_in(segment, static_cast<std::int64_t>(rows), batch);
  return rt::Flops{static_cast<double>(row.training) * static_cast<double>(visited)};
}

rt::Flops evaluate_cost(const nn::ModelSpec& model, std::uint64_t rows) {
  return evaluate_cost(nn::flops_per_row(model), rows);
}

rt::Flops evaluate_cost(const nn::Flops& row, std::uint64_t rows) {
  return rt::Flops{static_cast<double>(row.forward) * static_cast<double>(rows)};
}

}  // namespace tasks
