#include "tests/hpo/driver/sim.h"

#include "runtime/task.h"

namespace hpo::sim {

rt::Value<int> tick(int n) {
  static const auto task = rt::task("tick", 1).cpu([](int number) { return number; });
  return task(n);
}

rt::Async<void> Work::run(TrialContext& trial) {
  ++begun;
  auto cost = static_cast<double>(std::get<std::int64_t>(*trial.params().find("size")));
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    trial.segment(cost);
    if (trial.replayed()) continue;
    for (std::uint64_t i = luck_.below(static_cast<std::uint64_t>(most_ticks) + 1); i > 0; --i)
      co_await tick(1);
    at(trial, epoch);
    ++measured;
    double v = value(trial.params(), epoch);
    Report report{.step = epoch, .epochs = epoch, .value = v, .metrics = {{"valid.loss", v}}};
    if (co_await trial.report(std::move(report)) == Decision::stop) co_return;
  }
}

}  // namespace hpo::sim
