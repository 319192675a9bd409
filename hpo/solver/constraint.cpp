#include "hpo/solver/constraint.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr std::size_t kMostAlternatives = 256;
constexpr int kDeepest = 32;

bool is_word_letter(char c) { return base::is_letter(c) || c == '_'; }
bool is_one_of(char c, std::string_view some) { return some.find(c) != some.npos; }

class ScriptReader {
 public:
  explicit ScriptReader(std::string_view script) : script_(script) {}

  Constraint read() {
    if (word() != "return") refuse(0);
    Constraint constraint{either(0)};
    skip_blanks();
    if (at_ < script_.size() && script_[at_] == ';') ++at_;
    skip_blanks();
    if (at_ != script_.size()) refuse(at_);
    return constraint;
  }

 private:
  using Alternatives = std::vector<std::vector<Condition>>;
  using Operand = std::pair<std::string, std::optional<ParamValue>>;  ///< a name, or a value

  [[noreturn]] void refuse(const std::string& why) const {
    throw base::Error(
        base::Errc::usage,
        base::cat("constraint `", base::printable(script_), "`", why,
                  ", expected `return NAME == VALUE`, more of them joined by `and` or "
                  "`or`"));
  }

  /// What stands from `begin` on is no such comparison.
  [[noreturn]] void refuse(std::size_t begin) const {
    const std::string_view rest = script_.substr(begin);
    if (rest.empty()) refuse(" ends too early");
    refuse(base::cat(": `", base::printable(rest), "` is not supported"));
  }

  void skip_blanks() {
    while (at_ < script_.size() && is_one_of(script_[at_], " \t\r\n")) ++at_;
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!script_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::string word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < script_.size() && (is_word_letter(script_[at_]) || base::is_digit(script_[at_])))
      ++at_;
    return std::string(script_.substr(begin, at_ - begin));
  }

  bool take_word(std::string_view expected) {
    const std::size_t begin = at_;
    if (word() == expected) return true;
    at_ = begin;
    return false;
  }

  Alternatives either(int depth) {
    Alternatives all = both(depth);
    while (take_word("or")) {
      for (auto& alternative : both(depth)) all.push_back(std::move(alternative));
    }
    return all;
  }

  Alternatives both(int depth) {
    Alternatives all = term(depth);
    while (take_word("and")) {
      Alternatives joined;
      const Alternatives more = term(depth);
      if (all.size() * more.size() > kMostAlternatives)
        refuse(base::cat(" has more than ", kMostAlternatives, " alternatives"));
      for (const auto& left : all) {
        for (const auto& right : more) {
          joined.push_back(left);
          joined.back().insert(joined.back().end(), right.begin(), right.end());
        }
      }
      all = std::move(joined);
    }
    return all;
  }

  Alternatives term(int depth) {
    if (depth > kDeepest) refuse(base::cat(" has more than ", kDeepest, " parentheses in another"));
    if (take("(")) {
      Alternatives inner = either(depth + 1);
      if (!take(")")) refuse(at_);
      return inner;
    }
    skip_blanks();
    const std::size_t begin = at_;
    Operand left = operand();
    if (!take("==")) refuse(begin);
    Operand right = operand();
    if (left.second) std::swap(left, right);
    if (left.second || !right.second) refuse(begin);
    return {{{.parameter = std::move(left.first), .values = {std::move(*right.second)}}}};
  }

  Operand operand() {
    skip_blanks();
    if (at_ == script_.size()) refuse(at_);
    const char c = script_[at_];
    if (c == '"' || c == '\'') return {"", quoted(c)};
    if (is_word_letter(c)) return {word(), std::nullopt};
    return {"", number()};
  }

  std::string quoted(char quote) {
    const std::size_t begin = at_++;
    const std::size_t end = script_.find(quote, at_);
    if (end == script_.npos) refuse(begin);
    std::string text(script_.substr(at_, end - at_));
    if (text.find('\\') != text.npos) refuse(begin);
    at_ = end + 1;
    return text;
  }

  ParamValue number() {
    const std::size_t begin = at_;
    while (at_ < script_.size() && (base::is_digit(script_[at_]) || is_word_letter(script_[at_]) ||
                                    is_one_of(script_[at_], "+-."))) {
      ++at_;
    }
    const std::string_view text = script_.substr(begin, at_ - begin);
    if (const auto whole = base::parse_int(text)) return *whole;
    const auto real = base::parse_double(text);
    if (!real) refuse(begin);
    return *real;
  }

  std::string_view script_;
  std::size_t at_ = 0;
};

bool has(const std::vector<ParamValue>& values, const ParamValue& value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace

bool Constraint::holds(const Params& params) const {
  const auto meets = [&](const Condition& condition) {
    const ParamValue* value = params.find(condition.parameter);
    return value != nullptr && has(condition.values, *value);
  };
  return std::ranges::any_of(alternatives, [&](const auto& alternative) {
    return std::ranges::all_of(alternative, meets);
  });
}

Constraint read_constraint(std::string_view script) { return ScriptReader(script).read(); }

}  // namespace hpo
