// A study that really trains: small networks on a small table, in no time.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>

#include "base/text.h"
#include "hpo/driver/driver.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/study/spec.h"
#include "runtime/config.h"
#include "runtime/gpu_failure.h"
#include "runtime/instance.h"
#include "runtime/process.h"
#include "runtime/store.h"
#include "tasks/device.h"
#include "tests/support/temp_folder.h"

namespace hpo {

/// Stops the sweep after so many reports are on disk.
struct Stopper : Observer {
  explicit Stopper(int reports) : left(reports) {}
  void trial_reported(const TrialRow&) override {
    if (--left == 0) asked = 1;
  }
  void note(std::string_view line) override { notes += base::cat(line, "\n"); }
  int left;
  std::atomic<int> asked{0};
  std::string notes;
};

class SmallStudy : public testing::Test {
 protected:
  SmallStudy() {
    tasks::setup_process();
    std::string rows = "a,b,c,kind\n";
    for (int i = 0; i < 120; ++i) {
      const int a = i * 37 % 101 - 50, b = i * 53 % 97 - 48, c = i * 29 % 89 - 44;
      rows += base::cat(a * 0.5, ",", b, ",", c, ",", a + b > c ? "yes" : "no", "\n");
    }
    base::write_file_atomic(folder_ / "rows.csv", rows);
  }
  ~SmallStudy() override { rt::set_fingerprint(tasks::arithmetic()); }

  /// Three trials of six epochs, one after the other.
  [[nodiscard]] StudySpec study(const std::string& more = "",
                                const std::string& limits = "{trials: 3}") const {
    return parse_study(base::cat("name: small\n"
                                 "data: {csv: rows.csv, target: kind}\n"
                                 "network: [dense: {units: $width}]\n"
                                 "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 6}\n"
                                 "method: random\nearly_stop: none\nparallel: 1\n"
                                 "parameters: {width: {type: int, min: 4, max: 400}}\n"
                                 "limits: ",
                                 limits, "\n", more),
                       "small.yaml", folder_.path().string());
  }

  [[nodiscard]] base::Path run() const { return folder_ / "run"; }
  [[nodiscard]] base::Path store() const { return folder_ / "store"; }

  struct Session {
    DriverEnd end = DriverEnd::interrupted;
    std::int64_t epochs = 0;  ///< really trained
  };

  /// One session under an arithmetic of that name.
  Session session(const StudySpec& file, const std::string& arithmetic, Stopper& stopper) const {
    rt::set_fingerprint(arithmetic);
    EventLog log(run());
    rt::Runtime runtime({.workers = 2,
                         .executor = executor_,
                         .workers_per_gpu = workers_per_gpu_,
                         .pretended_gpus = pretended_gpus_,
                         .pretended_memory = pretended_memory_,
                         .gpu_reserve = tasks::gpu_reserve(),
                         .gpu_failed = gpu_failed_,
                         .store = std::make_shared<rt::Store>(rt::StoreConfig{.folder = store()})});
    const Params some = file.space.from_unit(std::vector<double>(file.space.size(), 0.5));
    const StudyData data = load_data(file, some);
    const StudySpec settled = settle(file, data.info);
    if (!log.facts())
      log.begin({.name = settled.name,
                 .metric = settled.metric.name,
                 .objective = objective_of(settled),
                 .parameters = {"width"},
                 .resolved = resolved_yaml(settled)});
    NetworkWork work(settled, runtime, run(), "best.safetensors");
    work.provide(some, data);
    const auto before = static_cast<std::int64_t>(tasks::epochs_trained());
    Driver driver({.study = settled,
                   .log = log,
                   .runtime = runtime,
                   .work = work,
                   .observer = stopper,
                   .folder = run(),
                   .interrupts = &stopper.asked,
                   .arithmetic = arithmetic,
                   .commit_delay = {}});
    const DriverEnd end = driver.run();
    return {end, static_cast<std::int64_t>(tasks::epochs_trained()) - before};
  }
  Session session(const StudySpec& file, const std::string& arithmetic) const {
    Stopper never(0);
    return session(file, arithmetic, never);
  }

  /// The payloads of a kind of event.
  [[nodiscard]] std::vector<std::string> events(std::string_view kind) const {
    std::vector<std::string> payloads;
    for (const EventRow& event : StudyReader(run()).events()) {
      if (event.kind == kind) payloads.push_back(event.payload());
    }
    return payloads;
  }

  support::TempFolder folder_;
  rt::Executor executor_ = rt::Executor::sequential;
  int workers_per_gpu_ = 1;
  int pretended_gpus_ = 0;
  rt::ByteCount pretended_memory_{};
  rt::OnGpuFailure gpu_failed_ = nullptr;
};

}  // namespace hpo
