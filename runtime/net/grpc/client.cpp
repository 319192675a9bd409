#include "runtime/net/grpc/client.h"

#include <grpcpp/generic/generic_stub.h>

#include <array>
#include <condition_variable>
#include <map>
#include <random>
#include <vector>

#include "runtime/net/grpc/stream.h"
#include "runtime/net/tls/keys.h"

namespace rt::net::grpc_transport {

namespace {

class Client;

class ClientStream final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  ClientStream(Client& client, LinkId link, Channel channel)
      : client_(client), link_(link), channel_(channel) {}

  void begin(grpc::GenericStub& stub, const std::string& token) {
    context_.AddMetadata(kLinkHeader, token);
    stub.PrepareBidiStreamingCall(&context_, kMethods[static_cast<std::size_t>(channel_)], {},
                                  this);
    // Writes come from other threads than the reactor's: it must not end before they do.
    AddHold();
    StartRead(&in_);
    StartCall();
  }
  void write(base::Bytes frame) {
    const std::scoped_lock lock(mutex_);
    if (!released_ && out_.add(std::move(frame))) StartWrite(out_.bundle());
  }
  void close() {
    if (out_.close()) hang_up();
  }
  void cancel() {
    context_.TryCancel();
    release();
  }

  void OnReadInitialMetadataDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override {
    if (!ok) return;
    if (out_.next()) {
      StartWrite(out_.bundle());
    } else if (out_.finished()) {
      hang_up();
    }
  }
  void OnDone(const grpc::Status& status) override;

  /// Lets it end once nothing of it is under way.
  void release() {
    {
      const std::scoped_lock lock(mutex_);
      if (std::exchange(released_, true)) return;
    }
    RemoveHold();
  }

 private:
  void hang_up() {
    {
      const std::scoped_lock lock(mutex_);
      if (std::exchange(released_, true)) return;
      StartWritesDone();
    }
    RemoveHold();
  }

  friend class Client;
  Client& client_;
  const LinkId link_;
  const Channel channel_;
  grpc::ClientContext context_;
  Outgoing out_;
  grpc::ByteBuffer in_;
  std::mutex mutex_;  ///< nothing is begun from outside once it was released
  bool released_ = false;
};

/// What links need of the network: two channels, so that contents never delay signs of life.
struct ClientLink {
  std::array<std::unique_ptr<grpc::GenericStub>, kChannels> stubs;
  std::array<ClientStream*, kChannels> streams{};
  std::size_t ready = 0;
  std::size_t alive = kChannels;  ///< streams that have not been destroyed
  bool over = false;              ///< takes no more frames
  bool closed_here = false;       ///< whoever closed it need not be told
  std::string why;                ///< it ends
};

class Client final : public Transport {
 public:
  Client(Identity own, Listener other, Inbox& inbox)
      : own_(std::move(own)), name_(tls::name_of(other)), inbox_(inbox) {}
  ~Client() override {
    std::unique_lock lock(mutex_);
    for (auto& [id, link] : links_) {
      link.over = link.closed_here = true;
      for (ClientStream* stream : link.streams) {
        if (stream != nullptr) stream->close();
      }
    }
    if (!gone_.wait_for(lock, std::chrono::seconds(1), [this] { return links_.empty(); })) {
      for (auto& [id, link] : links_) {
        for (ClientStream* stream : link.streams) {
          if (stream != nullptr) stream->cancel();
        }
      }
      gone_.wait(lock, [this] { return links_.empty(); });
    }
  }

  void dial(const std::string& address) override {
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = own_.authority;
    ssl.pem_private_key = own_.key;
    ssl.pem_cert_chain = own_.certificate;
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride(name_);
    arguments.SetMaxReceiveMessageSize(static_cast<int>(kMostMessage));
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 1000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 2000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection each
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
    std::array<std::uint64_t, 2> token{};
    std::random_device random;
    for (std::uint64_t& part : token) part = std::uint64_t{random()} << 32 | random();
    const std::string text = base::Key{token[0], token[1]}.hex();

    std::vector<std::map<LinkId, ClientLink>::node_type> dead;  // goes after the lock
    const std::scoped_lock lock(mutex_);
    dead.swap(dead_);
    const LinkId id = ++last_link_;
    ClientLink& link = links_[id];
    for (std::size_t i = 0; i < kChannels; ++i) {
      arguments.SetInt("trellis.channel", static_cast<int>(i));
      link.stubs[i] = std::make_unique<grpc::GenericStub>(
          grpc::CreateCustomChannel(address, grpc::SslCredentials(ssl), arguments));
      link.streams[i] = new ClientStream(*this, id, static_cast<Channel>(i));
    }
    for (std::size_t i = 0; i < kChannels; ++i) link.streams[i]->begin(*link.stubs[i], text);
  }

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
    for (ClientStream* stream : at->second.streams) {
      if (stream != nullptr) stream->close();
    }
  }

 private:
  friend class ClientStream;

  void ready(const ClientStream& stream) {
    {
      const std::scoped_lock lock(mutex_);
      ClientLink& link = links_.at(stream.link_);
      if (link.over || ++link.ready != kChannels) return;
    }
    inbox_.opened(stream.link_);
  }
  void remove(const ClientStream& stream, const grpc::Status& status) {
    bool tell = false;
    bool was_open = false;
    std::string why;
    {
      const std::scoped_lock lock(mutex_);
      ClientLink& link = links_.at(stream.link_);
      link.streams[static_cast<std::size_t>(stream.channel_)] = nullptr;
      link.over = true;
      if (link.why.empty()) link.why = status.error_message();
      bool last = true;
      for (ClientStream* other : link.streams) {
        if (other == nullptr) continue;
        last = false;
        // After a regular end the other stream may still bring the last frames.
        if (!status.ok()) other->cancel();
      }
      tell = last && !link.closed_here;
      was_open = link.ready == kChannels;
      why = link.why;
    }
    if (tell) inbox_.closed(was_open ? stream.link_ : 0, why);
  }
  /// A stream of the link has been destroyed.
  void bury(LinkId id) {
    const std::scoped_lock lock(mutex_);
    if (--links_.at(id).alive > 0) return;
    dead_.push_back(links_.extract(id));
    gone_.notify_all();
  }

  const Identity own_;
  const std::string name_;  ///< in the certificate of the other side
  Inbox& inbox_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable gone_;
  LinkId last_link_ = 0;
  std::map<LinkId, ClientLink> links_;
  /// A channel may not end on gRPC's own threads, where streams end: that would wait for itself.
  std::vector<std::map<LinkId, ClientLink>::node_type> dead_;
};

void ClientStream::OnReadInitialMetadataDone(bool ok) {
  if (ok) client_.ready(*this);
}

void ClientStream::OnReadDone(bool ok) {
  if (!ok) return release();
  take_frames(in_, [this](base::Bytes frame) { client_.inbox_.received(link_, std::move(frame)); });
  StartRead(&in_);
}

void ClientStream::OnDone(const grpc::Status& status) {
  Client& client = client_;
  const LinkId link = link_;
  client.remove(*this, status);
  delete this;
  client.bury(link);
}

}  // namespace

std::unique_ptr<Transport> connect(const Identity& own, Listener other, Inbox& inbox) {
  return std::make_unique<Client>(own, other, inbox);
}

}  // namespace rt::net::grpc_transport
