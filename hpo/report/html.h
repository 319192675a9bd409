#pragma once
// Pieces of HTML.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hpo/report/text.h"

namespace hpo::report {

/// What stands in a cell: a text, or HTML that was made here.
struct Cell {
  Cell(std::string_view text) : html(escaped(text, kLongName)) {}
  Cell(const std::string& text) : Cell(std::string_view(text)) {}
  Cell(const char* text) : Cell(std::string_view(text)) {}
  /// The whole text, however long.
  static Cell whole(std::string_view text) { return Cell(Html{escaped(text)}); }
  static Cell of_html(std::string html) { return Cell(Html{std::move(html)}); }

  std::string html;

 private:
  struct Html {
    std::string text;
  };
  explicit Cell(Html made) : html(std::move(made.text)) {}
};

/// A table whose first `names` columns are texts, the others numbers.
class Table {
 public:
  Table(std::vector<Cell> head, std::size_t names) : names_(names) { add("th", head, ""); }
  /// `kind`: a class of the row, such as "winner".
  Table& row(const std::vector<Cell>& cells, std::string_view kind = "") {
    add("td", cells, kind);
    return *this;
  }
  [[nodiscard]] std::string html() const;

 private:
  void add(std::string_view tag, const std::vector<Cell>& cells, std::string_view kind);

  std::size_t names_;
  std::string rows_;
};

/// Names and their values, side by side.
[[nodiscard]] std::string facts(const std::vector<std::pair<std::string, std::string>>& pairs);

[[nodiscard]] std::string paragraph(std::string_view text, std::string_view kind = "");
[[nodiscard]] std::string list(const std::vector<std::string>& texts);
/// Lines to copy.
[[nodiscard]] std::string code(std::string_view lines);
/// What opens by a click.
[[nodiscard]] std::string folded(std::string_view title, std::string_view html);

/// A bar of shares of its length, each with a class. The cell beside it says the same in words.
[[nodiscard]] std::string bar(const std::vector<std::pair<std::string, double>>& shares);

/// A place for a picture that the page's script draws; `label` says in words what it shows.
[[nodiscard]] std::string picture(std::string_view name, std::string_view label);

}  // namespace hpo::report
