#include "cli/confusion.h"

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "cli/terminal.h"

namespace cli {

namespace {

constexpr std::size_t kWidest = 12;
constexpr std::size_t kMistakes = 10;

std::string whole_table(const std::vector<std::string>& classes,
                        const std::vector<std::vector<std::int64_t>>& counts) {
  std::vector<std::string> header{"true \\ given"};
  for (const std::string& name : classes) header.push_back(base::printable(name));
  Table table(std::move(header), 1);
  for (std::size_t truth = 0; truth < classes.size(); ++truth) {
    std::vector<std::string> cells{base::printable(classes[truth])};
    for (const std::int64_t rows : counts[truth]) cells.push_back(std::to_string(rows));
    table.row(std::move(cells));
  }
  return table.text();
}

std::vector<Mistake> mistakes_in(const std::vector<std::vector<std::int64_t>>& counts) {
  std::vector<Mistake> mistakes;
  for (std::size_t truth = 0; truth < counts.size(); ++truth) {
    for (std::size_t given = 0; given < counts.size(); ++given) {
      if (truth != given && counts[truth][given] > 0)
        mistakes.push_back({counts[truth][given], truth, given});
    }
  }
  std::ranges::stable_sort(mistakes, std::greater(), &Mistake::rows);
  return mistakes;
}

std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = text.find('\n', from) + 1;
    out += "  " + text.substr(from, to - from);
    from = to;
  }
  return out;
}

}  // namespace

std::string mistake_lines(const std::vector<std::string>& classes,
                          const std::vector<Mistake>& mistakes) {
  if (mistakes.empty()) return "  no mistakes\n";
  std::string out;
  for (std::size_t i = 0; i < std::min(kMistakes, mistakes.size()); ++i) {
    const Mistake& m = mistakes[i];
    out += base::cat("  ", base::counted(m.rows, "row"), " of ", base::printable(classes[m.truth]),
                     " predicted as ", base::printable(classes[m.given]), "\n");
  }
  return out;
}

std::string confusion_lines(const std::vector<std::string>& classes,
                            const std::vector<std::vector<std::int64_t>>& counts) {
  return classes.size() <= kWidest ? indented(whole_table(classes, counts))
                                   : mistake_lines(classes, mistakes_in(counts));
}

}  // namespace cli
