#include "hpo/serve/path.h"

#include <algorithm>

namespace hpo::serve {

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digit(text[i + 1]), low = digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(16 * high + low);
    i += 2;
  }
  return out;
}

bool is_name(std::string_view step) {
  return !step.empty() && step != "." && step != ".." && step.find('/') == std::string_view::npos &&
         step.find('\0') == std::string_view::npos;
}

}  // namespace

std::optional<std::vector<std::string>> path_steps(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string> steps;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    std::optional<std::string> step = decoded(path.substr(0, end));
    path.remove_prefix(end);
    if (!step || (!is_name(*step) && !(step->empty() && path.empty()))) return std::nullopt;
    steps.push_back(std::move(*step));
  }
  return steps;
}

}  // namespace hpo::serve
