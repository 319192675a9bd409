#pragma once
// RFC 4180 records out of a text in memory, without copying.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nn {

/// A CSV file's content, owned by somebody who outlives every field taken from it.
struct CsvText {
  std::string path;  ///< for messages
  std::string_view text;
  char delimiter = ',';        ///< ' ': any blanks, as many as stand there
  bool decimal_comma = false;  ///< 1,5 is a number and 1.5 none
  /// Texts of fields without a value, beside the usual ones (is_missing).
  std::span<const std::string> missing = {};
  bool comma_likely = false;      ///< 1,234 is 1.234 where its column does not tell
  char quote = '"';               ///< around fields
  std::size_t lines = 0;          ///< of the file's beginning, which are left out
  std::string_view comment = {};  ///< lines that begin so are left out; empty: none
  std::size_t after_header = 0;   ///< records below the header that are left out
  std::size_t footer = 0;         ///< lines that were cut off the end of the text
};

/// One field, as it stands in the text: blanks around it cut off, or the part between its quotes.
struct CsvField {
  std::string_view raw;
  std::size_t line = 0, column = 0;  ///< where it starts, from 1, in bytes
  bool quoted = false;
  bool doubled = false;        ///< holds its quote twice for a single one
  char quote = '"';            ///< the quote of its text
  bool missing = false;        ///< is one of CsvText::missing
  bool decimal_comma = false;  ///< as the text that it is from

  /// `raw` without the blanks that quotes keep.
  [[nodiscard]] std::string_view bare() const;
  /// The value: quotes undone, always UTF-8 (other bytes are taken for Windows-1252).
  [[nodiscard]] std::string value() const;
};

/// Reads records one after the other. Lines end with LF, CRLF or CR; blank lines are skipped;
/// quotes may hold delimiters and line ends; a byte order mark is skipped, and so is a first line
/// such as `sep=;`, the first CsvText::lines lines behind it, and comments. Blanks before an
/// opening quote and around unquoted fields do not count. Where blanks are the delimiter, those
/// before the first field and behind the last one are none.
class CsvCursor {
 public:
  /// `line` is the number of the text's first line, which is the file's first one where it is 1.
  explicit CsvCursor(const CsvText& csv, std::size_t line = 1);

  /// The next record into `fields` (its memory is reused); false at the end. Throws DataError for a
  /// quote that is never closed and for text after a closing quote.
  [[nodiscard]] bool next(std::vector<CsvField>& fields);

  /// Lines of comments that it has passed over.
  [[nodiscard]] std::size_t comments() const { return comments_; }
  /// How far it came, in bytes of the text, and the line that begins or goes on there.
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  void record(std::vector<CsvField>& fields);
  CsvField field();
  CsvField quoted_field();
  [[nodiscard]] CsvField begin_field() const;
  void set_text(CsvField& field, std::string_view raw) const;
  [[nodiscard]] bool at_line_end() const;
  [[nodiscard]] bool at_delimiter() const;
  [[nodiscard]] bool at_comment() const;
  void skip_to_line_end();
  void skip_line_end();
  void skip_blanks();
  [[nodiscard]] std::size_t column() const { return at_ - line_start_ + 1; }

  const CsvText& csv_;
  const std::string_view text_;
  const bool by_blanks_;
  std::size_t at_ = 0, line_ = 1, line_start_ = 0, comments_ = 0;
};

/// What one field says to somebody who hopes for a number.
enum class FieldKind { number, missing, text, too_large };

/// The delimiter that a first line `sep=;` names, as spreadsheets write it; 0: there is none.
[[nodiscard]] char named_delimiter(std::string_view text);

/// Classifies a field. Missing: an empty field, one of CsvText::missing, or NA, N/A, NaN, null, ?,
/// a lone point, an error of a spreadsheet such as #DIV/0!, and their usual spellings. Blanks
/// within quotes do not count. `number` is set for FieldKind::number only and is finite as a float.
[[nodiscard]] FieldKind read_number(const CsvField& field, double& number);
[[nodiscard]] bool is_missing(const CsvField& field);

/// Whether a field is a word such as None or a dash: missing among numbers, a value among texts.
[[nodiscard]] bool is_none_word(std::string_view bare);
[[nodiscard]] inline bool is_none_word(const CsvField& field) { return is_none_word(field.bare()); }

}  // namespace nn
