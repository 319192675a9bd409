// Bad study files and their exact messages. A case is a pair of files beside this one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "hpo/study/spec.h"
#include "tests/support/cost.h"

namespace hpo {
namespace {

const std::filesystem::path kFolder = TRELLIS_CONFIG_FOLDER;

std::vector<std::string> names_of(const std::string& ending) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ending) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Messages about files name absolute paths: FOLDER stands for the one with the cases.
std::string without_folder(std::string message) {
  const std::string folder = kFolder.string();
  for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
    message.replace(at, folder.size(), "FOLDER");
  }
  return message;
}

/// What loading the file says; empty when it is accepted.
std::string message_of(const std::string& name) {
  const std::string file = name + ".yaml";
  try {
    (void)parse_study(base::read_file(kFolder / file), file, kFolder.string());
    return "";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::study) << file;
    EXPECT_EQ(base::exit_code(error.kind()), 3);
    return without_folder(error.what());
  }
}

class BadStudy : public testing::TestWithParam<std::string> {};

TEST_P(BadStudy, IsRefusedInOneLine) {
  unsetenv("TRELLIS_DATA");
  const auto expect_file = kFolder / (GetParam() + ".expect");
  const double start = support::seconds_computed();
  const std::string message = message_of(GetParam());
  const double seconds = support::seconds_computed() - start;
  EXPECT_NE(message, "") << "the file was accepted";
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(seconds, support::kMostSeconds);
  EXPECT_LT(support::peak_kilobytes(), support::kMostKilobytes);
  if (std::getenv("TRELLIS_REWRITE") != nullptr)
    base::write_file_atomic(expect_file, message + "\n");
  EXPECT_EQ(message + "\n", base::read_file(expect_file));
}

INSTANTIATE_TEST_SUITE_P(Config, BadStudy, testing::ValuesIn(names_of(".yaml")),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(BadStudies, ComeInPairs) {
  EXPECT_EQ(names_of(".yaml"), names_of(".expect"));
  EXPECT_GE(names_of(".yaml").size(), 460U);
}

}  // namespace
}  // namespace hpo
