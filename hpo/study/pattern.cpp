#include "hpo/study/pattern.h"

#include <re2/re2.h>

#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

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
    throw rt::Error(rt::Errc::study, rt::cat("\"", rt::printable(text, 120), "\" ", why));
  };
  if (!expression.ok())
    refuse(rt::cat("is no regular expression (", rt::printable(expression.error(), 120),
                   "), expected one of RE2's syntax"));
  const int groups = expression.NumberOfCapturingGroups();
  if (groups < 1 || groups > 2)
    refuse(rt::cat("has ", groups,
                   " groups, expected one for the value, or two for step and value, such as "
                   "\"accuracy: (\\S+)\""));
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

std::optional<Pattern::Match> Pattern::find(std::string_view line) const {
  const re2::RE2& expression = impl_->expression;
  re2::StringPiece first, second;
  const re2::StringPiece text(line.data(), line.size());
  const bool two = expression.NumberOfCapturingGroups() == 2;
  if (!(two ? re2::RE2::PartialMatch(text, expression, &first, &second)
            : re2::RE2::PartialMatch(text, expression, &second)))
    return {};
  const auto value = rt::parse_double(std::string_view(second.data(), second.size()));
  if (!value) return {};
  Match match{.step = {}, .value = *value};
  if (!two) return match;
  match.step = rt::parse_int(std::string_view(first.data(), first.size()));
  return match.step ? std::optional(match) : std::nullopt;
}

}  // namespace hpo
