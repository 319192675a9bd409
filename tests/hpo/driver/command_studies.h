#pragma once
// Studies of small shell scripts, each swept in a folder of its own.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/process/descendants.h"
#include "base/text.h"
#include "hpo/driver/sweep.h"
#include "tests/support/temp_folder.h"

namespace hpo {

struct Notes : Observer {
  void note(std::string_view line) override { text += base::cat(line, "\n"); }
  std::string text;
};

class CommandStudies : public testing::Test {
 protected:
  [[nodiscard]] StudySpec study(const std::string& script, const std::string& more) const {
    std::ofstream(folder_ / "prog.sh") << script;
    return parse_study(base::cat("name: progs\ncommand: [sh, prog.sh, $x]\n", more), "progs.yaml",
                       folder_.path().string());
  }
  SweepResult sweep(const StudySpec& file) {
    SweepResult result = run_sweep(file, {.folder = run()}, notes_);
    EXPECT_EQ(base::descendants(), std::vector<pid_t>{});
    return result;
  }
  [[nodiscard]] base::Path run() const { return folder_ / "run"; }
  [[nodiscard]] std::vector<TrialRow> trials() const { return StudyReader(run()).trials(); }

  /// Steps that the log has of a trial.
  [[nodiscard]] std::vector<std::int64_t> steps_of(std::uint64_t trial) const {
    std::vector<std::int64_t> steps;
    for (const EventRow& event : StudyReader(run()).events(trial)) {
      const EventBody body = body_of(event.kind, event.payload());
      if (const auto* report = std::get_if<Reported>(&body)) steps.push_back(report->step);
    }
    return steps;
  }
  /// Where kCounter began, each time that it was started with `x`.
  [[nodiscard]] std::vector<int> starts(std::int64_t x) const {
    std::ifstream file(folder_ / base::cat("starts.", x));
    std::vector<int> begun;
    std::string word;
    for (int n = 0; file >> word >> n;) begun.push_back(n);
    return begun;
  }

  support::TempFolder folder_;
  Notes notes_;
  int studies_ = 0;
};

inline constexpr const char* kGrid = "method: grid\nparameters: {x: {values: [1, 2, 3, 4]}}\n";

/// Counts to 8 with a checkpoint after every step.
inline constexpr const char* kCounter =
    "c=$TRELLIS_CHECKPOINT_DIR/n; n=$(cat $c 2>/dev/null || echo 0); echo start $n >> starts.$1\n"
    "while [ $n -lt 8 ]; do n=$((n+1))\n"
    "echo \"{\\\"step\\\": $n, \\\"loss\\\": $((n*$1))}\" >> $TRELLIS_METRICS\n"
    "echo $n > $c.new; mv $c.new $c; sleep 0.1; done\n";

}  // namespace hpo
