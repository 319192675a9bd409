#pragma once
// A sign of life while a verb that prints one result is busy.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/status_line.h"

namespace cli {

/// From a second after its birth on, shows on a terminal what is being done and for how long. Shows
/// nothing elsewhere.
class LongStep {
 public:
  LongStep(std::string what, bool quiet);
  ~LongStep() { end(); }
  LongStep(const LongStep&) = delete;
  LongStep& operator=(const LongStep&) = delete;

  /// Says what is done from now on.
  void now(std::string what);
  /// Takes the line away, before results are printed.
  void end();

 private:
  void show(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::string what_;
  StatusLine screen_;
  std::jthread painter_;  ///< does not run where nothing is shown
};

}  // namespace cli
