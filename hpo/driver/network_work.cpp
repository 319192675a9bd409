#include "hpo/driver/network_work.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "hpo/stopping/registry.h"
#include "runtime/async.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"
#include "runtime/codec.h"

namespace hpo {

namespace {

Metrics metrics_of(std::string_view part, const nn::Scores& scores, nn::LearningTask task) {
  auto named = [&](std::string_view name, double value) {
    return std::pair{rt::cat(part, ".", name), value};
  };
  Metrics metrics{named("loss", scores.loss)};
  if (task == nn::LearningTask::classification) {
    metrics.push_back(named("accuracy", scores.accuracy));
  } else {
    metrics.push_back(named("mse", scores.mse));
    metrics.push_back(named("mae", scores.mae));
    metrics.push_back(named("r2", scores.r2));
  }
  return metrics;
}

std::string name_of(const nn::DataSpec& spec) {
  rt::Bytes bytes = rt::encode(spec);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

double metric_value(const Metrics& metrics, const std::string& name) {
  for (const auto& [known, value] : metrics) {
    if (known == name) return value;
  }
  throw rt::Error(rt::Errc::study, rt::cat("metric '", name, "' is not one that a trial reports"));
}

}  // namespace

StudyData load_data(const StudySpec& study, const Params& params) {
  nn::DataSpec spec = data_spec(study, params);
  StudyData data;
  data.value = tasks::load(spec);
  const nn::Dataset::Header& header = data.value.get().header();
  data.info = data_info(header);
  data.train_rows = header.train_rows;
  data.valid_rows = header.valid_rows;
  data.content = header.content.hex();
  data.seeds = tasks::derive_seeds(study.seed, tasks::data_key(spec));
  return data;
}

void require_resources(const Resources& asked, const rt::Runtime& runtime) {
  auto refuse = [](std::string_view what, const std::string& wanted, const std::string& there) {
    throw rt::Error(rt::Errc::no_device, rt::cat("resources.", what, ": ", wanted,
                                                 " for each trial, this machine offers ", there));
  };
  if (asked.cpus > runtime.workers())
    refuse("cpus", std::to_string(asked.cpus), std::to_string(runtime.workers()));
  if (asked.gpus > runtime.gpus())
    refuse("gpus", rt::format_double(asked.gpus), std::to_string(runtime.gpus()));
  std::uint64_t memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (asked.memory.value_or(0) > memory)
    refuse("memory", rt::format_bytes(*asked.memory), rt::format_bytes(memory));
}

std::vector<std::int64_t> report_borders(const StudySpec& study, std::int64_t epochs) {
  std::vector<std::int64_t> borders;
  std::unique_ptr<StoppingRule> rule = make_stopping_rule(
      study.early_stop.kind, {.max_step = study.max_epochs, .options = study.early_stop.options});
  bool decides_ever = rule->decides(0, std::max<std::int64_t>(1, study.max_epochs - 1));
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    std::int64_t last = borders.empty() ? 0 : borders.back();
    if (epoch == epochs || !decides_ever || rule->decides(last, epoch)) borders.push_back(epoch);
  }
  return borders;
}

NetworkWork::NetworkWork(const StudySpec& study, const rt::Runtime& runtime, rt::Path folder,
                         std::string model_file)
    : study_(study),
      runtime_(runtime),
      folder_(std::move(folder)),
      model_file_(std::move(model_file)) {}

void NetworkWork::provide(const Params& params, StudyData data) {
  nn::DataSpec spec = data_spec(study_, params);
  data.seeds = tasks::derive_seeds(study_.seed, tasks::data_key(spec));
  data_.insert_or_assign(name_of(spec), std::move(data));
}

const StudyData& NetworkWork::data_of(const Params& params) {
  std::string name = name_of(data_spec(study_, params));
  auto found = data_.find(name);
  if (found == data_.end()) found = data_.emplace(std::move(name), load_data(study_, params)).first;
  return found->second;
}

TrialSpec NetworkWork::spec_of(const Params& params, const StudyData& data) const {
  TrialSpec spec = materialise(study_, params, data.info);
  spec.hyper.shuffle = data.seeds.shuffle;
  require_resources(spec.resources, runtime_);
  return spec;
}

TrialFacts NetworkWork::facts(const Params& params) {
  TrialSpec spec = spec_of(params, data_of(params));
  return {.inference_flops = static_cast<double>(nn::flops_per_row(spec.model).forward)};
}

rt::Async<void> NetworkWork::run(TrialContext& trial) {
  const StudyData& data = data_of(trial.params());
  const TrialSpec spec = spec_of(trial.params(), data);
  rt::Value<nn::ParamSlab> net = tasks::init(spec.model, spec.hyper.optimizer, data.seeds.init);
  std::int64_t done = 0;
  for (std::int64_t border : report_borders(study_, spec.epochs)) {
    const nn::Stretch stretch{std::exchange(done, border), border};
    const rt::Flops training =
        tasks::train_cost(spec.model, stretch, data.train_rows, spec.hyper.batch);
    const rt::Flops scoring = tasks::evaluate_cost(spec.model, data.valid_rows);
    trial.stretch(training.value + scoring.value);
    rt::Value<nn::TrainStats> trained =
        tasks::train(net, data.value, spec.hyper, stretch, training);
    if (trial.replayed()) continue;
    rt::Value<nn::Scores> scored =
        tasks::evaluate(net, data.value, nn::Part::valid, spec.hyper.loss, scoring);
    // Asked for together, so that no turn of the driver lies between training and scoring.
    scored.demand();
    const nn::TrainStats& stats = co_await trained;
    if (stats.diverged)
      throw TrialFailure(
          Cause::diverged,
          rt::cat("the training loss became NaN or infinite before epoch ", border, " ended"));
    const nn::Scores& scores = co_await scored;
    Report report{.step = border, .epochs = border};
    report.metrics = metrics_of("valid", scores, data.info.task);
    report.metrics.emplace_back("train.loss", stats.loss);
    report.value = metric_value(report.metrics, study_.metric.name);
    report.checkpoint = net.key().hex();
    if (co_await trial.report(std::move(report)) == Word::stop) co_return;
  }
}

rt::Async<ExportedModel> NetworkWork::finish(TrialRow best) {
  const StudyData& data = data_of(best.params);
  const TrialSpec spec = spec_of(best.params, data);
  rt::Value<nn::ParamSlab> net = tasks::init(spec.model, spec.hyper.optimizer, data.seeds.init);
  rt::Value<nn::ParamSlab> chosen = net;
  const bool maximize = study_.metric.goal == Goal::maximize;
  std::optional<double> chosen_value;
  std::int64_t done = 0;
  for (std::int64_t border : report_borders(study_, spec.epochs)) {
    if (border > best.epochs) break;
    const nn::Stretch stretch{std::exchange(done, border), border};
    (void)tasks::train(net, data.value, spec.hyper, stretch,
                       tasks::train_cost(spec.model, stretch, data.train_rows, spec.hyper.batch));
    if (study_.metric.take == Take::last) {
      chosen = net;
      continue;
    }
    // `take: best`: the trial's value came from its best report, so the network does, too.
    rt::Value<nn::Scores> reported =
        tasks::evaluate(net, data.value, nn::Part::valid, spec.hyper.loss,
                        tasks::evaluate_cost(spec.model, data.valid_rows));
    const nn::Scores& scores = co_await reported;
    Metrics metrics = metrics_of("valid", scores, data.info.task);
    double value = metric_value(metrics, study_.metric.name);
    if (!chosen_value || (maximize ? value > *chosen_value : value < *chosen_value)) {
      chosen = net;
      chosen_value = value;
    }
  }
  rt::Value<nn::Scores> scored =
      tasks::evaluate(chosen, data.value, nn::Part::test, spec.hyper.loss,
                      tasks::evaluate_cost(spec.model, data.valid_rows));
  ExportedModel made{.file = model_file_};
  const nn::Scores& scores = co_await scored;
  if (scores.rows > 0) made.metrics = metrics_of("test", scores, data.info.task);
  rt::Value<void> written =
      tasks::export_model(chosen, data.value, (folder_ / model_file_).string(),
                          {{"study", study_.name}, {"params", json_of(best.params)}});
  co_await written;
  co_return made;
}

WorkCounters NetworkWork::counters() const {
  rt::Summary summary = runtime_.summary();
  WorkCounters work;
  work.tasks = static_cast<std::int64_t>(summary.tasks);
  work.distinct_epochs = std::llround(tasks::epochs_trained());
  work.datasets_loaded = static_cast<std::int64_t>(tasks::datasets_loaded());
  work.overhead_us_per_task = summary.overhead_us_per_task;
  return work;
}

}  // namespace hpo
