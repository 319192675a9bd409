// Lines that a program prints: what a reader sees of them, and numbers among that.

#include <algorithm>

#include "hpo/driver/programs/printed_metric.h"
#include "hpo/driver/programs/visible_text.h"
#include "hpo/study/pattern.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  const std::string text(input);
  std::size_t shown = 0;
  for (const std::string& line : hpo::visible_lines(text)) {
    shown += line.size();
    promise(line == text || line.find('\x1b') == line.npos, "escape sequences are left out");
  }
  promise(shown <= text.size(), "nothing is added");
  const auto found = hpo::find_printed("loss", {text});
  if (!found) return;
  const auto match = hpo::Pattern(found->expression).find(found->text);
  promise(match.has_value(), "what is suggested reads the number");
}
