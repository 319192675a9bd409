// How figures are shown: JSON for programs, a table for people.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/json_writer.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/words.h"
#include "bench/bench.h"
#include "bench/measure.h"

namespace bench {
namespace {

std::string number(double x) { return std::isfinite(x) ? base::format_double(x) : "null"; }

/// Four digits that matter, without an exponent for everyday sizes.
std::string rounded(double x) {
  if (!std::isfinite(x)) return "-";
  const double size = std::fabs(x);
  return base::with_decimals(x, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

std::string padded(const std::string& s, std::size_t width, bool left) {
  const std::string fill(width > s.size() ? width - s.size() : 0, ' ');
  return left ? s + fill : fill + s;
}

}  // namespace

std::string machine_text() {
  const double bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return base::cat(base::cpu_name(), ", ", base::counted(cores(), "core"), ", ",
                   base::format_bytes(static_cast<std::uint64_t>(bytes)));
}

std::string json_of(std::span<const Case> cases, std::string_view machine) {
  std::string out = "[";
  for (const Case& c : cases) {
    out += base::cat(out.size() > 1 ? ",\n " : "\n ", "{\"case\": ", base::quote_json(c.name),
                     ", \"ours\": ", number(c.ours), ", \"unit\": ", base::quote_json(c.unit),
                     ", \"rival\": ", c.rival.empty() ? "null" : base::quote_json(c.rival),
                     ", \"rival_value\": ", number(c.rival_value), ", \"ratio\": ", number(c.ratio),
                     ", \"spread\": ", number(c.spread),
                     ", \"machine\": ", base::quote_json(machine), "}");
  }
  return out + "\n]\n";
}

std::string table_of(std::span<const Case> cases, std::string_view machine) {
  std::vector<std::vector<std::string>> rows = {
      {"case", "ours", "unit", "rival", "rival's", "ratio", "spread"}};
  for (const Case& c : cases) {
    rows.push_back({c.name, rounded(c.ours), c.unit, c.rival.empty() ? "-" : c.rival,
                    rounded(c.rival_value), rounded(c.ratio), rounded(100 * c.spread) + "%"});
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out = base::cat(machine, "\n");
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool left = i == 0 || i == 2 || i == 3;
      line += (i > 0 ? "  " : "") + padded(row[i], widths[i], left);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace bench
