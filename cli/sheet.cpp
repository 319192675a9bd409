#include "cli/sheet.h"

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "cli/terminal.h"

namespace cli {

namespace {

constexpr std::size_t kLongest = 100'000;  // bytes of a paragraph
constexpr std::size_t kMargin = 11;        // columns, the blank behind a label included

std::string labelled(const std::string& label) {
  return label + std::string(kMargin - std::min(label.size() + 1, kMargin), ' ') + " ";
}

/// Lines of whole words, each at most `width` columns unless a word is longer.
std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& last = lines.back();
    if (last.empty()) {
      last = word;
    } else if (columns_of(last) + 1 + columns_of(word) <= width) {
      last += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

/// The first `most` lines; the last one says where something is cut off.
std::vector<std::string> cut(std::vector<std::string> lines, std::size_t most) {
  if (lines.size() <= most) return lines;
  lines.resize(most);
  lines.back() += " …";
  return lines;
}

}  // namespace

void Sheet::add(std::string_view label, const std::string& text) {
  if (text.empty()) return;
  paragraphs_.push_back({.label = label == last_ ? std::string() : std::string(label),
                         .text = base::printable(text, kLongest)});
  last_ = label;
}

void Sheet::add(std::string_view label, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) add(label, text);
}

std::string Sheet::text() const {
  std::string out = title_ + "\n";
  for (const Paragraph& one : paragraphs_) out += labelled(one.label) + one.text + "\n";
  return out;
}

std::string Sheet::wrapped(std::size_t width, std::size_t most) const {
  constexpr std::size_t kNarrowest = 20, kEllipsis = 2;
  const std::size_t room = std::max(width, kMargin + kNarrowest) - kMargin - kEllipsis;
  const std::vector<std::string> title = lines_of(title_, std::max(width, kNarrowest));
  std::vector<std::vector<std::string>> all;
  std::size_t longest = 1;
  for (const Paragraph& one : paragraphs_) {
    all.push_back(lines_of(one.text, room));
    longest = std::max(longest, all.back().size());
  }
  const auto total = [&](std::size_t each) {
    std::size_t lines = title.size();
    for (const auto& one : all) lines += std::min(one.size(), each);
    return lines;
  };
  while (longest > 1 && total(longest) > most) --longest;
  std::string out;
  for (const std::string& line : title) out += line + "\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string label = paragraphs_[i].label;
    for (const std::string& line : cut(all[i], longest)) {
      out += labelled(label) + line + "\n";
      label.clear();
    }
  }
  return out;
}

}  // namespace cli
