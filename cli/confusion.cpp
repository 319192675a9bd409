#include "cli/confusion.h"

#include <algorithm>

#include "cli/terminal.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

constexpr std::size_t kWidest = 12;
constexpr std::size_t kMistakes = 10;

struct Mistake {
  std::int64_t rows = 0;
  std::size_t truth = 0, given = 0;
};

std::string whole_table(const std::vector<std::string>& classes,
                        const std::vector<std::vector<std::int64_t>>& counts) {
  std::vector<std::string> header{"true \\ given"};
  for (const std::string& name : classes) header.push_back(rt::printable(name));
  Table table(std::move(header));
  for (std::size_t truth = 0; truth < classes.size(); ++truth) {
    std::vector<std::string> cells{rt::printable(classes[truth])};
    for (const std::int64_t rows : counts[truth]) cells.push_back(std::to_string(rows));
    table.row(std::move(cells));
  }
  return table.text();
}

std::string worst_mistakes(const std::vector<std::string>& classes,
                           const std::vector<std::vector<std::int64_t>>& counts) {
  std::vector<Mistake> mistakes;
  for (std::size_t truth = 0; truth < classes.size(); ++truth) {
    for (std::size_t given = 0; given < classes.size(); ++given) {
      if (truth != given && counts[truth][given] > 0)
        mistakes.push_back({counts[truth][given], truth, given});
    }
  }
  std::ranges::stable_sort(mistakes, std::greater(), &Mistake::rows);
  if (mistakes.empty()) return "no mistakes\n";
  std::string out;
  for (std::size_t i = 0; i < std::min(kMistakes, mistakes.size()); ++i) {
    const Mistake& m = mistakes[i];
    out += rt::cat(m.rows, m.rows == 1 ? " row of " : " rows of ", rt::printable(classes[m.truth]),
                   " taken for ", rt::printable(classes[m.given]), "\n");
  }
  return out;
}

}  // namespace

std::string confusion_lines(const std::vector<std::string>& classes,
                            const std::vector<std::vector<std::int64_t>>& counts) {
  const bool fits = classes.size() <= kWidest;
  const std::string text = fits ? whole_table(classes, counts) : worst_mistakes(classes, counts);
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = text.find('\n', from) + 1;
    out += "  " + text.substr(from, to - from);
    from = to;
  }
  return out;
}

}  // namespace cli
