// In the place of the server where its library was not there.

#include "base/error.h"
#include "hpo/serve/serve.h"

namespace hpo {

void serve_studies(ServeOptions, const std::function<void(const std::string& url)>&) {
  throw base::Error(base::Errc::no_device,
                    "serve needs cpp-httplib, without which this program was built: install "
                    "libcpp-httplib-dev (Debian) and build again with ./trellis serve");
}

}  // namespace hpo
