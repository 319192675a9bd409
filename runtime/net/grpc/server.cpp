#include "runtime/net/grpc/server.h"

#include <grpcpp/generic/async_generic_service.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <map>

#include "base/error.h"
#include "runtime/net/grpc/door.h"
#include "runtime/net/grpc/stream.h"

namespace rt::net::grpc_transport {

namespace {

class Server;

/// Both streams of a link. A link is open while it has both.
struct ServerLink {
  std::array<class ServerStream*, kChannels> streams{};
  bool opened = false;
  bool over = false;         ///< takes no more frames
  bool closed_here = false;  ///< whoever closed it need not be told
};

class ServerStream final : public grpc::ServerGenericBidiReactor {
 public:
  ServerStream(Server& server, Channel channel, std::string token, std::string peer)
      : server_(server), channel_(channel), token_(std::move(token)), peer_(std::move(peer)) {}

  /// Tells the server of the stream; to be called once, when it is there.
  void begin();
  void write(base::Bytes frame) {
    const std::scoped_lock lock(mutex_);
    if (!finished_ && out_.add(std::move(frame))) StartWrite(out_.bundle());
  }
  /// Ends the stream once everything was written.
  void close() {
    if (out_.close()) finish(grpc::Status::OK);
  }
  /// Ends it at once.
  void finish(const grpc::Status& status) {
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(finished_, true)) Finish(status);
  }

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override {
    if (!ok) return finish(grpc::Status::CANCELLED);
    if (next()) return;
    if (out_.finished()) finish(grpc::Status::OK);
  }
  void OnCancel() override {
    broken_ = true;
    finish(grpc::Status::CANCELLED);
  }
  void OnDone() override;

 private:
  /// Writes what waits; false: there is none.
  bool next() {
    const std::scoped_lock lock(mutex_);
    if (finished_ || !out_.next()) return false;
    StartWrite(out_.bundle());
    return true;
  }

  friend class Server;
  Server& server_;
  const Channel channel_;
  const std::string token_;
  const std::string peer_;
  LinkId link_ = 0;
  bool heard_ = false;                ///< a frame has come
  std::atomic<bool> broken_ = false;  ///< it ends because its connection has
  Outgoing out_;
  grpc::ByteBuffer in_;
  std::mutex mutex_;  ///< nothing is begun after Finish
  bool finished_ = false;
};

class Server final : public Transport, public grpc::CallbackGenericService {
 public:
  Server(const Identity& own, const std::string& at, Inbox& inbox) : inbox_(inbox), door_(at) {
    grpc::SslServerCredentialsOptions ssl(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    ssl.pem_root_certs = own.authority;
    ssl.pem_key_cert_pairs.push_back({own.key, own.certificate});
    grpc::ServerBuilder builder;
    // A listener of gRPC 1.51 accepts everybody, and nobody any more once descriptors ran out.
    acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        grpc::SslServerCredentials(ssl));
    builder.RegisterCallbackGenericService(this);
    builder.SetMaxReceiveMessageSize(static_cast<int>(kMostMessage));
    // Who says nothing for three seconds is gone.
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 1000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 2000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 500);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    // A connection is one stream: without it, it is of no use.
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 1000);
    server_ = builder.BuildAndStart();
    if (!server_)
      throw base::Error(base::Errc::storage, "no agent can reach this machine at " + at);
    door_.open([this](int connection) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters knock;
      knock.fd = connection;
      acceptor_->HandleNewConnection(&knock);
    });
  }
  ~Server() override {
    door_.close();
    // Writes that were begun have a moment to end.
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(500));
    server_->Wait();
    std::unique_lock lock(mutex_);
    gone_.wait(lock, [this] { return streams_ == 0; });
  }

  [[nodiscard]] std::string address() const override { return door_.address(); }

  void send(LinkId link, Channel channel, base::Bytes frame) override {
    const std::scoped_lock lock(mutex_);
    const auto at = links_.find(link);
    if (at == links_.end() || at->second.over) return;
    at->second.streams[static_cast<std::size_t>(channel)]->write(std::move(frame));
  }
  void close(LinkId link) override {
    const std::scoped_lock lock(mutex_);
    const auto at = links_.find(link);
    if (at == links_.end()) return;
    at->second.closed_here = true;
    if (std::exchange(at->second.over, true)) return;
    for (ServerStream* stream : at->second.streams) {
      if (stream != nullptr) stream->close();
    }
  }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const auto& headers = context->client_metadata();
    const auto token = headers.find(kLinkHeader);
    for (std::size_t i = 0; i < kChannels; ++i) {
      if (context->method() != kMethods[i] || token == headers.end()) continue;
      auto* const stream = new ServerStream(*this, static_cast<Channel>(i),
                                            std::string(token->second.data(), token->second.size()),
                                            context->peer());
      {
        const std::scoped_lock lock(mutex_);
        ++streams_;
      }
      stream->begin();
      return stream;
    }
    return grpc::CallbackGenericService::CreateReactor(context);
  }

 private:
  friend class ServerStream;

  /// Returns whether the stream has become a part of its link.
  bool add(ServerStream& stream) {
    const std::scoped_lock lock(mutex_);
    LinkId& link = tokens_[stream.token_];
    if (link == 0) link = ++last_link_;
    ServerLink& of = links_[link];
    ServerStream*& place = of.streams[static_cast<std::size_t>(stream.channel_)];
    if (place != nullptr || of.over) {
      stream.finish(grpc::Status(grpc::StatusCode::ALREADY_EXISTS, "this link has that stream"));
      return false;
    }
    place = &stream;
    stream.link_ = link;
    door_.wait_for(stream.peer_);
    of.opened = of.streams[0] != nullptr && of.streams[1] != nullptr;
    // Under the lock: frames of the other stream must not overtake it.
    if (of.opened) inbox_.opened(link);
    return true;
  }
  /// A stream has its first frame; returns whether its link is open.
  bool heard(const ServerStream& stream) {
    const std::scoped_lock lock(mutex_);
    const auto at = links_.find(stream.link_);
    if (at == links_.end() || !at->second.opened) return false;
    for (const ServerStream* each : at->second.streams) {
      if (each != nullptr) door_.keep(each->peer_);
    }
    return true;
  }
  void remove(ServerStream& stream) {
    const std::scoped_lock lock(mutex_);
    const auto at = links_.find(stream.link_);
    if (at == links_.end()) return;
    ServerLink& link = at->second;
    link.streams[static_cast<std::size_t>(stream.channel_)] = nullptr;
    link.over = true;
    bool empty = true;
    for (ServerStream* other : link.streams) {
      if (other == nullptr) continue;
      empty = false;
      // After a regular end the other stream may still bring the last frames.
      if (stream.broken_) other->finish(grpc::Status::CANCELLED);
    }
    if (!empty) return;
    if (link.opened && !link.closed_here) inbox_.closed(stream.link_, "its connection broke");
    tokens_.erase(stream.token_);
    links_.erase(at);
  }
  /// A stream has been destroyed.
  void bury() {
    const std::scoped_lock lock(mutex_);
    if (--streams_ == 0) gone_.notify_all();
  }

  Inbox& inbox_;
  Door door_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable gone_;
  std::size_t streams_ = 0;
  LinkId last_link_ = 0;
  std::map<std::string, LinkId> tokens_;
  std::map<LinkId, ServerLink> links_;
  std::unique_ptr<grpc::Server> server_;  ///< first to go
};

void ServerStream::begin() {
  StartSendInitialMetadata();
  if (server_.add(*this)) StartRead(&in_);
}

void ServerStream::OnReadDone(bool ok) {
  if (!ok) return finish(grpc::Status::OK);
  if (!heard_ && !(heard_ = server_.heard(*this))) {
    return finish(grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "this is half a link"));
  }
  take_frames(in_, [this](base::Bytes frame) { server_.inbox_.received(link_, std::move(frame)); });
  StartRead(&in_);
}

void ServerStream::OnDone() {
  Server& server = server_;
  server.remove(*this);
  delete this;
  server.bury();
}

}  // namespace

std::unique_ptr<Transport> listen(const Identity& own, const std::string& at, Inbox& inbox) {
  return std::make_unique<Server>(own, at, inbox);
}

}  // namespace rt::net::grpc_transport
