#pragma once
// A regular expression that reads lines of a program's output, in time linear in their length.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hpo {

class Pattern {
 public:
  /// Groups may have the names `value` and `step`; without these the first of two is the step.
  /// Throws base::Error (study) in one line when `text` is no expression (RE2's syntax), or has not
  /// one or two groups: more are there only beside one with the name `value`.
  explicit Pattern(const std::string& text);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  struct Match {
    std::optional<std::int64_t> step;
    double value = 0;
  };
  /// What a group took that is no number, or no whole one where it is a step.
  struct NoNumber {
    std::string text;
    bool is_step = false;
  };
  /// The first match in a line; nothing where there is none, or its groups are no numbers: then
  /// `no_number`, if it is given, is what such a group took. Throws base::Error (data), one line,
  /// where a group ends or begins inside a number: what it took is another number.
  [[nodiscard]] std::optional<Match> find(std::string_view line,
                                          NoNumber* no_number = nullptr) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hpo
