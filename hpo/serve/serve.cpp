#include "hpo/serve/serve.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hpo/serve/access.h"
#include "hpo/serve/http_server.h"
#include "hpo/serve/routes.h"

namespace hpo {

namespace {

/// Where a signal is told of. A signal may come to any thread, also to one of a library.
std::array<int, 2> ending{-1, -1};

void tell_of_end() {
  const char byte = 0;
  (void)!::write(ending[1], &byte, 1);
}

void wait_for_end() {
  char byte = 0;
  while (::read(ending[0], &byte, 1) < 0 && errno == EINTR) continue;
}

void take_signals() {
  if (::pipe2(ending.data(), O_CLOEXEC) != 0)
    throw base::storage_error("make", "a pipe for signals", errno);
  struct sigaction action {};
  action.sa_handler = [](int) {
    const int before = errno;
    tell_of_end();
    errno = before;
  };
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

/// A core would have the token in it.
void leave_no_core() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

std::string url_of(const ServeOptions& options, int port, const std::string& token) {
  const bool is_any = options.host == "0.0.0.0" || options.host == "::" || options.host.empty();
  std::string host = is_any ? "127.0.0.1" : options.host;
  if (host.find(':') != std::string::npos) host = base::cat("[", host, "]");
  std::string url = base::cat("http://", host, ":", port, "/");
  // Behind the '#' a browser keeps it to itself.
  return token.empty() ? url : base::cat(url, "#token=", token);
}

}  // namespace

void serve_studies(ServeOptions options, const std::function<void(const std::string& url)>& tell) {
  leave_no_core();
  take_signals();
  const bool reads_by_token = !options.host.empty();
  const std::string token = reads_by_token || options.control ? serve::new_token() : std::string();
  serve::HttpServer server(options.host, options.port, !token.empty());
  serve::Routes routes({.folder = options.folder,
                        .only = options.only,
                        .report = options.report,
                        .control = options.control},
                       serve::Access(options.host, server.port(), token, reads_by_token));
  std::thread waiter([&server] {
    wait_for_end();
    server.stop();
  });
  tell(url_of(options, server.port(), token));
  const bool all_ended =
      server.run([&routes](const serve::Request& request) { return routes.answer(request); });
  tell_of_end();  // where no signal did
  waiter.join();
  if (all_ended) return;
  // Somebody waits for a folder that hangs, and would look for what this function had.
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace hpo
