#include "hpo/driver/planning/played_work.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "hpo/driver/networks/trial_plan.h"
#include "hpo/driver/planning/paper_reports.h"
#include "nn/data/load_files.h"
#include "runtime/core/ranks.h"
#include "runtime/key.h"
#include "runtime/loop.h"

namespace hpo {

namespace {

constexpr std::uint64_t kScores = 256;  ///< bytes of what an evaluation returns
constexpr base::Duration kTurn = std::chrono::milliseconds(500);

base::Key fold_of(const base::Key& key, int fold) {
  return fold == 0 ? key : rt::key_of(std::tuple(key, fold));
}

/// Bytes of the files that a data set is read from.
std::uint64_t file_bytes(const nn::DataSpec& spec) {
  std::vector<std::string> files{spec.path, spec.more};
  if (spec.kind == nn::DataKind::idx) {
    const auto all = nn::idx_files(spec.path);
    files.assign(all.begin(), all.end());
  }
  std::uint64_t bytes = 0;
  for (const std::string& file : files)
    bytes += file.empty() ? 0 : base::file_size(file).value_or(0);
  return bytes;
}

std::uint64_t largest_content(const LoadedStudy* loaded) {
  return loaded == nullptr ? 0 : nn::Dataset::byte_size(loaded->data.value.get().header());
}

}  // namespace

/// One attempt of a trial.
struct PlayedWork::Attempt {
  bool unwanted = false;
  std::int64_t cpus = 1;
  std::vector<base::Key> networks{};  ///< that it goes on with, of each fold
  std::vector<base::Key> waits_for{};
  std::optional<rt::Promise<void>> waits{};

  void stir() {
    if (waits) std::exchange(waits, std::nullopt)->set();
  }
};

PlayedWork::PlayedWork(const StudySpec& study, const LoadedStudy* loaded, const PlayedOn& on)
    : study_(study), loaded_(loaded), on_(on) {
  const auto piece_of = [this](std::uint64_t call) -> Piece* {
    const auto at = calls_.find(call);
    return at != calls_.end() ? &pieces_.at(at->second) : nullptr;
  };
  const auto stir = [this](Piece& piece) {
    stirred_ = true;
    for (const AttemptPtr& attempt : piece.waiting) attempt->stir();
  };
  nodes_ = std::make_unique<rt::net::SimulatedNodes>(
      rt::net::SimulatedNodes::Options{.platform = on.platform,
                                       .seed = on.seed,
                                       .uses_workers = on.uses_cores,
                                       .uses_gpus = on.uses_gpus,
                                       .largest = largest_content(loaded)},
      rt::net::SimulatedNodes::Listener{.ended =
                                            [=, this](std::uint64_t call, rt::net::End how) {
                                              Piece* const piece = piece_of(call);
                                              if (piece == nullptr) return;
                                              piece->over = true;
                                              piece->lost = how != rt::net::End::made;
                                              nodes_->retain(calls_.at(call));
                                              stir(*piece);
                                            },
                                        .told =
                                            [=](std::uint64_t call, std::uint32_t number) {
                                              Piece* const piece = piece_of(call);
                                              if (piece == nullptr) return;
                                              piece->told = std::max(piece->told, number);
                                              stir(*piece);
                                            }});
  if (loaded != nullptr) remember_data();
}

/// The driver has dropped all trials by now, also one that an error ended. Their coroutines have
/// not run since.
PlayedWork::~PlayedWork() {
  try {
    while (rt::poll() != 0) {
    }
  } catch (const std::exception&) {
    // Nobody wants what they say.
  }
}

/// Each node loads the data for itself, from files that come over its link.
void PlayedWork::remember_data() {
  const StudyData& data = loaded_->data;
  const std::uint64_t bytes = largest_content(loaded_);
  const base::Key file = rt::key_of(std::tuple(std::string("file"), data.content));
  data_ = rt::key_of(std::tuple(std::string("data"), data.content));
  rt::net::Call call;
  call.inputs = {file};
  call.outputs = {data_};
  call.back = {0};
  const std::uint64_t of_files = file_bytes(data_spec(study_, loaded_->params));
  double seconds = static_cast<double>(bytes) / on_.platform.cpu.bandwidth;
  if (on_.platform.runtime.load > 0)
    seconds += static_cast<double>(of_files) / on_.platform.runtime.load;
  nodes_->remember_source(
      nodes_->submission(0, std::move(call), {.seconds = seconds, .sizes = {bytes}}), file,
      of_files);
}

TrialFacts PlayedWork::facts(const Params& params) {
  if (loaded_ == nullptr) return (void)program_seconds(params), TrialFacts{};
  const TrialSpec spec = materialise(study_, params, loaded_->data.info);
  return {.inference_flops = static_cast<double>(nn::flops_per_row(spec.model).forward)};
}

double PlayedWork::program_seconds(const Params& params) const {
  if (on_.program.parameter.empty()) return on_.program.seconds;
  const ParamValue* const value = params.find(on_.program.parameter);
  if (value == nullptr) return 0;  // inactive in this trial
  if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  return std::get<double>(*value);
}

// --- waiting

rt::Async<void> PlayedWork::something(AttemptPtr attempt) {
  attempt->waits.emplace();
  const rt::Value<void> stirred = attempt->waits->value();
  in_flight_ += static_cast<int>(attempt->cpus);
  co_await stirred;
  in_flight_ -= static_cast<int>(attempt->cpus);
}

/// Until everything that the attempt asked for has ended, or nobody wants it any more. Throws where
/// a call took too many nodes with it.
rt::Async<void> PlayedWork::all_over(AttemptPtr attempt) {
  const auto open = [&](const base::Key& key) {
    const auto at = pieces_.find(key);
    return at != pieces_.end() && !at->second.over;
  };
  while (!attempt->unwanted && std::ranges::any_of(attempt->waits_for, open)) {
    rt::Async<void> waiting = something(attempt);
    co_await std::move(waiting);
  }
  if (attempt->unwanted) co_return;
  for (const base::Key& key : std::exchange(attempt->waits_for, {})) {
    const auto at = pieces_.find(key);
    if (at == pieces_.end()) continue;
    std::erase(at->second.waiting, attempt);
    if (!at->second.lost) continue;
    // Whoever asks for it again has it called again.
    calls_.erase(at->second.call);
    pieces_.erase(at);
    throw TrialFailure(Cause::lost, "each of the nodes that it ran on was lost");
  }
}

void PlayedWork::wait_for(const AttemptPtr& attempt, const base::Key& key) {
  Piece& piece = pieces_.at(key);
  if (piece.over && !piece.lost) return;
  piece.waiting.push_back(attempt);
  attempt->waits_for.push_back(key);
}

/// Work that another trial waits for goes on.
void PlayedWork::give_up(Attempt& attempt) {
  attempt.unwanted = true;
  std::vector<std::uint64_t> cancelled;
  for (const base::Key& key : std::exchange(attempt.waits_for, {})) {
    const auto at = pieces_.find(key);
    if (at == pieces_.end()) continue;
    std::erase_if(at->second.waiting, [&](const AttemptPtr& one) { return one.get() == &attempt; });
    if (at->second.over || !at->second.waiting.empty()) continue;
    cancelled.push_back(at->second.call);
    calls_.erase(at->second.call);
    pieces_.erase(at);
  }
  if (!cancelled.empty()) nodes_->cancel(cancelled);
  attempt.stir();
}

// --- trials

rt::Async<void> PlayedWork::run(TrialContext& trial) {
  const auto attempt = std::make_shared<Attempt>();
  attempt->cpus = trial_resources(study_, trial.params()).cpus;
  trial.when_void([this, attempt] { give_up(*attempt); });
  rt::Async<void> running =
      loaded_ != nullptr ? run_network(trial, attempt) : run_program(trial, attempt);
  co_await std::move(running);
}

Report PlayedWork::report_of(const TrialContext& trial, std::int64_t step) {
  ++reports_;
  const double quality = paper_quality(study_, trial.trial(), on_.draw);
  Report report{.step = step,
                .epochs = step,
                .value = paper_value(quality, step, study_.metric.goal == Goal::maximize)};
  report.metrics.emplace_back(study_.metric.name, report.value);
  for (const Metric& other : study_.others)
    report.metrics.emplace_back(other.name,
                                paper_value(quality, step, other.goal == Goal::maximize));
  return report;
}

rt::Async<void> PlayedWork::run_program(TrialContext& trial, AttemptPtr attempt) {
  const bool stops = study_.early_stop.kind != "none";
  const std::int64_t reports = stops ? std::max<std::int64_t>(1, study_.max_epochs) : 1;
  const double seconds = program_seconds(trial.params());
  const auto logged = trial.logged();
  const std::int64_t behind = logged.empty() ? 0 : logged.back().step;
  trial.go_on_behind(logged.size());
  const base::Key key = rt::key_of(std::tuple(std::string("program"), trial.trial(), ++last_call_));
  rt::net::Call call;
  call.cpus = static_cast<std::int32_t>(attempt->cpus);
  call.long_running = true;
  call.outputs = {key};
  call.back = {1};
  pieces_[key].call = last_call_;
  calls_[last_call_] = key;
  nodes_->submit({nodes_->submission(last_call_, std::move(call),
                                     {.seconds = seconds,
                                      .sizes = {kScores},
                                      .tells = static_cast<std::uint32_t>(reports),
                                      .start = on_.platform.runtime.start,
                                      .stop = on_.platform.runtime.stop,
                                      .told = on_.platform.runtime.report})});
  wait_for(attempt, key);
  for (std::int64_t step = 1; step <= reports; ++step) {
    const auto is_told = [&] {
      const Piece& piece = pieces_.at(key);
      return piece.over || piece.told >= step;
    };
    while (!attempt->unwanted && !is_told()) {
      rt::Async<void> waiting = something(attempt);
      co_await std::move(waiting);
    }
    if (attempt->unwanted || pieces_.at(key).lost) break;
    if (step <= behind) continue;
    trial.outside(1, seconds / static_cast<double>(reports));
    rt::Async<Decision> deciding = trial.report(report_of(trial, step));
    if (co_await std::move(deciding) == Decision::stop) break;
  }
  if (attempt->unwanted) co_return;
  rt::Async<void> ending = all_over(attempt);
  co_await std::move(ending);
}

rt::Async<void> PlayedWork::run_network(TrialContext& trial, AttemptPtr attempt) {
  const StudyData& data = loaded_->data;
  const TrialSpec spec = materialise(study_, trial.params(), data.info);
  const nn::DataSpec part = data_spec(study_, trial.params());
  const int networks = std::max(1, part.split.folds);
  Forecast forecast(spec, data, rt::key_of(part));
  const Lineage& lineage = trial.lineage();
  std::int64_t behind = 0;
  std::string begins_with;
  if (const auto logged = trial.logged(); !logged.empty()) {
    trial.go_on_behind(logged.size());
    behind = logged.back().step;
    begins_with = logged.back().checkpoint;
  } else if (lineage.size() > 1) {
    behind = lineage.back().from;
    begins_with = lineage[lineage.size() - 2].network.key;
  }
  const auto key = base::Key::from_hex(begins_with);
  for (int fold = 0; key && fold < networks; ++fold)
    attempt->networks.push_back(fold_of(*key, fold));
  for (const std::int64_t boundary : report_boundaries(study_, spec.epochs)) {
    const std::vector<Work> works = forecast.advance(boundary);
    if (boundary <= behind) continue;
    double flops = 0;
    for (const Work& work : works) flops += networks * work.flops;
    trial.segment(flops);
    call_for(attempt, works, networks, spec.resources.cpus);
    rt::Async<void> working = all_over(attempt);
    co_await std::move(working);
    if (attempt->unwanted) co_return;
    Report report = report_of(trial, boundary);
    report.over = boundary == spec.epochs;
    if (!attempt->networks.empty()) report.checkpoint = attempt->networks.front().hex();
    report.steps = counted_steps(study_, data, spec, boundary);
    rt::Async<Decision> deciding = trial.report(std::move(report));
    if (co_await std::move(deciding) == Decision::stop) co_return;
  }
}

void PlayedWork::call_for(const AttemptPtr& attempt, const std::vector<Work>& works, int networks,
                          std::int64_t cpus) {
  attempt->networks.resize(static_cast<std::size_t>(networks));
  for (int fold = 0; fold < networks; ++fold) {
    base::Key& network = attempt->networks[static_cast<std::size_t>(fold)];
    std::vector<rt::net::Submission> parcel;
    for (Work work : works) {
      work.key = fold_of(work.key, fold);
      const bool is_new = pieces_.try_emplace(work.key).second;
      if (is_new) {
        std::vector<base::Key> inputs{data_};
        if (network) inputs.push_back(network);
        parcel.push_back(call_of(work, std::move(inputs), cpus));
        pieces_.at(work.key).call = last_call_;
        calls_[last_call_] = work.key;
      }
      wait_for(attempt, work.key);
      if (work.goes_on) network = work.key;
    }
    if (!parcel.empty()) nodes_->submit(std::move(parcel));
  }
}

rt::net::Submission PlayedWork::call_of(const Work& work, std::vector<base::Key> inputs,
                                        std::int64_t cpus) {
  const bool on_gpu = on_.platform.gpu.count > 0 && work.step_flops >= on_.gpu_from;
  const rt::Device kind = on_gpu ? rt::Device::cuda : rt::Device::cpu;
  const double seconds = seconds_of(work, kind);
  rt::net::Call call;
  call.device = kind;
  call.cpus = static_cast<std::int32_t>(on_gpu ? 1 : cpus);
  call.priority = rt::detail::rank_of_seconds(seconds);
  call.inputs = std::move(inputs);
  call.outputs = {work.key};
  call.back = {static_cast<std::uint8_t>(work.goes_on ? 0 : 1)};
  return nodes_->submission(++last_call_, std::move(call),
                            {.seconds = seconds, .sizes = {work.goes_on ? work.slab : kScores}});
}

double PlayedWork::seconds_of(const Work& work, rt::Device kind) const {
  const rt::DeviceModel& device = on_.platform.of(kind);
  // Candidates of a race have their FLOPs counted and nothing else.
  const double computing =
      work.counted.flops > 0 ? rt::seconds_on(device, work.counted) : work.flops / device.peak;
  return computing + rt::seconds_to_move(device, work.brought) +
         static_cast<double>(work.steps) * on_.platform.runtime.step;
}

rt::Async<ExportedModel> PlayedWork::finish(TrialRow, Lineage, const TrialTable&) {
  co_return ExportedModel{};
}

// --- time

void PlayedWork::pass_time(std::size_t running) {
  const base::Moment begin = now();
  if (base::seconds(begin - base::Moment{}) > on_.most_seconds)
    throw base::Error(base::Errc::no_device, "nodes are lost so often that the study does not end");
  stirred_ = false;
  while (!stirred_ && now() - begin < kTurn) {
    const rt::net::SimulatedNodes::Use before = nodes_->use();
    const base::Moment from = now();
    if (!nodes_->step())
      throw base::Error(base::Errc::no_device,
                        "all nodes are lost before the study ends, and none comes back: give "
                        "nodes.back in the platform file");
    count(before, base::seconds(now() - from), running);
  }
}

/// Idle slots have the first of these causes that holds for so many of them.
void PlayedWork::count(const rt::net::SimulatedNodes::Use& use, double seconds,
                       std::size_t running) {
  if (seconds <= 0) return;
  int idle = use.slots - use.lost - use.busy;
  const auto take = [&](double& cause, int slots) {
    const int taken = std::clamp(slots, 0, idle);
    cause += seconds * taken;
    idle -= taken;
  };
  use_.slots += seconds * use.slots;
  use_.busy += seconds * use.busy;
  use_.lost += seconds * use.lost;
  take(use_.transfers, use.fetching);
  // Parcels and answers on their way, and parcels that wait for one node while another is idle.
  take(use_.transfers, in_flight_ - use.busy - use.fetching);
  const auto trials = static_cast<int>(running);
  const auto slots = static_cast<int>(study_.parallel);
  take(use_.rule, trials - in_flight_);
  take(use_.end, slots - trials);
  take(use_.parallel, idle);
}

}  // namespace hpo
