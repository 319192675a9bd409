#include "runtime/nodes.h"

#include "runtime/core/engine.h"
#include "runtime/core/serving.h"
#include "runtime/core/shipping.h"
#include "runtime/key.h"

namespace rt::inline v0 {

namespace {

detail::Shipping& shipping_for(const char* action) {
  detail::Shipping* const shipping = detail::Engine::for_driver(action).shipping();
  if (shipping == nullptr)
    throw base::Error(base::Errc::usage, std::string(action) + " needs Config::nodes");
  return *shipping;
}

}  // namespace

std::string nodes_address() { return shipping_for("nodes_address()").address(); }

bool takes_agents() { return detail::Engine::for_driver("takes_agents()").shipping() != nullptr; }

std::vector<net::AgentView> agents() {
  detail::Shipping* const shipping = detail::Engine::for_driver("agents()").shipping();
  return shipping != nullptr ? shipping->dispatcher().agents() : std::vector<net::AgentView>();
}

std::vector<double> agent_totals() {
  detail::Shipping* const shipping = detail::Engine::for_driver("agent_totals()").shipping();
  return shipping != nullptr ? shipping->dispatcher().totals() : std::vector<double>();
}

void dismiss_agent(std::uint32_t number) {
  shipping_for("dismiss_agent()").dispatcher().dismiss(number, base::now());
}

bool bring_to_store(base::Key key) { return shipping_for("bring_to_store()").bring(key); }

std::size_t coming_to_store() { return shipping_for("coming_to_store()").bringing(); }

void give_up_calls() { shipping_for("give_up_calls()").give_up(); }

int exit_code(net::Dismissal why) noexcept {
  switch (why) {
    case net::Dismissal::over:
      return 0;
    case net::Dismissal::unwanted:
      return base::exit_code(base::Errc::usage);
    case net::Dismissal::orphaned:
      break;
  }
  return base::exit_code(base::Errc::cancelled);
}

std::string program_stamp() { return key_of_file("/proc/self/exe").hex(); }

net::Dismissal serve(const AgentConfig& config, std::string& text) {
  detail::Serving serving(detail::Engine::for_driver("rt::serve"), config);
  return serving.serve(text);
}

}  // namespace rt::inline v0
