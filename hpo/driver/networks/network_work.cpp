#include "hpo/driver/networks/network_work.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "hpo/driver/networks/judging.h"
#include "hpo/driver/networks/model_card.h"
#include "hpo/driver/networks/trial_plan.h"
#include "hpo/search/search.h"
#include "hpo/study/gpus.h"
#include "hpo/study/metric_names.h"
#include "hpo/study/words.h"
#include "nn/losses/loss.h"
#include "nn/metrics/metric.h"
#include "nn/model/model_file.h"
#include "runtime/async.h"
#include "runtime/codec.h"
#include "runtime/failure.h"
#include "runtime/nodes.h"
#include "runtime/on.h"
#include "tasks/device.h"
#include "tasks/judging.h"
#include "tasks/open_gangs.h"

namespace hpo {

namespace {

ConfusionTable table_of(const nn::Confusion& confusion, std::vector<std::string> classes,
                        std::string part) {
  ConfusionTable table{.part = std::move(part), .classes = std::move(classes), .counts = {}};
  for (std::size_t truth = 0; truth < table.classes.size(); ++truth) {
    auto& row = table.counts.emplace_back();
    for (std::size_t c = 0; c < table.classes.size(); ++c) row.push_back(confusion.at(truth, c));
  }
  return table;
}

std::string name_of(const nn::DataSpec& spec) {
  base::Bytes bytes = rt::encode(spec);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether a network is another one than the log's.
bool differs(const rt::Value<nn::ParamSlab>& net, std::string_view logged) {
  return !logged.empty() && net.key().hex() != logged;
}

/// The logged report of that boundary, which the log has.
const Reported& report_at(std::int64_t boundary, std::span<const Reported> logged) {
  return *std::ranges::find(logged, boundary, &Reported::step);
}

/// Whether the sampler decides about the trial at that boundary or a later one.
bool pauses_from(std::int64_t boundary, const std::vector<std::int64_t>& boundaries,
                 const TrialContext& trial) {
  return std::ranges::any_of(
      boundaries, [&](std::int64_t later) { return later >= boundary && trial.pauses(later); });
}

/// Of a network that is no good any more.
nn::Scores no_scores(const nn::Choice& loss, const nn::Dataset::Header& data) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  nn::Scores scores{.loss = kNone, .accuracy = kNone};
  for (std::string& name : nn::measured_names(nn::target_kind(loss.kind), data.targets))
    scores.metrics.emplace_back(std::move(name), kNone);
  return scores;
}

rt::Value<nn::Scores> scored(const rt::Value<nn::ParamSlab>& net, const nn::ModelSpec& model,
                             nn::Part part, const TrialSpec& spec, const StudyData& data,
                             rt::Flops cost) {
  const rt::On device = device_for(model, spec);
  return tasks::evaluate(net, data.value, part, spec.hyper.loss, cost);
}

rt::Value<nn::ClassScores> class_scored(const rt::Value<nn::ParamSlab>& net,
                                        const nn::ModelSpec& model, nn::Part part,
                                        const TrialSpec& spec, const StudyData& data,
                                        rt::Flops cost) {
  const rt::On device = device_for(model, spec);
  return tasks::evaluate_classes(net, data.value, part, spec.hyper.loss, cost);
}

/// How long a row takes there.
rt::Value<double> timed(const rt::Value<nn::ParamSlab>& net, const nn::ModelSpec& model,
                        const TrialSpec& spec, const StudyData& data) {
  const rt::On device = device_for(model, spec);
  return tasks::row_latency(net, data.value, nn::Part::valid);
}

std::string trained_again(std::int64_t epoch, std::int64_t from) {
  return base::cat("the network of epoch ", epoch, " is not in the store any more: trained again ",
                   from == 0 ? "from the beginning" : base::cat("from epoch ", from),
                   ", with another arithmetic than the one that reported");
}

}  // namespace

Metrics metrics_of(std::string_view part, const nn::Scores& scores) {
  Metrics metrics{{base::cat(part, ".loss"), scores.loss}};
  for (const auto& [name, value] : scores.metrics)
    metrics.emplace_back(base::cat(part, ".", name), value);
  return metrics;
}

double metric_value(const Metrics& metrics, const std::string& name) {
  for (const auto& [known, value] : metrics) {
    if (known == name) return value;
  }
  throw base::Error(base::Errc::study,
                    base::cat("metric '", name, "' is not one that a trial reports"));
}

void add_counted(Metrics& metrics, const StudySpec& study, const nn::ModelSpec& model) {
  for (const std::string& name : deciding_metrics(study)) {
    if (name == "weights") metrics.emplace_back(name, nn::weight_count(model));
    if (name == "inference_flops")
      metrics.emplace_back(name, static_cast<double>(nn::flops_per_row(model).forward));
  }
}

TrialFailure diverged_before(std::int64_t epoch) {
  return {Cause::diverged,
          base::cat("the training loss became NaN or infinite before epoch ", epoch, " ended")};
}

void require_resources(const TrialResources& asked, int workers, int gpus) {
  auto refuse = [](std::string_view what, const std::string& wanted, const std::string& there) {
    throw base::Error(base::Errc::no_device, base::cat("resources.", what, ": each trial needs ",
                                                       wanted, ", this machine has ", there));
  };
  if (asked.cpus > workers) refuse("cpus", std::to_string(asked.cpus), std::to_string(workers));
  if (asked.gpus > gpus) refuse("gpus", base::format_double(asked.gpus), std::to_string(gpus));
  if (!asked.memory) return;
  const std::uint64_t memory = base::usable_memory();
  if (*asked.memory > memory)
    refuse("memory", base::format_bytes(*asked.memory), base::format_bytes(memory));
}

void require_resources(const TrialResources& asked, const rt::Runtime& runtime) {
  // Workers are counted where the tasks run, which nobody can tell before agents have come.
  const int workers = rt::takes_agents() ? std::numeric_limits<int>::max() : runtime.workers();
  require_resources(asked, workers, runtime.gpus());
}

void require_resources(const TrialResources& asked) {
  // Looking at the machine takes a hundred files, and this is asked for every trial.
  const int cores = asked.cpus > 1 ? base::usable_cores() : 1;
  const int gpus = asked.gpus > 0 ? static_cast<int>(base::gpu_names().size()) : 0;
  require_resources(asked, cores, gpus);
}

void prepare_gpu(const TrialResources& asked) {
  if (asked.gpus > 1) {
    throw base::Error(base::Errc::no_device, base::cat("resources.gpus: each trial needs ",
                                                       base::format_double(asked.gpus),
                                                       ", but a network trains on one at most"));
  }
  if (device_rule(asked).gpu_from < kNoGpu) tasks::setup_gpus();
}

void require_precision(kern::Precision precision, const TrialResources& asked) {
  if (device_rule(asked).gpu_from <= 0) return;
  const std::string lacking = tasks::cores_lack(precision);
  if (lacking.empty()) return;
  throw base::Error(base::Errc::no_device, base::cat("precision: ", kern::precision_name(precision),
                                                     " for a core: ", lacking));
}

void require_isa(const StudySpec& study) {
  const std::string_view isa = study::to_word(study.resources.isa);
  if (isa.empty()) return;
  const std::string lacking = tasks::isa_lacks(isa);
  if (!lacking.empty())
    throw base::Error(base::Errc::no_device, base::cat("resources.isa: ", isa, ": ", lacking));
}

std::int64_t counted_steps(const StudySpec& study, const StudyData& data, const TrialSpec& spec,
                           std::int64_t epochs) {
  if (study.early_stop_unit != Unit::steps) return 0;
  return nn::steps_in({0, epochs, 1}, static_cast<std::int64_t>(data.train_rows), spec.hyper.batch);
}

std::vector<std::int64_t> report_boundaries(const StudySpec& study, std::int64_t epochs) {
  std::vector<std::int64_t> boundaries;
  std::unique_ptr<StoppingRule> rule = rule_of(study);
  // Where a rung in another unit lies is known when a trial gets there.
  const bool decides_ever =
      counts_epochs(study) && rule->decides(0, std::max<std::int64_t>(1, study.max_epochs - 1));
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    std::int64_t last = boundaries.empty() ? 0 : boundaries.back();
    if (epoch == epochs || !decides_ever || rule->decides(last, epoch)) boundaries.push_back(epoch);
  }
  return boundaries;
}

NetworkWork::NetworkWork(const StudySpec& study, const rt::Runtime& runtime, base::Path folder,
                         std::string model_file, bool sharing)
    : study_(study),
      runtime_(runtime),
      folder_(std::move(folder)),
      model_file_(std::move(model_file)),
      sharing_(sharing),
      data_varies_(study.data.varies()),
      counted_before_(counted_by_tasks()) {}

void NetworkWork::provide(const Params& params, StudyData data) {
  asked_.reset();
  asked_data_.reset();
  data_.insert_or_assign(name_of(data_spec(study_, params)), std::move(data));
}

const StudyData& NetworkWork::data_of(const nn::DataSpec& spec) {
  std::string name = name_of(spec);
  auto found = data_.find(name);
  if (found == data_.end()) found = data_.emplace(std::move(name), load_data(study_, spec)).first;
  return found->second;
}

const StudyData& NetworkWork::data_of(const Params& params) {
  if (!asked_data_ || (data_varies_ && asked_data_->first != params))
    asked_data_.emplace(params, &data_of(data_spec(study_, params)));
  return *asked_data_->second;
}

PlanPtr NetworkWork::plan_of(const Params& params, const StudyData& data) const {
  const bool same_data = asked_ && asked_->data == &data;
  if (same_data && asked_->params == params) return asked_->plan;
  PlanPtr plan = plan_trial(study_, params, data.info, data.seeds.shuffle,
                            same_data ? asked_->plan.get() : nullptr);
  require_resources(plan->spec.resources, runtime_);
  if (runtime_.executor() != rt::Executor::simulated) {
    prepare_gpu(plan->spec.resources);
    require_precision(plan->spec.hyper.precision, plan->spec.resources);
  }
  asked_ = Asked{params, &data, plan};
  return plan;
}

TrialFacts NetworkWork::facts(const Params& params) {
  const PlanPtr plan = plan_of(params, data_of(params));
  return {.inference_flops = static_cast<double>(plan->network->row.forward)};
}

rt::Async<NetworkWork::Validated> NetworkWork::validate(AdaptingNetwork& network,
                                                        const TrialSpec& spec,
                                                        const StudyData& data, rt::Flops scoring) {
  rt::Value<nn::Scores> scores = scored(network.net(), as_born_ ? spec.model : network.model(),
                                        nn::Part::valid, spec, data, scoring);
  // Scores bring the training with them, and the driver wakes up once. What went wrong in the
  // training comes first.
  Validated now;
  std::exception_ptr not_scored;
  try {
    now.scores = co_await scores;
  } catch (...) {
    not_scored = std::current_exception();
  }
  rt::Async<nn::TrainStats> trained = network.stats();
  const nn::TrainStats stats = co_await std::move(trained);
  now.loss = stats.loss;
  now.diverged = stats.diverged;
  if (!stats.diverged && not_scored) std::rethrow_exception(not_scored);
  co_return now;
}

rt::Async<void> NetworkWork::run(TrialContext& trial) {
  const StudyData& data = data_of(trial.params());
  const PlanPtr plan = plan_of(trial.params(), data);
  const TrialSpec& spec = plan->spec;
  const std::span<const Reported> logged = trial.logged();
  rt::Async<Grown> beginning = begin(trial, plan, data);
  Grown begun = co_await std::move(beginning);
  AdaptingNetwork& network = begun.network;
  const std::vector<std::int64_t> boundaries = report_boundaries(study_, spec.epochs);
  std::optional<std::int64_t> diverged;  // before that boundary
  for (const std::int64_t boundary : boundaries) {
    if (boundary <= begun.epochs) continue;
    if (!diverged) {
      rt::Async<void> training = network.advance(boundary, trial);
      co_await std::move(training);
    }
    const rt::Flops scoring = tasks::evaluate_cost(network.flops_per_row(), data.valid_rows);
    trial.segment(scoring.value);
    if (trial.replayed()) {
      if (report_at(boundary, logged).checkpoint.empty()) {
        if (!diverged) diverged = boundary;
        if (trial.pauses(boundary)) throw diverged_before(*diverged);
      } else if (boundary == logged.back().step &&
                 differs(network.net(), logged.back().checkpoint)) {
        trial.note(trained_again(boundary, begun.epochs));
      }
      continue;
    }
    Validated now{.scores = {}, .loss = std::numeric_limits<double>::quiet_NaN(), .diverged = true};
    if (!diverged) {
      rt::Async<Validated> validating = validate(network, spec, data, scoring);
      now = co_await std::move(validating);
    }
    if (now.diverged && !diverged) {
      if (!pauses_from(boundary, boundaries, trial)) throw diverged_before(boundary);
      diverged = boundary;
    }
    if (diverged) now.scores = no_scores(spec.hyper.loss, data.value.get().header());
    Report report{.step = boundary, .epochs = boundary};
    report.metrics = metrics_of("valid", now.scores);
    report.metrics.emplace_back("train.loss", now.loss);
    if (measures_latency(study_)) {
      double seconds = std::numeric_limits<double>::quiet_NaN();
      if (!diverged) {
        const rt::Value<double> timing = timed(network.net(), network.model(), spec, data);
        seconds = co_await timing;
      }
      report.metrics.emplace_back(study::kLatency, seconds);
    }
    add_counted(report.metrics, study_, network.model());
    report.value = metric_value(report.metrics, study_.metric.name);
    report.over = boundary == spec.epochs && !diverged;
    if (!diverged) report.checkpoint = network.net().key().hex();
    if (!diverged && study_.train.staleness && study_.train.staleness->by_arrival())
      newest_.emplace(report.checkpoint, network.net());
    report.steps = counted_steps(study_, data, spec, boundary);
    if (network.adapts() || !study_.reshape.empty()) {
      report.shape = nn::shape_text(network.model());
      report.weights = nn::weight_count(network.model());
      report.inference_flops = static_cast<double>(network.flops_per_row().forward);
    }
    const bool may_be_replaced = trial.pauses(boundary);
    if (co_await trial.report(std::move(report)) == Decision::stop) co_return;
    if (diverged && may_be_replaced) throw diverged_before(*diverged);
  }
}

rt::Async<ExportedModel> NetworkWork::finish(TrialRow best, Lineage lineage,
                                             const TrialTable& trials) {
  if (model_file_.empty()) co_return ExportedModel{};
  const StudyData& data = data_of(best.params);
  PlanPtr plan = plan_of(best.params, data);
  const Checkpoint wanted = lineage.back().network;
  rt::Async<Grown> growing = grow(std::move(lineage));
  const Grown grown = co_await std::move(growing);
  const rt::Value<nn::ParamSlab> net = grown.network.net();
  ExportedModel made;
  if (grown.epochs < wanted.epochs && differs(net, wanted.key))
    made.note = trained_again(wanted.epochs, grown.epochs);
  rt::Async<ExportedModel> writing = write(std::move(made),
                                           {.net = net,
                                            .model = grown.network.model(),
                                            .plan = std::move(plan),
                                            .data = &data,
                                            .trial = std::move(best)},
                                           trials);
  co_return co_await std::move(writing);
}

rt::Async<Metrics> NetworkWork::replayed(rt::Value<nn::ParamSlab> net, nn::ModelSpec model,
                                         PlanPtr plan, const StudyData& data) const {
  Metrics metrics;
  if (data.model.empty()) co_return metrics;
  const TrialSpec& spec = plan->spec;
  const nn::ModelSpec& born = plan->network->header.spec;
  const rt::Value<nn::ParamSlab> first = first_network(0, *plan, data);
  const rt::Value<nn::Scores> fresh =
      scored(first, born, nn::Part::valid, spec, data, tasks::evaluate_cost(born, data.valid_rows));
  if (data.valid_rows > 0) metrics = metrics_of("valid_before", co_await fresh);
  if (data.replay_rows == 0) co_return metrics;
  const rt::Value<nn::Scores> before = scored(first, born, nn::Part::replay, spec, data,
                                              tasks::evaluate_cost(born, data.replay_rows));
  const rt::Value<nn::Scores> after = scored(net, model, nn::Part::replay, spec, data,
                                             tasks::evaluate_cost(model, data.replay_rows));
  for (auto& metric : metrics_of("replay_before", co_await before))
    metrics.push_back(std::move(metric));
  for (auto& metric : metrics_of("replay", co_await after)) metrics.push_back(std::move(metric));
  co_return metrics;
}

rt::Async<ExportedModel> NetworkWork::write(ExportedModel made, Winner winner,
                                            const TrialTable& trials) {
  made.file = model_file_;
  const rt::Value<nn::ParamSlab>& net = winner.net;
  const nn::ModelSpec& model = winner.model;
  const StudyData& data = *winner.data;
  const TrialSpec& spec = winner.plan->spec;
  const nn::Dataset::Header& header = data.value.get().header();
  const bool tested = header.test_rows > 0;
  const nn::Part part = tested ? nn::Part::test : nn::Part::valid;
  const rt::Flops cost = tasks::evaluate_cost(model, tested ? header.test_rows : header.valid_rows);
  if (!header.class_names.empty() && header.class_names.size() <= nn::kMostConfused) {
    const rt::Value<nn::ClassScores> answered = class_scored(net, model, part, spec, data, cost);
    const nn::ClassScores& classes = co_await answered;
    if (tested) made.metrics = metrics_of("test", classes.scores);
    made.confusion = table_of(classes.confusion, header.class_names, tested ? "test" : "valid");
  } else if (tested) {
    const rt::Value<nn::Scores> answered = scored(net, model, part, spec, data, cost);
    made.metrics = metrics_of("test", co_await answered);
  }
  rt::Async<Metrics> remembering = replayed(net, model, winner.plan, data);
  for (auto& metric : co_await std::move(remembering)) made.metrics.push_back(std::move(metric));
  if (baselines_ != nullptr) {
    answer_unseen(winner);
    const auto weights_of = [&](const TrialRow& trial) {
      const std::vector<Reported>& reports = trials.adapting_reports(trial.trial);
      if (!reports.empty()) return reports.back().weights;
      return nn::weight_count(plan_of(trial.params, data_of(trial.params))->spec.model);
    };
    rt::Async<Verdict> judging = judge(study_, winner, *baselines_, trials, weights_of);
    made.verdict = co_await std::move(judging);
    rt::Async<std::optional<Calibrated>> calibrating = calibrate(study_, winner);
    made.calibration = co_await std::move(calibrating);
    rt::Async<std::vector<NamedEstimate>> estimating = estimates_of(winner);
    made.estimates = co_await std::move(estimating);
  }
  const nn::Choice loss = nn::written_out(spec.hyper.loss, data.value.get().view(nn::Part::train));
  std::map<std::string, std::string> texts{{"study", study_.name},
                                           {"params", json_of(winner.trial.params)},
                                           {"loss", nn::choice_json(loss)},
                                           {"content", data.file_content}};
  if (made.verdict) texts.emplace(std::string(nn::kVerdictText), json_of(*made.verdict));
  if (winner.calibration)
    texts.emplace(std::string(nn::kCalibrationText), nn::calibration_json(*winner.calibration));
  const auto exported = [&](const std::string& file, bool with_optimizer) {
    return tasks::export_model(net, data.value, (folder_ / file).string(), texts, with_optimizer);
  };
  rt::Async<std::string> describing = describe(made, winner);
  const std::string card = co_await std::move(describing);
  // One of an earlier network would go on with that.
  if (!optimizer_file_.empty()) base::remove_file(folder_ / optimizer_file_);
  rt::Value<void> written = exported(model_file_, false), state;
  const bool with_state = !optimizer_file_.empty() && winner.plan->network->header.slots > 0;
  if (with_state) state = exported(optimizer_file_, true);
  try {
    co_await written;
    if (with_state) co_await state;
  } catch (const rt::TaskError& error) {
    // Where it was written says more to a person than which task did it.
    throw base::Error(error.kind(), error.details().reason);
  }
  if (!card.empty()) base::write_file_atomic(folder_ / card_file(model_file_), card);
  co_return made;
}

rt::Async<std::string> NetworkWork::describe(const ExportedModel& made, const Winner& winner) {
  if (baselines_ == nullptr) co_return "";
  CardFacts facts{.model_file = model_file_,
                  .arithmetic = tasks::arithmetic(study_.precision),
                  .tested = made.metrics,
                  .intervals = made.estimates,
                  .baselines = {},
                  .verdict = made.verdict};
  rt::Async<void> comparing = baselines_->ready();
  co_await std::move(comparing);
  facts.baselines = baselines_->rows();
  if (made.calibration)
    facts.tested.insert(facts.tested.end(), made.calibration->metrics.begin(),
                        made.calibration->metrics.end());
  co_return model_card(study_, winner, facts);
}

std::vector<double> counted_by_tasks() {
  const tasks::VisitorUse visitors = tasks::visitors_of_trainings();
  return {tasks::epochs_trained(), static_cast<double>(tasks::datasets_loaded()),
          tasks::tree_seconds(), visitors.joined, visitors.seconds};
}

WorkCounters NetworkWork::counters() const {
  rt::Summary summary = runtime_.summary();
  WorkCounters work;
  work.tasks = static_cast<std::int64_t>(summary.tasks);
  std::vector<double> counted = counted_by_tasks();
  // The driver of agents has read the data, too, but for its shape alone.
  if (rt::takes_agents()) counted[1] = 0;
  const std::vector<double> elsewhere = rt::agent_totals();
  for (std::size_t i = 0; i < std::min(counted.size(), elsewhere.size()); ++i)
    counted[i] += elsewhere[i];
  work.distinct_epochs = std::llround(counted[0] - counted_before_[0]);
  work.datasets_loaded = std::llround(counted[1]);
  work.tree_seconds = counted[2] - counted_before_[2];
  work.visitors = std::llround(counted[3] - counted_before_[3]);
  work.visitor_seconds = counted[4] - counted_before_[4];
  work.overhead_us_per_task = summary.overhead_us_per_task;
  return work;
}

}  // namespace hpo
