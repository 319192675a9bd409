#include "hpo/serve/http_server.h"

#include <httplib.h>
#include <netinet/tcp.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "hpo/serve/connections.h"
#include "hpo/serve/fields.h"
#include "hpo/serve/head_check.h"
#include "hpo/serve/wire.h"

namespace hpo::serve {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// For a whole head, and between two requests.
constexpr base::Duration kIdle = seconds(10);
/// A client that reads nothing for so long is cut off.
constexpr base::Duration kUnread = seconds(10);
constexpr base::Duration kEnding = seconds(1);
/// After that a stream looks whether its reader is still there.
constexpr base::Duration kReaderLook = milliseconds(500);
constexpr int kMostRequests = 100;
constexpr int kBacklog = 128;

/// The connection that this thread serves; -1: one that there is no room for.
thread_local int served = -1;

/// What httplib reads and writes: a head that was checked, and the socket.
class CheckedStream final : public httplib::Stream {
 public:
  CheckedStream(int socket, std::string_view head) : socket_(socket), head_(head) {}

  bool is_readable() const override { return !head_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* into, std::size_t size) override {
    const std::size_t count = head_.copy(into, size);
    head_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    return send_all(socket_, {bytes, size}, kUnread) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  int socket_;
  std::string_view head_;
};

/// A thread for each connection.
class Threads final : public httplib::TaskQueue {
 public:
  explicit Threads(std::shared_ptr<Connections> connections)
      : connections_(std::move(connections)) {}

  void enqueue(std::function<void()> serve) override {
    if (!connections_->begin_thread()) return serve();
    try {
      std::thread([connections = connections_, serve] {
        served = 0;
        serve();
        connections->end_thread();
      }).detach();
    } catch (const std::system_error&) {
      connections_->end_thread();
      serve();
    }
  }
  void shutdown() override {}

 private:
  std::shared_ptr<Connections> connections_;
};

class Listener final : public httplib::Server {
 public:
  Listener(bool posts, std::shared_ptr<Connections> connections)
      : posts_(posts), connections_(std::move(connections)) {}

  /// httplib keeps five in its queue.
  void lengthen_queue() { ::listen(svr_sock_, kBacklog); }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const base::File owner(socket);
    if (served < 0) return send_all(socket, refusal_text({503, "Too many connections."}), {});
    served = socket;
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    connections_->add(socket);
    std::string received;
    for (int count = 1; count <= kMostRequests; ++count)
      if (!serve_one(received, count == kMostRequests)) break;
    end_gently(socket);
    connections_->remove(socket);
    return true;
  }

  /// True when the connection stays open for one more request.
  bool serve_one(std::string& received, bool is_last) {
    std::string head;
    switch (read_head(served, received, head, kIdle)) {
      case HeadState::closed:
        return false;
      case HeadState::late:
        return refuse({408, "The request took too long."});
      case HeadState::too_long:
        return refuse({431, "The request is too long."});
      case HeadState::whole:
        break;
    }
    if (const auto refusal = check_head(head, posts_)) return refuse(*refusal);
    connections_->set_busy(served, true);
    CheckedStream stream(served, head);
    bool closed = false;
    // Compressing a page would cost more than sending it to this machine.
    const bool good = process_request(stream, is_last, closed, [](httplib::Request& request) {
      request.headers.erase("Accept-Encoding");
    });
    connections_->set_busy(served, false);
    return good && !closed && !is_last;
  }

  static bool refuse(const Refusal& refusal) {
    send_all(served, refusal_text(refusal), kUnread);
    return false;
  }

  bool posts_;
  std::shared_ptr<Connections> connections_;
};

Request request_of(const httplib::Request& request) {
  return {.method = request.method,
          .target = request.target,
          .host = request.get_header_value("Host"),
          .origin = request.get_header_value("Origin"),
          .cookie = request.get_header_value("Cookie"),
          .authorization = request.get_header_value("Authorization"),
          .last_event_id = request.get_header_value("Last-Event-ID"),
          .local_address = local_address(served)};
}

void fill(httplib::Response& response, const Answer& answer,
          const std::shared_ptr<Connections>& connections) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.fields) response.set_header(name, value);
  if (answer.source) {
    response.set_chunked_content_provider(
        answer.type, [source = answer.source, connections, socket = served](
                         std::size_t, httplib::DataSink& sink) {
          if (connections->is_closing() || has_left(socket)) return false;
          std::string piece;
          if (!source(piece, kReaderLook)) return sink.done(), true;
          return piece.empty() || sink.write(piece.data(), piece.size());
        });
  } else if (answer.body->empty()) {
    if (answer.status != 204) response.set_content("", answer.type);
  } else {
    response.set_content_provider(
        answer.body->size(), answer.type,
        [body = answer.body](std::size_t from, std::size_t size, httplib::DataSink& sink) {
          return sink.write(body->data() + from, size);
        });
  }
}

std::string shown_address(const std::string& host, int port) {
  return base::cat(host.find(':') == std::string::npos ? host : base::cat("[", host, "]"), ":",
                   port);
}

}  // namespace

struct HttpServer::Impl {
  explicit Impl(bool posts) : listener(posts, connections) {}

  std::shared_ptr<Connections> connections = std::make_shared<Connections>();
  Listener listener;
  int port = 0;
  std::atomic<bool> ended = false;
};

HttpServer::HttpServer(const std::string& host, int port, bool posts)
    : impl_(std::make_unique<Impl>(posts)) {
  Listener& listener = impl_->listener;
  // httplib would let another process share the port.
  listener.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  httplib::Headers headers;
  for (const auto& [name, value] : common_fields()) headers.emplace(name, value);
  listener.set_default_headers(std::move(headers));
  listener.set_keep_alive_max_count(kMostRequests);
  listener.set_keep_alive_timeout(std::chrono::duration_cast<seconds>(kIdle).count());
  const std::string address = host.empty() ? "127.0.0.1" : host;
  errno = 0;
  impl_->port = port > 0 ? (listener.bind_to_port(address, port) ? port : -1)
                         : listener.bind_to_any_port(address);
  if (impl_->port <= 0)
    throw base::Error(base::Errc::usage,
                      base::cat("cannot listen on ", shown_address(address, port), ": ",
                                errno != 0 ? base::errno_words(errno) : "no such address",
                                ": choose another one with --port or --host"));
  listener.lengthen_queue();
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port; }

bool HttpServer::run(std::function<Answer(const Request&)> answer) {
  Listener& listener = impl_->listener;
  listener.new_task_queue = [connections = impl_->connections] { return new Threads(connections); };
  listener.set_pre_routing_handler(
      [answer = std::move(answer), connections = impl_->connections](
          const httplib::Request& request, httplib::Response& response) {
        Answer made;
        try {
          made = answer(request_of(request));
        } catch (const std::exception&) {
          // What it says may name a path.
          made = plain_answer(500, "The server could not answer.");
        }
        fill(response, made, connections);
        return httplib::Server::HandlerResponse::Handled;
      });
  listener.listen_after_bind();
  impl_->ended = true;
  return impl_->connections->end(kEnding);
}

void HttpServer::stop() {
  // A server that does not run yet would forget that it was stopped.
  while (!impl_->ended && !impl_->listener.is_running()) base::sleep_for(milliseconds(1));
  impl_->listener.stop();
}

}  // namespace hpo::serve
