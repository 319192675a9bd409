#include "hpo/driver/network_work.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "hpo/driver/search.h"
#include "runtime/async.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"
#include "runtime/codec.h"
#include "runtime/failure.h"

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

/// The network that the store has under a key of the log; nothing when it has none that fits.
std::optional<rt::Value<nn::ParamSlab>> stored_network(std::string_view key,
                                                       const TrialSpec& spec) {
  const std::optional<rt::Key> name = rt::Key::from_hex(key);
  if (!name) return {};
  std::optional<rt::Value<nn::ParamSlab>> net = rt::stored<nn::ParamSlab>(*name);
  if (!net) return {};
  const nn::ParamSlab::Header& there = net->get().header();
  const nn::ParamSlab::Header asked = nn::slab_header(spec.model, spec.hyper.optimizer);
  // A network that adapted looks as its rounds made it.
  const bool fits = spec.adapt ? there.optimizer == asked.optimizer && there.slots == asked.slots
                               : there == asked;
  return fits ? net : std::nullopt;
}

/// Whether a network is another one than the log's.
bool differs(const rt::Value<nn::ParamSlab>& net, std::string_view logged) {
  return !logged.empty() && net.key().hex() != logged;
}

tasks::Course course_of(const TrialSpec& spec, const StudyData& data) {
  return {.data = data.value,
          .hyper = spec.hyper,
          .train_rows = data.train_rows,
          .seed = data.seeds.init};
}

/// A trial that ended, gone through again: what the log has of its rounds, and nothing counts.
class PastTrial final : public TrialContext {
 public:
  PastTrial(const TrialRow& trial, std::vector<Adapted> rounds)
      : trial_(trial.trial), params_(trial.params), rounds_(std::move(rounds)) {}

  std::uint64_t trial() const override { return trial_; }
  const Params& params() const override { return params_; }
  std::span<const Reported> logged() const override { return {}; }
  void go_on_behind(std::size_t) override {}
  void stretch(double) override {}
  bool in_past() const override { return true; }
  const Adapted* logged_round() const override {
    return next_ < rounds_.size() ? &rounds_[next_] : nullptr;
  }
  std::vector<Adapted> rounds_before(std::size_t) const override { return {}; }
  void adapted(Adapted) override { ++next_; }
  bool replayed() override { return true; }
  rt::Async<Word> report(Report) override { co_return Word::go; }
  void note(std::string) override {}

 private:
  std::uint64_t trial_;
  Params params_;
  std::vector<Adapted> rounds_;
  std::size_t next_ = 0;
};

std::string trained_again(std::int64_t epoch, std::int64_t from) {
  return rt::cat("the network of epoch ", epoch, " is not in the store any more: trained again ",
                 from == 0 ? "from the beginning" : rt::cat("from epoch ", from),
                 ", with another arithmetic than the one that reported");
}

}  // namespace

namespace {

/// Waits for the data. What is wrong with a file is said without the task that found out.
const nn::Dataset::Header& header_of(const rt::Value<nn::Dataset>& data) {
  try {
    return data.get().header();
  } catch (const rt::TaskError& error) {
    throw rt::Error(error.kind(), error.details().reason);
  }
}

}  // namespace

StudyData load_data(const StudySpec& study, const Params& params) {
  nn::DataSpec spec = data_spec(study, params);
  StudyData data;
  data.value = tasks::load(spec);
  const nn::Dataset::Header& header = header_of(data.value);
  data.info = data_info(header);
  data.train_rows = header.train_rows;
  data.valid_rows = header.valid_rows;
  data.test_rows = header.test_rows;
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
  std::unique_ptr<StoppingRule> rule = rule_of(study);
  // Where a rung in FLOPs lies is known when a trial gets there.
  const bool decides_ever = study.early_stop_unit == Unit::epochs &&
                            rule->decides(0, std::max<std::int64_t>(1, study.max_epochs - 1));
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    std::int64_t last = borders.empty() ? 0 : borders.back();
    if (epoch == epochs || !decides_ever || rule->decides(last, epoch)) borders.push_back(epoch);
  }
  return borders;
}

NetworkWork::NetworkWork(const StudySpec& study, const rt::Runtime& runtime, rt::Path folder,
                         std::string model_file, bool sharing)
    : study_(study),
      runtime_(runtime),
      folder_(std::move(folder)),
      model_file_(std::move(model_file)),
      sharing_(sharing),
      epochs_before_(tasks::epochs_trained()) {}

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

AdaptingNetwork NetworkWork::fresh(std::uint64_t trial, const TrialSpec& spec,
                                   const StudyData& data) const {
  const std::uint64_t apart = sharing_ ? 0 : trial + 1;
  return {spec, course_of(spec, data),
          tasks::init(spec.model, spec.hyper.optimizer, data.seeds.init, apart)};
}

NetworkWork::Resumed NetworkWork::newest(const TrialContext& trial, const TrialSpec& spec,
                                         const StudyData& data) const {
  const std::span<const Reported> logged = trial.logged();
  const std::size_t usable = AdaptingNetwork::goes_on_anywhere(spec) ? logged.size() : 0;
  for (std::size_t reports = usable; reports > 0; --reports) {
    const Reported& report = logged[reports - 1];
    if (auto net = stored_network(report.checkpoint, spec))
      return {{spec, course_of(spec, data), std::move(*net), report.epochs,
               trial.rounds_before(reports)},
              report.epochs,
              reports};
  }
  return {fresh(trial.trial(), spec, data)};
}

TrialFacts NetworkWork::facts(const Params& params) {
  TrialSpec spec = spec_of(params, data_of(params));
  return {.inference_flops = static_cast<double>(nn::flops_per_row(spec.model).forward)};
}

rt::Async<void> NetworkWork::run(TrialContext& trial) {
  const StudyData& data = data_of(trial.params());
  const TrialSpec spec = spec_of(trial.params(), data);
  const std::span<const Reported> logged = trial.logged();
  Resumed resumed = newest(trial, spec, data);
  AdaptingNetwork& network = resumed.network;
  trial.go_on_behind(resumed.reports);
  for (std::int64_t border : report_borders(study_, spec.epochs)) {
    if (border <= resumed.epochs) continue;
    rt::Async<void> training = network.advance(border, trial);
    co_await std::move(training);
    const rt::Flops scoring = tasks::evaluate_cost(network.model(), data.valid_rows);
    trial.stretch(scoring.value);
    if (trial.replayed()) {
      const bool last = border == logged.back().step;
      if (last && differs(network.net(), logged.back().checkpoint))
        trial.note(trained_again(border, resumed.epochs));
      continue;
    }
    rt::Value<nn::Scores> scored =
        tasks::evaluate(network.net(), data.value, nn::Part::valid, spec.hyper.loss, scoring);
    // Asked for together, so that no turn of the driver lies between training and scoring.
    scored.demand();
    rt::Async<nn::TrainStats> trained = network.stats();
    const nn::TrainStats stats = co_await std::move(trained);
    if (stats.diverged)
      throw TrialFailure(
          Cause::diverged,
          rt::cat("the training loss became NaN or infinite before epoch ", border, " ended"));
    const nn::Scores& scores = co_await scored;
    Report report{.step = border, .epochs = border};
    report.metrics = metrics_of("valid", scores, data.info.task);
    report.metrics.emplace_back("train.loss", stats.loss);
    report.value = metric_value(report.metrics, study_.metric.name);
    report.checkpoint = network.net().key().hex();
    if (network.adapts()) {
      report.shape = nn::shape_text(network.model());
      report.weights = nn::weight_count(network.model());
      report.inference_flops = static_cast<double>(nn::flops_per_row(network.model()).forward);
    }
    if (co_await trial.report(std::move(report)) == Word::stop) co_return;
  }
}

rt::Async<ExportedModel> NetworkWork::finish(TrialRow best, Checkpoint network,
                                             std::vector<Adapted> rounds) {
  const StudyData& data = data_of(best.params);
  const TrialSpec spec = spec_of(best.params, data);
  ExportedModel made{.file = model_file_};
  std::optional<rt::Value<nn::ParamSlab>> net = stored_network(network.key, spec);
  if (!net) {
    AdaptingNetwork trained = fresh(best.trial, spec, data);
    PastTrial past(best, std::move(rounds));
    for (std::int64_t border : report_borders(study_, network.epochs)) {
      rt::Async<void> training = trained.advance(border, past);
      co_await std::move(training);
    }
    if (differs(trained.net(), network.key)) made.note = trained_again(network.epochs, 0);
    net = trained.net();
  }
  rt::Value<nn::Scores> scored = tasks::evaluate(*net, data.value, nn::Part::test, spec.hyper.loss,
                                                 tasks::evaluate_cost(spec.model, data.test_rows));
  const nn::Scores& scores = co_await scored;
  if (scores.rows > 0) made.metrics = metrics_of("test", scores, data.info.task);
  rt::Value<void> written =
      tasks::export_model(*net, data.value, (folder_ / model_file_).string(),
                          {{"study", study_.name}, {"params", json_of(best.params)}});
  try {
    co_await written;
  } catch (const rt::TaskError& error) {
    // Where it was written says more to a person than which task did it.
    throw rt::Error(error.kind(), error.details().reason);
  }
  co_return made;
}

WorkCounters NetworkWork::counters() const {
  rt::Summary summary = runtime_.summary();
  WorkCounters work;
  work.tasks = static_cast<std::int64_t>(summary.tasks);
  work.distinct_epochs = std::llround(tasks::epochs_trained() - epochs_before_);
  work.datasets_loaded = static_cast<std::int64_t>(tasks::datasets_loaded());
  work.overhead_us_per_task = summary.overhead_us_per_task;
  return work;
}

}  // namespace hpo
