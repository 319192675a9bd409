#pragma once
// One line of a csv file after RFC 4180, with "\n" at its end.

#include <cstddef>
#include <string>

namespace nn {

/// Cells are appended to `out` as they come; the line ends with the object. One with nothing but an
/// empty cell holds quotes, because readers pass over blank lines.
class CsvLine {
 public:
  explicit CsvLine(std::string& out) : out_(out), begin_(out.size()) {}
  ~CsvLine() {
    if (out_.size() == begin_) out_ += "\"\"";
    out_ += '\n';
  }
  CsvLine(const CsvLine&) = delete;
  CsvLine& operator=(const CsvLine&) = delete;

  CsvLine& cell(const std::string& text) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += quoted(text);
    return *this;
  }

 private:
  static std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"') out += '"';
      out += c;
    }
    return out + '"';
  }

  std::string& out_;
  std::size_t begin_;
  bool first_ = true;
};

}  // namespace nn
