#include "hpo/study/pattern.h"

#include <re2/re2.h>

#include <cmath>

#include "base/ascii.h"
#include "base/error.h"
#include "base/text.h"

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

/// The number in a group, or what it took in place of one.
std::optional<double> number_in(std::string_view line, std::string_view group,
                                std::string* no_number) {
  const auto number = base::parse_double(group);
  if (!number && no_number != nullptr) *no_number = group;
  if (!number) return {};
  if (const std::string_view whole = whole_of(line, group, *number); !whole.empty())
    throw base::Error(base::Errc::data,
                      base::cat("takes \"", group, "\" out of ", whole, " in the line \"",
                                base::printable(line, 120),
                                "\", expected a group that takes whole numbers, such as (\\S+)"));
  return number;
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
};

Pattern::Pattern(const std::string& text) : impl_(std::make_unique<Impl>(text)) {
  const re2::RE2& expression = impl_->expression;
  const auto refuse = [&](std::string_view why) {
    throw base::Error(base::Errc::study, base::cat("\"", base::printable(text, 120), "\" ", why));
  };
  if (!expression.ok())
    refuse(base::cat("is no regular expression (", base::printable(expression.error(), 120),
                     "), expected one of RE2's syntax"));
  const int groups = expression.NumberOfCapturingGroups();
  if (groups < 1 || groups > 2)
    refuse(base::cat("has ", groups,
                     " groups, expected one for the value, or two for step and value, such as "
                     "\"accuracy: (\\S+)\""));
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

std::optional<Pattern::Match> Pattern::find(std::string_view line, std::string* no_number) const {
  const re2::RE2& expression = impl_->expression;
  re2::StringPiece first, second;
  const re2::StringPiece text(line.data(), line.size());
  const bool two = expression.NumberOfCapturingGroups() == 2;
  if (!(two ? re2::RE2::PartialMatch(text, expression, &first, &second)
            : re2::RE2::PartialMatch(text, expression, &second)))
    return {};
  const auto value = number_in(line, {second.data(), second.size()}, no_number);
  if (!value) return {};
  Match match{.step = {}, .value = *value};
  if (!two) return match;
  const std::string_view step(first.data(), first.size());
  match.step = base::parse_int(step);
  if (!match.step && no_number != nullptr) *no_number = step;
  if (!match.step) return {};
  (void)number_in(line, step, nullptr);
  return match;
}

}  // namespace hpo
