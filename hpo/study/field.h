#pragma once
// The table of fields of the study file: the one place that says what may stand in it.
//
// From it come the parser's checks (checker.h), the defaults and the resolved file (writer.cpp),
// the JSON schema (schema.cpp), the reference page (reference.cpp) and the words of every message
// (`expected`). What layers, losses, optimizers, samplers and stopping rules take is read from
// their registries (kinds.cpp), so that a new kind needs no line here.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace hpo::study {

struct Node;

/// 2^53: exact in every tool that reads JSON.
inline constexpr double kLargestSeed = 9007199254740992;

enum class Type : std::uint8_t {
  boolean,
  integer,       ///< 64 bits; a float without a fraction (1e3) counts
  number,        ///< a finite float; an int counts
  word,          ///< one of `words`
  text,          ///< any scalar, taken as it is written
  duration,      ///< 90s, 10m, 1h30m
  size,          ///< 512MB, 2GB, 1GiB
  percent,       ///< 3.5%
  value,         ///< what a parameter can be: bool, int, float or string
  conditions,    ///< {parameter: value, parameter: [value, value]}
  block,         ///< a map with the keys `fields`
  blocks,        ///< a map from names of the user's choice to blocks with the keys `fields`
  kind,          ///< NAME, {NAME: {field: value}} or {type: NAME, field: value}; see `kinds`
  timetable,     ///< a map from epochs to kinds: {3: {widen: {...}}, 4.5: [..., ...]}
  numbers,       ///< a map from names of the user's choice to numbers, or one of `words`
  combination,   ///< {parameter: value, parameter: {above: number, below: $parameter}}
  alternatives,  ///< a map from words to what stands around it: a map from names to blocks
  bounds,        ///< {metric: number, metric: {min: number, max: number}}; metrics are `words`
};

/// How many values a field holds.
enum class Count : std::uint8_t {
  one,
  list,
  one_or_list,
  one_or_piecewise,  ///< one, or [[epoch, value], ...]: each from its epoch on, the first from 0
};

struct Kind;
struct KindSet;
struct Field;

/// How a row reaches its member of StudySpec, and what follows from the member's type; made by to()
/// of binding.h. `owner` is what has the member, `source` the kind of the data (see Field::only).
struct Binding {
  const std::type_info* owner = nullptr;
  const std::type_info* block = nullptr;  ///< of the struct that the rows below are bound to
  Type type = Type::text;
  Count count = Count::one;
  bool per_trial = false;
  std::vector<std::string> words = {};
  void (*read)(void* owner, const Node& node, const Field& row) = nullptr;
  std::optional<Node> (*write)(const void* owner, const Field& row,
                               std::string_view source) = nullptr;
};

/// One row of the table. A row with a binding takes `type`, `count` and `per_trial` from it where
/// it leaves them out. Numbers (those of a map too), durations (seconds) and sizes (bytes) lie in
/// [min, max].
struct Field {
  std::string name;  ///< in the table: the whole path, "limits.trials"; in a block: its last word
  Type type = Type::text;
  Count count = Count::one;
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;
  bool min_excluded = false;
  bool max_excluded = false;
  std::vector<std::string> words = {};  ///< of Type::word; for other types: allowed besides
  bool required = false;
  std::string fallback = "";   ///< the default, as YAML; empty: see `otherwise`
  std::string otherwise = "";  ///< what holds without the field when that is no fixed value
  std::string unit = "";
  std::string only = "";  ///< where the field applies when not everywhere: "csv", "csv, npy";
                          ///< "data", "command", "ask": who runs the study's trials
  /// Of Type::text: what one is, for messages, such as "the name of a layer" or, of a list, "a
  /// column". Empty: a path where `place` is true, else a string.
  std::string text_is = "";
  std::string text_with = "";  ///< of Type::word, Type::bounds: with these sources any text may
                               ///< stand here
  std::string doc = "";
  std::string since = "0.1.0";
  bool literal = false;                 ///< dollars have no meaning
  bool per_trial = false;               ///< may hold $name
  bool of_targets = false;              ///< `words` are metrics: those of single targets, too
  const KindSet* (*kinds)() = nullptr;  ///< of Type::kind and Type::timetable
  std::vector<Field> fields = {};       ///< of Type::block and Type::blocks
  /// A path, which says where something lies and not what it is: studies that differ in it alone
  /// are equal.
  bool place = false;
  Binding binding = {};
  std::string path = {};  ///< of a row in study_block(): the whole path

  [[nodiscard]] const Field* find(std::string_view key) const;
};

/// A word that brings its own fields, e.g. `asha` or `dense`.
struct Kind {
  std::string name;
  std::string doc;
  std::string since;
  Field block;  ///< Type::block with the kind's fields
  /// Of a kind that has more fields by what stands in its block: these. `literal`: dollars there
  /// mean nothing. Throws a StudyError. Null: none.
  std::vector<Field> (*more)(const Node& block, bool literal) = nullptr;
};

/// The kind with the fields that a block opens; nothing where it opens none.
[[nodiscard]] std::optional<Kind> opened(const Kind& kind, const Node& block, bool literal);

/// All kinds that can stand in one place.
struct KindSet {
  std::string what;  ///< "layer", "optimizer"...
  std::vector<Kind> kinds;
  std::vector<std::string> later;  ///< kinds of the design that this version cannot run yet
  std::string key = "type";        ///< the key that holds the kind's name
  /// The kind that a bare `true` stands for, where `false` is as if the key was not there; empty:
  /// neither stands for anything.
  std::string truth = {};

  [[nodiscard]] const Kind* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
};

/// The rows, in the order in which the reference page shows them.
[[nodiscard]] const std::vector<Field>& field_table();

/// The same as a tree: the block of the whole file.
[[nodiscard]] const Field& study_block();

[[nodiscard]] const KindSet* sampler_set();
[[nodiscard]] const KindSet* stopping_set();
[[nodiscard]] const KindSet* loss_set();
[[nodiscard]] const KindSet* optimizer_set();
[[nodiscard]] const KindSet* schedule_set();
[[nodiscard]] const KindSet* layer_set();
[[nodiscard]] const KindSet* policy_set();

[[nodiscard]] const KindSet* operation_set();

/// True if the table has a row with this path.
[[nodiscard]] bool is_row(std::string_view path);

/// What a field wants, as it stands after "expected": "an int from 1 to 1024", "one of a, b".
[[nodiscard]] std::string expected(const Field& field);

/// The type as the reference page names it: "int", "number", "string", "list of paths".
[[nodiscard]] std::string type_text(const Field& field);

/// What is about trials that we run, not whoever asks for them.
inline constexpr std::string_view kOurs = "data, command";

/// Whether a list such as kOurs has `source`.
[[nodiscard]] bool names(std::string_view sources, std::string_view source);

/// Whether a field applies where `source` is the kind of the data (see Field::only).
[[nodiscard]] bool applies_to(const Field& field, std::string_view source);

/// The allowed range: "1 .. 1024", "> 0"; empty without one.
[[nodiscard]] std::string range_text(const Field& field);

}  // namespace hpo::study
