#include "hpo/mlflow/http_client.h"

#include "base/plugin.h"

extern "C" const char* trellis_http_stamp();  // made by tools/stamp.py

namespace hpo {

std::unique_ptr<HttpClient> connect_http(const HttpServer& server) {
  const base::Plugin plugin{.file = "trellis-http.so",
                            .made_in = "hpo/mlflow",
                            .stamp = trellis_http_stamp(),
                            .needs = "cpp-httplib"};
  auto* make =
      reinterpret_cast<MakeHttpClient*>(base::plugin_function(plugin, "trellis_make_http_client"));
  return std::unique_ptr<HttpClient>(make(server));
}

}  // namespace hpo
