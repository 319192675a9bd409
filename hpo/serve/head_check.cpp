#include "hpo/serve/head_check.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"

namespace hpo::serve {

namespace {

constexpr std::size_t kLongestTarget = 2048;

/// Fields whose meaning would be another one if they came twice.
constexpr std::array<std::string_view, 6> kOnce{"host",   "content-length", "authorization",
                                                "origin", "last-event-id",  "connection"};
/// Fields that ask for what this server does not do: bodies, parts of pages, other protocols.
constexpr std::array<std::string_view, 4> kNever{"transfer-encoding", "expect", "range", "upgrade"};

bool is_token_char(char c) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         kSigns.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

/// Visible ASCII: a path is percent-encoded.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

/// Neither control characters nor what ends a line elsewhere.
bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<Refusal> check_request_line(std::string_view line, bool posts) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return Refusal{400, "This is no HTTP request."};
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  if (!is_token(method)) return Refusal{400, "This is no method."};
  if (!is_plain(version)) return Refusal{400, "Lines must end with CR and LF."};
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return Refusal{505, "This server speaks HTTP/1.1."};
  if (method != "GET" && method != "HEAD" && !(posts && method == "POST"))
    return Refusal{405, "This server answers GET and HEAD."};
  if (target.size() > kLongestTarget) return Refusal{414, "The address is too long."};
  if (target.empty() || target.front() != '/' || !is_plain(target))
    return Refusal{400, "The address must be a path."};
  return std::nullopt;
}

std::optional<Refusal> check_field(std::string_view name, std::string_view value) {
  if (!is_token(name)) return Refusal{400, "A header field has no proper name."};
  if (!is_field_value(value)) return Refusal{400, "A header field has a control character."};
  const std::string key = base::lowered(name);
  if (std::ranges::find(kNever, key) != kNever.end())
    return Refusal{400, "Requests have no body, and pages are sent whole."};
  if (key == "content-length" && value != "0") return Refusal{413, "Requests have no body."};
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_head(std::string_view head, bool posts) {
  std::size_t end = head.find("\r\n");
  if (end == std::string_view::npos) return Refusal{400, "Lines must end with CR and LF."};
  if (auto refusal = check_request_line(head.substr(0, end), posts)) return refusal;
  std::array<int, kOnce.size()> seen{};
  for (head.remove_prefix(end + 2); head != "\r\n"; head.remove_prefix(end + 2)) {
    end = head.find("\r\n");
    if (end == std::string_view::npos) return Refusal{400, "Lines must end with CR and LF."};
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Refusal{400, "A header field lacks its colon."};
    const std::string_view name = line.substr(0, colon);
    if (auto refusal = check_field(name, trimmed(line.substr(colon + 1)))) return refusal;
    const auto once = std::ranges::find(kOnce, base::lowered(name));
    if (once == kOnce.end()) continue;
    if (++seen.at(static_cast<std::size_t>(once - kOnce.begin())) > 1)
      return Refusal{400, "A header field came twice."};
  }
  if (seen.front() == 0) return Refusal{400, "The request names no host."};
  return std::nullopt;
}

}  // namespace hpo::serve
