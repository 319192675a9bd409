#pragma once
// What a sampler or a stopping rule may be told in the study file.
//
// Each kind publishes a KindInfo in its registry; the study file's field table takes it over, so
// that parser, schema, reference page and messages know a new kind from its one line in the
// registry.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpo/space/params.h"
#include "hpo/space/value.h"

namespace hpo {

enum class OptionType : std::uint8_t { boolean, integer, number, word };

/// One option: `startup: 10`. Its value reaches the kind as a ParamValue of its type, checked
/// against the range.
struct Option {
  std::string name;
  OptionType type = OptionType::integer;
  std::optional<ParamValue> default_value;  ///< none: the option must be given
  std::optional<double> min;                ///< smallest allowed value, included
  std::optional<double> max;                ///< largest allowed value, included
  std::vector<std::string> words;           ///< for OptionType::word: what may be said
  std::string unit;                         ///< "trials", "epochs", ...; empty: a plain number
  std::string doc;                          ///< one line for the reference page
};

/// An option that is a whole number of at least `least`.
[[nodiscard]] inline Option whole_option(std::string name, std::int64_t otherwise, double least,
                                         std::string unit, std::string doc,
                                         std::optional<double> most = {}) {
  return {.name = std::move(name),
          .type = OptionType::integer,
          .default_value = otherwise,
          .min = least,
          .max = most,
          .words = {},
          .unit = std::move(unit),
          .doc = std::move(doc)};
}

/// An option that is true or false.
[[nodiscard]] inline Option bool_option(std::string name, bool otherwise, std::string doc) {
  return {.name = std::move(name),
          .type = OptionType::boolean,
          .default_value = otherwise,
          .min = {},
          .max = {},
          .words = {},
          .unit = "",
          .doc = std::move(doc)};
}

/// A kind of sampler or stopping rule.
struct KindInfo {
  std::string name;  ///< the word in the study file
  std::string doc;   ///< one line for the reference page
  std::vector<Option> options;
  bool combines = false;        ///< it is made from others of its set
  std::string since = "0.1.0";  ///< version that had it first
};

/// A chosen sampler or stopping rule with all its options, defaults filled in.
struct Chosen {
  std::string kind;
  Params options;
  std::vector<Chosen> of = {};  ///< of a kind that combines: the others
  bool operator==(const Chosen&) const = default;
};

}  // namespace hpo
