#include "nn/data/csv_stream.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "nn/data/csv_encoding.h"
#include "nn/data/data_error.h"
#include "nn/data/file_kinds.h"
#include "nn/data/source_file.h"

namespace nn {

namespace {

std::string system_text() { return base::errno_words(errno); }

gzFile open(const std::string& path) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored))
    throw DataError(path, "this is a folder, expected a CSV file");
  const gzFile file =
      path == "-" ? ::gzdopen(::dup(STDIN_FILENO), "rb") : ::gzopen(path.c_str(), "rb");
  if (file == nullptr) throw DataError(path, "cannot be read: " + system_text());
  ::gzbuffer(file, 1U << 16);
  return file;
}

}  // namespace

/// zlib hands out plain files as they are and inflates the others.
struct CsvStream::Source {
  explicit Source(const std::string& name)
      : path(name == "-" ? kStandardInput : std::string_view(name)), file(open(name)) {}
  ~Source() { ::gzclose(file); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Appends the text of the next `bytes` of the file; false at its end.
  bool append(std::string& text, std::size_t bytes) {
    if (!begun) begin();
    if (!utf16) return read(text, bytes);
    const bool more = read(units, bytes);
    // A half of a pair waits for the other one.
    std::size_t whole = more ? units.size() / 2 * 2 : units.size();
    const std::size_t last = whole >= 2 ? whole - (big_endian ? 2 : 1) : 0;
    if (more && whole >= 2 && (static_cast<unsigned char>(units[last]) & 0xfc) == 0xd8) whole -= 2;
    text += base::from_utf16(std::string_view(units).substr(0, whole), big_endian);
    units.erase(0, whole);
    return more;
  }

  std::string path;
  gzFile file;
  bool begun = false, utf16 = false, big_endian = false;
  std::string units;  ///< bytes of UTF-16 that are not a text yet

 private:
  /// A byte order mark says that the text is UTF-16.
  void begin() {
    begun = true;
    (void)read(units, 2);
    big_endian = units == "\xfe\xff";
    utf16 = big_endian || units == "\xff\xfe";
    if (utf16) units.clear();
  }

  /// Appends at most `bytes` of the file; false where there were fewer.
  bool read(std::string& text, std::size_t bytes) {
    if (!utf16 && &text != &units) text += std::exchange(units, {});
    const std::size_t before = text.size();
    text.resize(before + bytes);
    const int got = ::gzread(file, text.data() + before, static_cast<unsigned>(bytes));
    int status = Z_OK;
    std::string message = ::gzerror(file, &status);
    if (got < 0 || status != Z_OK) {
      if (status == Z_ERRNO) throw DataError(path, "cannot be read: " + system_text());
      message.erase(0, message.rfind(": ") + 1);  // zlib puts the path in front
      throw DataError(path, "the file is damaged gzip data:" + message);
    }
    text.resize(before + static_cast<std::size_t>(got));
    produced += static_cast<std::uint64_t>(got);
    check_inflation(path, produced, static_cast<std::uint64_t>(::gzoffset(file)));
    return static_cast<std::size_t>(got) == bytes;
  }

  std::uint64_t produced = 0;
};

CsvStream::CsvStream(const std::string& path, const TableHints& hints, std::size_t piece)
    : source_(std::make_unique<Source>(path)),
      piece_(piece),
      comment_(hints.skip.comment),
      csv_{.path = source_->path,
           .text = {},
           .missing = hints.missing,
           .quote = hints.quote,
           .lines = static_cast<std::size_t>(hints.skip.lines),
           .comment = comment_} {
  const std::string_view lines = first_lines();
  find_beginning(lines, hints);
  CsvText sniffed = csv_;
  sniffed.text = lines;
  sniff_marks(sniffed, hints.one_field);
  csv_.delimiter = sniffed.delimiter;
  csv_.quote = sniffed.quote;
  sign_ = sniff_decimal_sign(sniffed);
  csv_.decimal_comma = sniffed.decimal_comma = has_decimal_comma(sign_, hints.decimal_comma);
  row_names_ = sniff_row_names(sniffed);
  cursor_.emplace(csv_);
}

void CsvStream::find_beginning(std::string_view lines, const TableHints& hints) {
  if (csv_.lines == 0 || !hints.is_header) return;
  CsvText whole = csv_;
  whole.text = lines;
  whole.lines = 0;
  sniff_marks(whole, hints.one_field);
  std::vector<CsvField> fields;
  try {
    CsvCursor cursor(whole);
    if (cursor.next(fields) && hints.is_header(fields)) csv_.lines = 0;
  } catch (const DataError&) {
    // What stands above the header need not be CSV.
  }
}

CsvStream::~CsvStream() = default;

/// Reads on until enough whole lines are there; a line that a piece cuts in two is none.
std::string_view CsvStream::first_lines() {
  constexpr std::string_view kEnds = "\r\n";
  constexpr std::size_t kFewest = 2;
  for (;;) {
    refill(0, 1);
    const std::string_view text = csv_.text;
    if (ended_) return text;
    std::size_t lines = 0, end = 0;
    for (std::size_t at = 0; (at = text.find_first_of(kEnds, at)) != std::string_view::npos;) {
      at += text.substr(at).starts_with(kEnds) ? 2 : 1;
      end = at;
      ++lines;
    }
    if (lines >= kSniffRecords + csv_.lines ||
        (lines >= kFewest + csv_.lines && text.size() >= kSniffed))
      return text.substr(0, end);
  }
}

void CsvStream::refill(std::size_t done, std::size_t line) {
  text_.erase(0, done);
  if (text_.size() >= kLongest)
    throw DataError(
        csv_.path, line, 1,
        "this record has more than " + size_text(kLongest) + ": is a quote never closed?");
  const std::size_t before = text_.size();
  const std::size_t wanted = std::max(piece_, before);
  ended_ = !source_->append(text_, wanted);
  if (line == 1 && before == 0) refuse_other_kind(csv_.path, text_);
  refuse_binary(csv_.path, text_, before, line);
  csv_.text = text_;
  cursor_.emplace(csv_, line);
}

bool CsvStream::next(std::vector<CsvField>& fields) {
  for (;;) {
    const std::size_t start = cursor_->position(), line = cursor_->line();
    bool found = false;
    try {
      found = cursor_->next(fields);
    } catch (const DataError&) {
      // A quote that the piece's end left open may well be closed in the next one.
      if (ended_ || cursor_->position() < text_.size()) throw;
    }
    if (found && (ended_ || cursor_->position() < text_.size())) return true;
    if (!found && ended_) return false;
    refill(start, line);
  }
}

}  // namespace nn
