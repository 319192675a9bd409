#include "bench/fidelity_play.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/driven.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"

namespace bench {

namespace {

template <class Kind>
hpo::Chosen chosen(const Kind* kind, const std::string& name, const hpo::Params& said) {
  if (kind == nullptr)
    throw base::Error(base::Errc::internal, base::cat("nothing is called ", name));
  return {.kind = name, .options = hpo::options_of(kind->info, said)};
}

hpo::StudySpec study_of(const Contender& contender, std::int64_t workers, std::uint64_t seed) {
  hpo::StudySpec study;
  study.name = "curves";
  study.seed = seed;
  study.space = curves_space();
  study.metric = {.name = "valid.loss", .goal = hpo::Goal::minimize};
  study.method = chosen(hpo::find_sampler_kind(contender.method), contender.method, {});
  study.early_stop = contender.rule;
  study.max_epochs = kCurveEpochs;
  study.parallel = workers;
  return study;
}

/// When what runs in each slot ends, in virtual time.
class Slots {
 public:
  explicit Slots(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) ends_.insert(0);
  }

  /// Whether a trial whose last span ended at `end` (nothing: it is new) has left its slot
  /// since. One that waited goes on in the slot that is free first, as new ones do.
  [[nodiscard]] bool left(std::optional<std::int64_t> end) const {
    return !end || !ends_.contains(*end);
  }
  [[nodiscard]] std::int64_t first_end() const { return *ends_.begin(); }
  /// In the slot that ends at `start` a span begins; when that one ends.
  std::int64_t begin(std::int64_t start, std::int64_t length) {
    ends_.erase(ends_.find(start));
    return *ends_.insert(start + length);
  }

 private:
  std::multiset<std::int64_t> ends_;
};

/// Reads curves instead of training. Ends the study when a trial begins, or goes on after it
/// waited, at `end` in virtual time or later.
class Reading final : public hpo::TrialWork {
 public:
  Reading(const hpo::StudySpec& study, const Curves& curves, double end)
      : study_(study),
        curves_(curves),
        end_(end),
        boundaries_(hpo::report_boundaries(study, kCurveEpochs)),
        slots_(study.parallel) {}

  std::atomic<int> over{0};

  rt::Async<void> run(hpo::TrialContext& trial) override {
    const hpo::Params params = trial.params();
    base::Stream noise(study_.seed, "noise", trial.trial());
    std::optional<std::int64_t> now;
    std::int64_t done = 0;
    for (const std::int64_t boundary : boundaries_) {
      const std::int64_t length = boundary - std::exchange(done, boundary);
      const bool enters = slots_.left(now);
      const std::int64_t start = enters ? slots_.first_end() : *now;
      if (enters && static_cast<double>(start) >= end_) over = 1;
      now = slots_.begin(start, length);
      trial.segment(static_cast<double>(length));
      const double loss = curves_.loss(params, boundary) + curves_.noise * noise.normal();
      hpo::Report report{.step = boundary, .epochs = boundary, .value = loss};
      if (co_await trial.report(std::move(report)) == hpo::Decision::stop) co_return;
    }
  }

  rt::Async<hpo::ExportedModel> finish(hpo::TrialRow, hpo::Lineage,
                                       const hpo::TrialTable&) override {
    co_return hpo::ExportedModel{};
  }

 private:
  const hpo::StudySpec& study_;
  const Curves& curves_;
  double end_;
  std::vector<std::int64_t> boundaries_;
  Slots slots_;
};

/// In memory where the system has files there.
base::Path scratch() {
  std::error_code error;
  const base::Path memory = "/dev/shm";
  const base::Path base = std::filesystem::is_directory(memory, error)
                              ? memory
                              : std::filesystem::temp_directory_path();
  return base / base::cat("trellis-bench-fidelity-", ::getpid());
}

std::vector<double> regrets_of(const base::Path& folder, std::int64_t workers, const Curves& curves,
                               std::span<const double> budgets) {
  std::vector<double> regrets;
  double best_seen = std::numeric_limits<double>::infinity(), worth = 1;
  std::map<std::uint64_t, hpo::Params> params;
  std::size_t next = 0;
  for (const hpo::EventRow& event : hpo::StudyReader(folder).events()) {
    while (next < budgets.size() && event.vtime * static_cast<double>(workers) > budgets[next]) {
      regrets.push_back(worth - curves.lowest);
      ++next;
    }
    if (event.kind != "created" && event.kind != "reported") continue;
    const hpo::EventBody& body = event.body;
    if (const auto* created = std::get_if<hpo::Created>(&body)) {
      params[*event.trial] = created->params;
    } else if (const auto& report = std::get<hpo::Reported>(body); report.value < best_seen) {
      best_seen = report.value;
      worth = curves.loss(params.at(*event.trial), report.epochs);
    }
  }
  regrets.resize(budgets.size(), worth - curves.lowest);
  return regrets;
}

}  // namespace

hpo::Chosen chosen_rule(const std::string& name, const hpo::Params& said) {
  return chosen(hpo::find_stopping_kind(name), name, said);
}

Played play(const Contender& contender, const Curves& curves, std::int64_t workers,
            std::uint64_t seed, std::span<const double> budgets) {
  const base::Path folder = scratch();
  const hpo::StudySpec study = study_of(contender, workers, seed);
  Reading work(study, curves, budgets.back() / static_cast<double>(workers));
  Played played;
  played.seconds =
      run_study(study, work, folder, {.executor = rt::Executor::sequential}, &work.over);
  played.regrets = regrets_of(folder, workers, curves, budgets);
  std::filesystem::remove_all(folder);
  return played;
}

}  // namespace bench
