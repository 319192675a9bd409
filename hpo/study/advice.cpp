#include "hpo/study/advice.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "hpo/space/value.h"
#include "hpo/study/node.h"
#include "hpo/study/yaml11.h"
#include "hpo/study/yaml_reader.h"

namespace hpo {

namespace study {

namespace {

class Adviser {
 public:
  explicit Adviser(const std::string& file) : file_(file) {}

  std::vector<std::string> run(const Node& root) {
    if (const Node* parameters = root.find("parameters"); parameters && parameters->is_map()) {
      look_for_words(*parameters);
      look_for_ranges(*parameters);
    }
    if (const Node* command = root.find("command"); command && command->is_list())
      look_for_shell(*command);
    return std::move(lines_);
  }

 private:
  void say(Position at, const std::string& what) {
    lines_.push_back(
        base::cat(base::printable(file_, 4096), ":", at.line, ":", at.column, ": ", what));
  }

  void look_for_words(const Node& node) {
    if (node.is_scalar() && !node.quoted) {
      if (const auto other = only_in_yaml11(node.text)) {
        const ParamValue value = parse_value(node.text);
        const bool is_text = std::holds_alternative<std::string>(value);
        say(node.at,
            base::cat(node.text, " is read as ", is_text ? "a string" : "decimal " + text_of(value),
                      " (YAML 1.2), not as ", is_text ? "" : "octal ", text_of(*other), "; write ",
                      text_of(*other), " if you meant that, or \"", node.text, "\" for a string"));
      }
    }
    for (const Node& item : node.items) look_for_words(item);
    for (const Entry& entry : node.entries) look_for_words(entry.value);
  }

  static std::optional<std::int64_t> int_at(const Node& map, std::string_view key) {
    const Node* node = map.find(key);
    if (node == nullptr || !node->is_scalar() || node->quoted) return std::nullopt;
    const Scalar value = read_scalar(node->text);
    const auto* number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? std::optional(*number) : std::nullopt;
  }

  /// Also within choices.
  void look_for_ranges(const Node& parameters) {
    for (const Entry& entry : parameters.entries) {
      const Node& one = entry.value;
      if (!one.is_map()) continue;
      if (const Node* choice = one.find("choice"); choice != nullptr && choice->is_map()) {
        for (const Entry& alternative : choice->entries) look_for_ranges(alternative.value);
        continue;
      }
      const auto min = int_at(one, "min"), max = int_at(one, "max");
      const bool says_more = one.find("type") != nullptr || one.find("mean") != nullptr;
      if (!min || !max || says_more || *max - *min != 1) continue;
      say(entry.key_at,
          base::cat(entry.key, " is an int, ", *min, " or ", *max, "; write min: ", *min,
                    ".0 for floats between them, or type: "
                    "int if you mean that"));
    }
  }

  void look_for_shell(const Node& command) {
    static constexpr std::string_view kShells[]{"sh", "bash", "dash", "ksh", "zsh", "fish"};
    static constexpr std::string_view kOfShells[]{"|", ">", ">>",   "<",  "<<", "&&", "||",
                                                  ";", "&", "2>&1", "2>", "&>", "|&", "2>>"};
    if (command.items.empty()) return;
    const std::string first = std::filesystem::path(command.items.front().text).filename().string();
    if (std::ranges::find(kShells, std::string_view(first)) != std::end(kShells)) return;
    for (const Node& word : command.items) {
      if (!word.is_scalar()) continue;
      const bool whole =
          std::ranges::find(kOfShells, std::string_view(word.text)) != std::end(kOfShells);
      const bool to_file = word.text.starts_with(">") || word.text.starts_with("2>");
      if (!whole && !to_file) continue;
      return say(word.at,
                 base::cat("a command is not run by a shell: the program gets ",
                           base::printable(word.text, 60),
                           " as an argument; for a shell, write command: [sh, -c, '...']"));
    }
  }

  const std::string& file_;
  std::vector<std::string> lines_;
};

}  // namespace

}  // namespace study

std::vector<std::string> advice_on(const std::string& text, const std::string& file) {
  return study::with_place(file, [&] { return study::Adviser(file).run(study::read_yaml(text)); });
}

}  // namespace hpo
