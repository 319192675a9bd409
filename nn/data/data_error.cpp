#include "nn/data/data_error.h"

#include "base/text.h"
#include "nn/error.h"

namespace nn {

namespace {

std::string at_place(const std::string& path, std::size_t line, std::size_t column,
                     const std::string& text) {
  std::string out = path;
  if (line != 0) out += ':' + std::to_string(line);
  if (line != 0 && column != 0) out += ':' + std::to_string(column);
  return out + ": " + text;
}

}  // namespace

DataError::DataError(std::string path, std::size_t line, std::size_t column,
                     const std::string& text)
    : Error(base::Errc::data, base::printable(at_place(path, line, column, text), kLongestMessage)),
      path_(std::move(path)),
      text_(text),
      line_(line),
      column_(column) {}

DataError DataError::with(const std::string& more) const {
  return {path_, line_, column_, text_ + more};
}

std::string size_text(std::size_t bytes) {
  if (bytes >= std::size_t{1} << 20) return std::to_string(bytes >> 20) + " MiB";
  return std::to_string(bytes) + " bytes";
}

std::string in_quotes(std::string_view text, std::size_t longest) {
  return "'" + base::printable(text, longest) + "'";
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string near = base::nearest(word, names);
  return near.empty() ? "" : ", did you mean " + in_quotes(near) + "?";
}

}  // namespace nn
