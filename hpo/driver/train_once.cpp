// One network without a search: the work of a single trial under a context that lets it run to its
// end.

#include <utility>

#include "hpo/driver/network_work.h"
#include "hpo/driver/run_config.h"
#include "hpo/driver/sweep.h"
#include "runtime/async.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/group.h"
#include "runtime/loop.h"
#include "runtime/value.h"

namespace hpo {

namespace {

constexpr const char* kModelFile = "model.safetensors";
constexpr rt::Duration kTick = std::chrono::milliseconds(500);

/// A trial that nobody stops: its reports go to the observer.
class LoneTrial final : public TrialContext {
 public:
  LoneTrial(Params params, Observer& observer) : observer_(observer) {
    row_.params = std::move(params);
  }

  std::uint64_t trial() const override { return 0; }
  const Params& params() const override { return row_.params; }
  const Reported* last_logged() const override { return nullptr; }
  void stretch(double flops) override { row_.train_flops += flops; }
  bool replayed() override { return false; }
  void skip_logged() override {}

  rt::Async<Word> report(Report report) override {
    row_.value = report.value;
    row_.metrics = std::move(report.metrics);
    row_.step = report.step;
    row_.epochs = report.epochs;
    row_.state = TrialState::running;
    observer_.trial_reported(row_);
    co_return Word::go;
  }

  TrialRow& row() { return row_; }

 private:
  TrialRow row_;
  Observer& observer_;
};

rt::Async<ExportedModel> train_and_write(NetworkWork& work, LoneTrial& trial) {
  co_await work.run(trial);
  trial.row().state = TrialState::complete;
  co_return co_await work.finish(trial.row());
}

void take_result(TrainResult& result, const rt::Value<ExportedModel>& written,
                 const rt::Path& folder) {
  try {
    const ExportedModel& made = written.get();
    for (const auto& metric : made.metrics) result.trial.metrics.push_back(metric);
    result.model = folder / made.file;
  } catch (const rt::Error& error) {
    try {
      std::rethrow_if_nested(error);
      throw;
    } catch (const TrialFailure& failure) {
      result.trial.state = TrialState::failed;
      result.trial.cause = failure.cause();
      result.trial.message = failure.what();
      result.ending = Ending::nothing_usable;
    } catch (const rt::Error&) {
      throw;
    } catch (...) {
      throw error;
    }
  } catch (const TrialFailure& failure) {
    result.trial.state = TrialState::failed;
    result.trial.cause = failure.cause();
    result.trial.message = failure.what();
    result.ending = Ending::nothing_usable;
  }
}

}  // namespace

TrainResult train_once(const StudySpec& study, const Params& params, const RunOptions& options,
                       Observer& observer) {
  rt::make_folder(options.folder);
  rt::require_writable(options.folder);
  tasks::setup_process();
  rt::Runtime runtime(config_of(options));
  rt::Moment begun = rt::now();
  StudyData data = load_data(study, params);
  StudySpec settled = settle(study, data.info);
  NetworkWork work(settled, runtime, options.folder, kModelFile);
  work.provide(params, data);
  LoneTrial trial(params, observer);
  TrainResult result;
  rt::Group group("train");
  {
    auto scope = group.enter();
    rt::Value<ExportedModel> written = rt::spawn(train_and_write(work, trial));
    while (rt::poll() != 0 || !written.ready()) {
      if (options.interrupts && options.interrupts->load() > 0) {
        group.cancel();
        result.ending = Ending::interrupted;
        break;
      }
      if (!written.ready()) rt::wait_event(kTick);
    }
    result.trial = trial.row();
    if (result.ending == Ending::done) {
      take_result(result, written, options.folder);
    }
  }
  result.seconds = rt::seconds_since(begun);
  return result;
}

}  // namespace hpo
