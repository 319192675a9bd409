// The transport over gRPC, and the links of gangs over TLS, as a plugin.
#include <grpc/support/log.h>

#include <cstdlib>

#include "runtime/net/grpc/client.h"
#include "runtime/net/grpc/server.h"
#include "runtime/net/tls/door.h"
#include "runtime/net/tls/keys.h"

namespace rt::net::grpc_transport {
namespace {

class GrpcNetwork final : public Network {
 public:
  std::unique_ptr<Transport> listen(const Identity& own, const std::string& at,
                                    Inbox& inbox) override {
    return grpc_transport::listen(own, at, inbox);
  }
  std::unique_ptr<Transport> connect(const Identity& own, Listener other, Inbox& inbox) override {
    return grpc_transport::connect(own, other, inbox);
  }
  Authority make_authority() override { return tls::make_authority(); }
  Identity issue(const Authority& authority, bool driver) override {
    return tls::issue(authority, driver);
  }
  std::unique_ptr<MemberDoor> open_door(const Identity& own, const std::string& at) override {
    return tls::open_door(own, at);
  }
  std::string fault_of(const Identity& identity) override { return tls::fault_of(identity); }
};

}  // namespace
}  // namespace rt::net::grpc_transport

extern "C" {

__attribute__((visibility("default"))) rt::net::Network* trellis_make_network() {
  // What is worth saying of a link is said where it is lost.
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  return new rt::net::grpc_transport::GrpcNetwork;
}
}
