#pragma once
// A folder with a small table, and shorthands for loading studies that lie in it.

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/file.h"
#include "hpo/study/spec.h"
#include "hpo/study/trial_spec.h"
#include "tests/support/temp_folder.h"

namespace hpo {

class StudyTest : public testing::Test {
 protected:
  StudyTest() {
    base::write_file_atomic(folder_ / "rows.csv", "a,b,y\n1,2,x\n3,4,z\n5,6,x\n7,8,z\n");
  }

  [[nodiscard]] StudySpec load(const std::string& text, const Overrides& overrides = {}) const {
    return parse_study(text, "study.yaml", folder_.path().string(), overrides);
  }

  /// A study of the table with more sections.
  [[nodiscard]] StudySpec load_table(const std::string& sections) const {
    return load(table() + sections);
  }
  [[nodiscard]] static std::string table() { return "data: {csv: rows.csv, target: y}\n"; }

  /// The message of a study that must be refused.
  [[nodiscard]] std::string refusal(const std::string& text) const {
    try {
      (void)load(text);
    } catch (const base::Error& error) {
      return error.what();
    }
    return "accepted";
  }

  [[nodiscard]] static DataInfo classes(std::int64_t features, std::int64_t count) {
    return {nn::Shape::features(features), count, nn::LearningTask::classification};
  }

  support::TempFolder folder_;
};

}  // namespace hpo
