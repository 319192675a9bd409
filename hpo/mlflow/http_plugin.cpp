// The plugin: HTTP by cpp-httplib, HTTPS by OpenSSL.

#include <httplib.h>

#include "hpo/mlflow/http_client.h"

namespace hpo {

namespace {

constexpr int kConnectSeconds = 10;
constexpr int kAnswerSeconds = 120;  // a server with a database that is busy
constexpr const char* kJson = "application/json";

class Client : public HttpClient {
 public:
  explicit Client(const HttpServer& server) : client_(server.address) {
    client_.set_keep_alive(true);
    client_.set_connection_timeout(kConnectSeconds);
    client_.set_read_timeout(kAnswerSeconds);
    client_.set_write_timeout(kAnswerSeconds);
    if (!server.token.empty()) client_.set_bearer_token_auth(server.token);
    if (!server.user.empty()) client_.set_basic_auth(server.user, server.password);
    if (!server.certificates.empty()) client_.set_ca_cert_path(server.certificates);
    client_.enable_server_certificate_verification(!server.trust_any_server);
  }

  HttpAnswer get(const std::string& path) override { return answer(client_.Get(path)); }
  HttpAnswer post(const std::string& path, const std::string& json) override {
    return answer(client_.Post(path, json, kJson));
  }

 private:
  static HttpAnswer answer(const httplib::Result& result) {
    if (!result) return {0, httplib::to_string(result.error())};
    return {result->status, result->body};
  }

  httplib::Client client_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) HttpClient* trellis_make_http_client(
    const HttpServer& server) {
  return std::make_unique<Client>(server).release();
}

}  // namespace hpo
