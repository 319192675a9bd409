#pragma once
// Who may ask for what: names of this server, and the token.

#include <string>
#include <string_view>
#include <vector>

#include "hpo/serve/request.h"

namespace hpo::serve {

/// 32 random bytes as text that a URL and a cookie can hold. Throws base::Error (storage) where the
/// system has none.
[[nodiscard]] std::string new_token();

/// Whether two texts are equal, in a time that depends on their lengths alone.
[[nodiscard]] bool equal_secrets(std::string_view a, std::string_view b);

class Access {
 public:
  /// `host`: the address that the server was told to listen on; empty: this machine alone.
  /// `token`: of whoever may do more than read or, where `reads_by_token`, anything at all; empty:
  /// there is none.
  Access(std::string host, int port, std::string token, bool reads_by_token);

  /// Whether the request names this server as its host. A page of another site, whose name has been
  /// turned to this machine's address, sends that name. Checked whatever address the server has.
  [[nodiscard]] bool names_us(const Request& request) const;
  /// Whether it comes from a page of this server.
  [[nodiscard]] static bool is_own_origin(const Request& request);
  /// Whether it has the token: in its cookie, or as `Authorization: Bearer TOKEN`.
  [[nodiscard]] bool has_token(const Request& request) const;
  [[nodiscard]] bool may_read(const Request& request) const {
    return !reads_by_token_ || has_token(request);
  }

  /// The cookie for whoever has shown the token. Its name has the port: cookies do not tell ports.
  [[nodiscard]] std::string cookie() const;

 private:
  [[nodiscard]] std::string cookie_name() const;

  std::vector<std::string> names_;
  int port_;
  std::string token_;
  bool reads_by_token_;
};

}  // namespace hpo::serve
