#pragma once
// What the plugin with the HTTP library offers. The library is loaded when a study is sent to a
// server, so that no other start of the program has to.

#include <memory>
#include <string>

namespace hpo {

/// An answer of a server. `status` 0: none came, and `body` says why.
struct HttpAnswer {
  int status = 0;
  std::string body;
};

/// Talks to one server over one connection. Not thread-safe. Nothing throws.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// Sends GET or POST with a body of JSON; paths begin behind the server's address.
  [[nodiscard]] virtual HttpAnswer get(const std::string& path) = 0;
  [[nodiscard]] virtual HttpAnswer post(const std::string& path, const std::string& json) = 0;
};

/// How to reach a server.
struct HttpServer {
  std::string address;  ///< "https://host:port"
  std::string user, password;
  std::string token;              ///< sent as a bearer; empty: none
  std::string certificates;       ///< file of the authorities to trust; empty: the system's
  bool trust_any_server = false;  ///< certificates are not checked
};

/// Throws base::Error (no_device) where the program was built without the library.
[[nodiscard]] std::unique_ptr<HttpClient> connect_http(const HttpServer& server);

/// Defined by the plugin.
using MakeHttpClient = HttpClient*(const HttpServer& server);

}  // namespace hpo
