#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "base/utf8.h"

namespace cli {

namespace {

struct Tint {
  std::string_view state, code;
};
constexpr std::array kTints{Tint{"complete", "32"}, Tint{"finished", "32"},
                            Tint{"running", "36"},  Tint{"stopped", "33"},
                            Tint{"failed", "31"},   Tint{"interrupted", "33"}};

bool understands(const char* term) { return term && std::string_view(term) != "dumb"; }

bool wants_color() {
  const char* unwanted = std::getenv("NO_COLOR");
  return unwanted == nullptr || *unwanted == '\0';
}

bool looks_numeric(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.+-e%infa") == std::string_view::npos;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  bool colour = false;
  for (char c : text) {
    if (c == '\033') colour = true;
    if (!colour && base::begins_character(c)) ++columns;
    if (c == 'm') colour = false;
  }
  return columns;
}

bool live_display() { return isatty(STDERR_FILENO) == 1 && understands(std::getenv("TERM")); }

bool repaints_results() { return isatty(STDOUT_FILENO) == 1 && understands(std::getenv("TERM")); }

bool coloured_results() { return repaints_results() && wants_color(); }

bool coloured_progress() { return live_display() && wants_color(); }

std::string tinted(std::string_view state) {
  auto tint =
      std::ranges::find_if(kTints, [&](const Tint& t) { return state.starts_with(t.state); });
  if (tint == kTints.end() || !coloured_results()) return std::string(state);
  return "\033[" + std::string(tint->code) + "m" + std::string(state) + "\033[0m";
}

int terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string clip(std::string_view text, int width) {
  if (width < 1) return {};
  if (columns_of(text) <= static_cast<std::size_t>(width)) return std::string(text);
  std::string out;
  int used = 0;
  bool colour = false;
  for (char c : text) {
    if (c == '\033') colour = true;
    const bool begins = !colour && base::begins_character(c);
    // Colour codes behind the cut are kept, so that a colour that was begun is reset.
    if (begins && ++used == width) out += "…";
    if (used < width || colour) out += c;
    if (c == 'm') colour = false;
  }
  return out;
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string pad(widths[i] - columns_of(row[i]), ' ');
      line += i >= names_ && looks_numeric(row[i]) ? pad + row[i] : row[i] + pad;
      if (i + 1 < row.size()) line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string short_number(double value) { return base::with_digits(value, 4); }

std::string result_number(double value) { return base::with_digits(value, 6); }

std::string short_seconds(double seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 10) return base::with_decimals(seconds, 1) + "s";
  auto whole = static_cast<long>(std::lround(seconds));
  std::array<char, 64> text{};
  if (whole < 60)
    std::snprintf(text.data(), text.size(), "%lds", whole);
  else if (whole < 3600)
    std::snprintf(text.data(), text.size(), "%ldm %02lds", whole / 60, whole % 60);
  else
    std::snprintf(text.data(), text.size(), "%ldh %02ldm", whole / 3600, whole / 60 % 60);
  return text.data();
}

std::string short_amount(double amount, std::string_view unit) {
  constexpr std::array<std::string_view, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (std::abs(amount) >= 1000 && prefix + 1 < kPrefixes.size()) {
    amount /= 1000;
    ++prefix;
  }
  return base::with_digits(amount, 3) + " " + std::string(kPrefixes[prefix]) + std::string(unit);
}

}  // namespace cli
