#include "tasks/race.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/kernels.h"
#include "runtime/runtime.h"
#include "tasks/device.h"
#include "tasks/simulated.h"
#include "tasks/work.h"

namespace tasks {

namespace {

std::uint64_t scored_rows(const nn::Dataset& data, std::int64_t rows) {
  const std::uint64_t all = data.header().valid_rows;
  return rows > 0 ? std::min(all, static_cast<std::uint64_t>(rows)) : all;
}

nn::DataView first_rows(nn::DataView view, std::int64_t rows) {
  if (rows > 0 && rows < std::ssize(view.rows))
    view.rows = view.rows.first(static_cast<std::size_t>(rows));
  return view;
}

nn::Scores loss_of_rows(const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                        const nn::ParamSlab& net, const nn::DataView& view,
                        const nn::Choice& loss) {
  return nn::evaluate(kernels, workspace, net, view, loss, nullptr, nn::Measured::loss);
}

RowScores losses_of_rows(const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                         const nn::ParamSlab& net, const nn::DataView& view,
                         const nn::Choice& loss) {
  nn::Evaluation evaluation(kernels, net, loss);
  evaluation.add(workspace, view);
  return {evaluation.scores(nn::Measured::loss), nn::row_losses(evaluation.judged(), loss, view)};
}

/// Scores by `score` on the first validation rows (0: all).
template <auto score>
auto score_task(const char* name, int version) {
  using Result = std::invoke_result_t<decltype(score), const kern::Kernels<float>&, nn::Workspace&,
                                      const nn::ParamSlab&, const nn::DataView&, const nn::Choice&>;
  return rt::task(name, version)
      .cpu([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
              nn::Choice loss, std::int64_t rows, double) -> Result {
        return score(kern::cpu_kernels(), context.local<nn::Workspace>(), *net,
                     first_rows(data->view(nn::Part::valid), rows), loss);
      })
      .cuda([](rt::Context& context, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
               nn::Choice loss, std::int64_t rows, double) -> Result {
        return translated([&] {
          const OnGpu gpu(context, kern::Precision::f32);
          const TableOnGpu table(context, *gpu.kernels.memory, *data);
          return score(gpu.kernels, context.local<nn::Workspace>(), *net,
                       first_rows(table.view(nn::Part::valid), rows), loss);
        });
      })
      .work([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data, const nn::Choice&,
               std::int64_t rows, double) {
        return scoring_work(net->spec(), scored_rows(*data, rows), nn::feed_shape(data->header()));
      })
      .pure()
      .cost([](const nn::Choice&, std::int64_t, double flops) { return rt::Flops{flops}; });
}

nn::Scores simulated_loss(const nn::ParamSlab& net, const nn::Choice& loss, const nn::Dataset& data,
                          std::int64_t rows) {
  nn::Scores scores = simulated_scores(net, loss, data.header(), scored_rows(data, rows));
  scores.metrics.clear();
  return scores;
}

const auto whole_score_task =
    score_task<&loss_of_rows>("score", 3)
        .simulated([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data, nn::Choice loss,
                      std::int64_t rows,
                      double) -> nn::Scores { return simulated_loss(*net, loss, *data, rows); });

const auto row_scores_task =
    score_task<&losses_of_rows>("row scores", 1)
        .simulated([](rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data, nn::Choice loss,
                      std::int64_t rows, double) -> RowScores {
          RowScores out{simulated_loss(*net, loss, *data, rows), {}};
          out.losses.assign(static_cast<std::size_t>(out.scores.rows),
                            static_cast<float>(out.scores.loss));
          return out;
        });

/// FLOPs of an operation, and of measuring it first.
double reshape_cost(const nn::ModelSpec& spec, const nn::Operation& operation,
                    const TrainingSetup& setup) {
  const auto once = static_cast<double>(nn::reshape_flops(spec, operation, setup.train_rows));
  return nn::size_depends_on_data(operation) ? 2 * once : once;
}

/// A runner that was called and not awaited yet.
struct Started {
  nn::Operations operations;
  std::optional<double> pull;
  Reshaped network;
  rt::Value<nn::TrainStats> stats;
  rt::Value<nn::Scores> scores;
  rt::Value<RowScores> row_scores;  ///< by row: in place of `scores`
};

Started start(nn::Operations operations, Reshaped network, const nn::Segment& segment,
              const TrainingSetup& setup, const nn::Hyper& hyper) {
  Started out{std::move(operations), {}, std::move(network), {}, {}, {}};
  const rt::On device(setup.devices.kind_for(out.network.spec, hyper));
  const rt::Flops training =
      train_cost(out.network.spec, segment, setup.train_rows, setup.hyper.batch);
  const rt::Flops scoring =
      evaluate_cost(out.network.spec, static_cast<std::uint64_t>(setup.score_rows));
  out.stats = train(out.network.net, setup.data, hyper, segment, training);
  if (setup.by_row) {
    out.row_scores =
        score_rows(out.network.net, setup.data, setup.hyper.loss, setup.score_rows, scoring);
    out.row_scores.demand();
  } else {
    out.scores = score(out.network.net, setup.data, setup.hyper.loss, setup.score_rows, scoring);
    out.scores.demand();
  }
  out.network.flops += training.value + scoring.value;
  out.stats.demand();
  return out;
}

}  // namespace

rt::Value<nn::Scores> score(const rt::Value<nn::ParamSlab>& net, const rt::Value<nn::Dataset>& data,
                            const nn::Choice& loss, std::int64_t rows, rt::Flops cost) {
  return whole_score_task(net, data, loss, rows, cost.value);
}

rt::Value<RowScores> score_rows(const rt::Value<nn::ParamSlab>& net,
                                const rt::Value<nn::Dataset>& data, const nn::Choice& loss,
                                std::int64_t rows, rt::Flops cost) {
  return row_scores_task(net, data, loss, rows, cost.value);
}

rt::Flops runner_cost(const nn::ModelSpec& spec, const nn::Operations& operations,
                      const nn::Segment& segment, const TrainingSetup& setup) {
  nn::ModelSpec shape = spec;
  double flops = 0;
  for (const nn::Operation& operation : operations) {
    flops += reshape_cost(shape, operation, setup);
    shape = nn::reshaped(shape, operation);
  }
  flops += train_cost(shape, segment, setup.train_rows, setup.hyper.batch).value;
  flops += evaluate_cost(shape, static_cast<std::uint64_t>(setup.score_rows)).value;
  return rt::Flops{flops};
}

rt::Async<Reshaped> reshape_all(rt::Value<nn::ParamSlab> net, nn::ModelSpec spec,
                                nn::Operations operations, TrainingSetup setup) {
  Reshaped out{std::move(net), std::move(spec), 0};
  for (const nn::Operation& operation : operations) {
    out.flops += reshape_cost(out.spec, operation, setup);
    const rt::Device kind = setup.devices.kind_for(out.spec, setup.hyper);
    const auto on_device = [kind](auto call) {
      const rt::On device(kind);
      return call();
    };
    nn::ModelSpec after;
    if (nn::size_depends_on_data(operation)) {
      const rt::Value<nn::ModelSpec> measured =
          on_device([&] { return measured_spec(out.net, setup.data, operation); });
      after = co_await measured;
    } else {
      after = nn::reshaped(out.spec, operation);
    }
    const nn::ParamSlab::Header header =
        nn::reshaped_header(nn::slab_header(out.spec, setup.hyper.optimizer), after);
    out.net =
        on_device([&] { return reshape(out.net, setup.data, operation, header, setup.seed); });
    out.spec = std::move(after);
  }
  co_return out;
}

rt::Async<std::vector<Runner>> race(rt::Value<nn::ParamSlab> net, nn::ModelSpec spec,
                                    std::vector<nn::Operations> entrants, std::vector<Guest> guests,
                                    nn::Segment segment, TrainingSetup setup) {
  std::vector<Started> started;
  Reshaped kept{net, spec, 0};
  started.push_back(start({}, std::move(kept), segment, setup, setup.hyper));
  for (nn::Operations& operations : entrants) {
    rt::Async<Reshaped> reshaping = reshape_all(net, spec, operations, setup);
    Reshaped network = co_await std::move(reshaping);
    started.push_back(
        start(std::move(operations), std::move(network), segment, setup, setup.hyper));
  }
  for (Guest& guest : guests) {
    started.push_back(
        start(std::move(guest.operations), std::move(guest.network), segment, setup, guest.hyper));
    started.back().pull = guest.pull;
  }
  std::vector<Runner> runners;
  std::vector<float> kept_losses;
  for (Started& runner : started) {
    Runner out{std::move(runner.operations), runner.pull, std::move(runner.network), {}, {}, {}};
    out.stats = co_await runner.stats;
    if (setup.by_row) {
      const RowScores scores = co_await runner.row_scores;
      out.scores = scores.scores;
      if (runners.empty()) kept_losses = scores.losses;
      out.gain = nn::paired_gain(kept_losses, scores.losses);
    } else {
      out.scores = co_await runner.scores;
    }
    if (out.stats.diverged) out.scores.loss = std::numeric_limits<double>::quiet_NaN();
    runners.push_back(std::move(out));
  }
  co_return runners;
}

}  // namespace tasks
