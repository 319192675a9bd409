// Loading the transport, which lives in a shared object of its own.
#include "base/plugin.h"
#include "runtime/net/transport.h"

extern "C" const char* trellis_runtime_stamp();  // made by tools/stamp.py

namespace rt::net {

Network& load_network() {
  static const std::unique_ptr<Network> network = [] {
    const base::Plugin plugin{.file = "trellis-net.so",
                              .made_in = "runtime/net/grpc",
                              .stamp = trellis_runtime_stamp(),
                              .needs = "gRPC"};
    void* make = base::plugin_function(plugin, "trellis_make_network");
    return std::unique_ptr<Network>(reinterpret_cast<MakeNetwork>(make)());
  }();
  return *network;
}

}  // namespace rt::net
