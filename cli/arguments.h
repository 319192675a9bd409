#pragma once
// What a verb takes and what the user gave: positional arguments, options with a value, flags.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cli {

class Arguments {
 public:
  // --- declared by a verb ---
  void positional(std::string name, std::string doc, bool required = true);
  /// One or more, behind all other positional arguments; `texts` has them.
  void positionals(std::string name, std::string doc);
  /// `name` with its dashes ("--workers"); `value_name` is shown in the help. Repeatable options
  /// collect all values.
  void option(std::string name, std::string value_name, std::string doc, bool repeatable = false);
  void flag(std::string name, std::string doc);
  /// A flag that may have a value behind a `=`; without it, it has the value `plain`.
  void flag(std::string name, std::string value_name, std::string plain, std::string doc);

  // --- read by a verb ---
  [[nodiscard]] bool has(std::string_view name) const;
  /// The value given, or empty.
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  /// The value as a whole number in [min, max]; throws a usage error that names the option and the
  /// range.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name, std::int64_t min,
                                                    std::int64_t max) const;

  /// What was given, as a shell would take it again; without these options and flags.
  [[nodiscard]] std::string retyped(std::initializer_list<std::string_view> but = {}) const;

  enum class Outcome { run, help };
  /// Fills the values. Throws base::Error (usage) for unknown options, with the nearest known one.
  Outcome parse(std::span<char* const> argv);
  [[nodiscard]] std::string help(std::string_view verb, std::string_view summary) const;

 private:
  struct Item {
    std::string name, value_name, doc;
    std::string plain = {};  ///< of a flag that may have a value
    bool positional = false, required = false, flag = false, repeatable = false;
  };
  [[nodiscard]] static base::Error missing(const Item& item);
  /// A word of the command line that stands for nothing.
  [[nodiscard]] base::Error unexpected(const std::string& word) const;
  [[nodiscard]] base::Error refusal(std::string_view what) const;

  std::vector<Item> items_;
  std::vector<std::string> words_;  ///< as given
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

}  // namespace cli
