#include "hpo/serve/access.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace hpo::serve {

namespace {

/// "localhost:8080" -> "localhost", "[::1]:8080" -> "[::1]"; empty where the port is none.
std::string name_in(std::string_view host) {
  const std::size_t from = host.starts_with('[') ? host.find(']') : 0;
  if (from == std::string_view::npos) return "";
  const std::size_t colon = host.find(':', from);
  if (colon == std::string_view::npos) return base::lowered(host);
  const auto port = base::parse_unsigned(host.substr(colon + 1));
  return port && *port > 0 && *port < 65536 ? base::lowered(host.substr(0, colon)) : "";
}

/// As it stands in a URL.
std::string in_url(const std::string& address) {
  return address.find(':') == std::string::npos ? address : base::cat("[", address, "]");
}

}  // namespace

std::string new_token() {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw base::storage_error("read", "random bytes", errno);
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

bool equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differing = static_cast<unsigned char>(differing | (a[i] ^ b[i]));
  return differing == 0;
}

Access::Access(std::string host, int port, std::string token, bool reads_by_token)
    : names_{"localhost", "127.0.0.1", "[::1]"},
      port_(port),
      token_(std::move(token)),
      reads_by_token_(reads_by_token) {
  if (host.empty()) return;
  names_.push_back(base::lowered(in_url(host)));
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0)
    names_.push_back(base::lowered(name.data()));
}

bool Access::names_us(const Request& request) const {
  const std::string name = name_in(request.host);
  if (name.empty()) return false;
  // An address in figures is no name that somebody could turn elsewhere.
  return std::ranges::find(names_, name) != names_.end() ||
         (!request.local_address.empty() && name == base::lowered(in_url(request.local_address)));
}

bool Access::is_own_origin(const Request& request) {
  return request.origin == base::cat("http://", request.host);
}

bool Access::has_token(const Request& request) const {
  if (token_.empty()) return false;
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.authorization;
  if (authorization.starts_with(kBearer))
    return equal_secrets(authorization.substr(kBearer.size()), token_);
  const std::string name = cookie_name();
  std::string_view cookies = request.cookie;
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view one = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(name) && one.substr(name.size()).starts_with('='))
      return equal_secrets(one.substr(name.size() + 1), token_);
  }
  return false;
}

std::string Access::cookie() const {
  return base::cat(cookie_name(), "=", token_, "; Path=/; HttpOnly; SameSite=Strict");
}

std::string Access::cookie_name() const { return base::cat("trellis-", port_); }

}  // namespace hpo::serve
