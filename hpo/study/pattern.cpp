#include "hpo/study/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/ascii.h"
#include "base/error.h"
#include "base/text.h"
#include "base/words.h"

namespace hpo {

namespace {

bool is_word(char c) { return base::is_letter_or_digit(c) || c == '_' || c == '.'; }

/// The longest number that begins at `at`; empty: none does.
std::string_view number_at(std::string_view line, std::size_t at) {
  constexpr std::size_t kLongest = 64;
  const std::string_view rest = line.substr(at, kLongest);
  for (std::size_t n = rest.size(); n > 0; --n) {
    if (is_word(rest[n - 1]) && base::parse_double(rest.substr(0, n))) return rest.substr(0, n);
  }
  return {};
}

/// The number that `group`, which reads as `value` and is a part of `line`, is only a piece of;
/// empty: it is whole. A sign behind a letter or a digit is a hyphen.
std::string_view whole_of(std::string_view line, std::string_view group, double value) {
  const auto is_other = [&](std::string_view text) {
    const auto number = base::parse_double(text);
    return number && *number != value && !(std::isnan(*number) && std::isnan(value));
  };
  const auto from = static_cast<std::size_t>(group.data() - line.data());
  const std::string_view longer = number_at(line, from);
  if (longer.size() > group.size() && is_other(longer)) return longer;
  constexpr std::string_view kInNumbers = "0123456789.eE+-";
  for (std::size_t at = from; at > 0 && kInNumbers.find(line[at - 1]) != kInNumbers.npos; --at) {
    const std::size_t begin = at - 1;
    if (begin > 0 && is_word(line[begin - 1])) continue;
    const std::string_view earlier = number_at(line, begin);
    if (begin + earlier.size() > from && is_other(earlier)) return earlier;
  }
  return {};
}

/// Throws where a group took a part of the number that stands there.
void require_whole(std::string_view line, std::string_view group, double number) {
  const std::string_view whole = whole_of(line, group, number);
  if (whole.empty()) return;
  throw base::Error(base::Errc::data,
                    base::cat("takes \"", group, "\" out of ", whole, " in the line \"",
                              base::printable(line, 120),
                              "\", expected a group that takes whole numbers, such as (\\S+)"));
}

/// Which groups of an expression have which meaning; 0: none has.
struct Groups {
  int step = 0, value = 0;
};

/// Of two groups without these names the first is the step. With one of the names, another group
/// has the other meaning.
Groups groups_of(const re2::RE2& expression) {
  const std::map<std::string, int>& names = expression.NamedCapturingGroups();
  const auto named = [&](const char* name) {
    const auto found = names.find(name);
    return found == names.end() ? 0 : found->second;
  };
  const int count = expression.NumberOfCapturingGroups();
  Groups groups{.step = named("step"), .value = named("value")};
  if (count == 1) return {.step = 0, .value = groups.step != 0 ? 0 : 1};
  if (count != 2) return groups;
  constexpr int kBoth = 1 + 2;
  if (groups.value == 0) groups.value = groups.step != 0 ? kBoth - groups.step : 2;
  if (groups.step == 0) groups.step = kBoth - groups.value;
  return groups;
}

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

struct Pattern::Impl {
  explicit Impl(const std::string& text) : expression(text, quiet()) {}
  re2::RE2 expression;
  Groups groups;
};

Pattern::Pattern(const std::string& text) : impl_(std::make_unique<Impl>(text)) {
  const re2::RE2& expression = impl_->expression;
  const auto refuse = [&](std::string_view why) {
    throw base::Error(base::Errc::study, base::cat("\"", base::printable(text, 120), "\" ", why));
  };
  if (!expression.ok())
    refuse(base::cat("is not a regular expression in RE2's syntax (",
                     base::printable(expression.error(), 120), ")"));
  impl_->groups = groups_of(expression);
  const int groups = expression.NumberOfCapturingGroups();
  if (impl_->groups.value == 0)
    refuse(base::cat("has ", base::counted(groups, "group"),
                     ", expected one for the value, or two for step and value, such as "
                     "\"accuracy: (\\S+)\"",
                     groups > 2 ? "; (?:...) groups without taking anything" : ""));
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

std::optional<Pattern::Match> Pattern::find(std::string_view line, NoNumber* no_number) const {
  const re2::RE2& expression = impl_->expression;
  const Groups& groups = impl_->groups;
  std::vector<re2::StringPiece> found(
      static_cast<std::size_t>(std::max(groups.step, groups.value)) + 1);
  const re2::StringPiece text(line.data(), line.size());
  if (!expression.Match(text, 0, line.size(), re2::RE2::UNANCHORED, found.data(),
                        static_cast<int>(found.size())))
    return {};
  const auto taken = [&](int group) {
    const re2::StringPiece& piece = found[static_cast<std::size_t>(group)];
    return std::string_view(piece.data(), piece.size());
  };
  const auto leave = [&](std::string_view group, bool is_step) {
    if (no_number != nullptr) *no_number = {std::string(group), is_step};
    return std::nullopt;
  };
  const std::string_view value = taken(groups.value);
  const std::optional<double> number = base::parse_double(value);
  if (!number) return leave(value, false);
  require_whole(line, value, *number);
  Match match{.step = {}, .value = *number};
  if (groups.step == 0) return match;
  const std::string_view step = taken(groups.step);
  match.step = base::parse_int(step);
  if (!match.step) return leave(step, true);
  require_whole(line, step, static_cast<double>(*match.step));
  return match;
}

}  // namespace hpo
