// Files made to exhaust memory or time, and files with random damage: an error with a place,
// quickly, and never a crash.

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr double kMostSeconds = 60;
#else
constexpr double kMostSeconds = 4;
#endif

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string bomb(int levels) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < levels; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
            repeated(", " + before, 8) + "]\n";
  }
  return text;
}

std::string many_parameters(int count) {
  std::string text = "data: {csv: rows.csv}\nnetwork: [dense: {units: 3}]\nparameters:\n";
  for (int i = 0; i < count; ++i) text += "  p" + std::to_string(i) + ": {value: 1}\n";
  return text;
}

class Hostile : public StudyTest {};

TEST_F(Hostile, BombsAreRefusedQuickly) {
  const int million = 1'000'000;
  const std::string bombs[] = {
      bomb(12),
      repeated("[", million),
      "a: " + repeated("[", 5000) + repeated("]", 5000),
      "a: " + repeated("{a: ", 200'000),
      repeated("- ", 400'000),
      repeated("? ", 400'000),
      "a: [" + repeated("1,", 400'000) + "1]",
      "a: " + repeated("&a ", 300'000),
      "a: \"" + repeated("\\", 900'000),
      repeated("a", 900'000) + ": 1",
      repeated("#", million),
      repeated("\n", million),
      repeated("x: 1\n", 200'000),
      repeated("!", million),
      repeated("'", million - 1),
      "a: &x\n  - *x\n",
      many_parameters(10'001),
      "data: {csv: rows.csv}\nparameters:\n  p: {values: [" + repeated("1,", 90'000) + "1]}\n",
      "data: {csv: rows.csv}\nnetwork: [" + repeated("dense: {units: $p},", 20'000) +
          "]\nparameters: {p: {value: 3}}\n",
      "data: {csv: rows.csv}\nname: " + repeated("$", 500'000) + "\n",
  };
  for (const std::string& text : bombs) {
    const auto start = std::chrono::steady_clock::now();
    const std::string message = refusal(text);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(message.starts_with("study.yaml:")) << text.substr(0, 40) << ": " << message;
    EXPECT_LT(message.size(), 1000U) << text.substr(0, 40);
    EXPECT_LT(seconds.count(), kMostSeconds) << text.substr(0, 40);
  }
}

TEST_F(Hostile, ManyParametersAreFine) {
  std::string network = "network:\n";
  std::string parameters = "parameters:\n";
  for (int i = 0; i < 500; ++i) {
    network += "  - dense: {units: $p" + std::to_string(i) + "}\n";
    parameters += "  p" + std::to_string(i) + ": {min: 1, max: 4" +
                  (i > 0 ? ", when: {p0: [1, 2, 3, 4]}" : std::string()) + "}\n";
  }
  EXPECT_TRUE(refusal(table() + network + parameters).find("is not always active") !=
              std::string::npos);
}

/// Random edits: bytes changed, pieces cut out, doubled, or moved.
std::string damaged(std::string text, std::mt19937& random) {
  static constexpr std::string_view kSigns = "{}[]:,$&*#!|>'\"%@`-?\t\n x0.\\~<";
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    const std::size_t length = below(std::min<std::size_t>(20, text.size() - at));
    switch (below(4)) {
      case 0:
        text[at] = kSigns[below(kSigns.size())];
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      default:
        text[at] = static_cast<char>(random());
    }
  }
  return text;
}

TEST_F(Hostile, RandomDamageGivesAnErrorOrAStudyThatRoundTrips) {
  const std::string good = table() + R"(name: x
network:
  - dense: {units: $width, activation: relu}
  - repeat: {times: 2, of: [dense: {units: 3, name: f}]}
train: {optimizer: {type: $o, lr: $lr, momentum: $m}, batch: 16, epochs: $e}
metric: {name: valid.loss, goal: minimize}
method: {type: random}
parameters:
  lr:    {min: 1e-4, max: 1e-1, scale: log}
  width: {type: int, min: 16, max: 256, step: 8}
  o: {values: [adam, sgd]}
  m: {min: 0.0, max: 0.99, when: {o: sgd}}
  e: {values: [3, 9]}
early_stop: {type: asha, min: 1, eta: 3}
limits: {trials: 60, time: 10m}
resources: {memory: 2GB}
)";
  std::mt19937 random(11);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = damaged(good, random);
    try {
      const StudySpec study = load(text);
      const std::string resolved = resolved_yaml(study);
      ASSERT_EQ(resolved_yaml(load(resolved)), resolved) << text;
      (void)materialise(study, study.space.from_unit(std::vector<double>(study.space.size(), 0.7)),
                        classes(2, 2));
      ++accepted;
    } catch (const base::Error& error) {
      const std::string message = error.what();
      ASSERT_EQ(error.kind(), base::Errc::study) << message << "\n" << text;
      ASSERT_TRUE(message.starts_with("study.yaml:")) << message;
      ASSERT_EQ(message.find('\n'), std::string::npos) << message;
      ++refused;
    }
  }
  EXPECT_GT(accepted, 30);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace hpo
