#include "runtime/net/tls/stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace rt::net::tls {

namespace {

constexpr std::size_t kRecord = 16 << 10;  ///< of TLS, at most
/// AES-GCM allows 2^24.5 records with one key (RFC 8446, section 5.5).
constexpr std::size_t kBytesOfKey = std::size_t{1} << 36;

constexpr std::size_t kTogether = 8 * kRecord;  ///< bytes that go to the socket by one call

struct BioFreer {
  void operator()(BIO* bio) const noexcept { BIO_free_all(bio); }
};

std::unique_ptr<BIO, BioFreer> text_bio(const std::string& text) {
  return std::unique_ptr<BIO, BioFreer>(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

bool trust(SSL_CTX* context, const std::string& authority) {
  X509* const one = PEM_read_bio_X509(text_bio(authority).get(), nullptr, nullptr, nullptr);
  const bool done =
      one != nullptr && X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one) == 1;
  X509_free(one);
  return done;
}

bool show(SSL_CTX* context, const Identity& own) {
  X509* const certificate =
      PEM_read_bio_X509(text_bio(own.certificate).get(), nullptr, nullptr, nullptr);
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(
      text_bio(own.key).get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr);
  const bool done = certificate != nullptr && key != nullptr &&
                    SSL_CTX_use_certificate(context, certificate) == 1 &&
                    SSL_CTX_use_PrivateKey(context, key) == 1 &&
                    SSL_CTX_check_private_key(context) == 1;
  X509_free(certificate);
  EVP_PKEY_free(key);
  return done;
}

}  // namespace

// OpenSSL's own BIO for sockets writes each record at once, and with write(), which raises SIGPIPE
// if the peer has gone.
struct Sockets {
  static int write(BIO* bio, const char* data, int size) {
    BIO_clear_retry_flags(bio);
    auto& stream = *static_cast<Stream*>(BIO_get_data(bio));
    const bool full = stream.out_.size() - stream.gone_ >= kTogether;
    if (full && !stream.flush() && stream.cut_.empty()) {
      BIO_set_retry_write(bio);
      return -1;
    }
    stream.out_.insert(stream.out_.end(), data, data + size);
    return size;
  }

  static int read(BIO* bio, char* data, int size) {
    BIO_clear_retry_flags(bio);
    const int fd = static_cast<Stream*>(BIO_get_data(bio))->fd();
    const auto come = ::recv(fd, data, static_cast<std::size_t>(size), 0);
    if (come < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
    return static_cast<int>(come);
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO* make(Stream& stream) {
    static BIO_METHOD* const method = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "member");
      BIO_meth_set_write(made, write);
      BIO_meth_set_read(made, read);
      BIO_meth_set_ctrl(made, control);
      return made;
    }();
    BIO* const bio = BIO_new(method);
    BIO_set_data(bio, &stream);
    BIO_set_init(bio, 1);
    return bio;
  }
};

void ContextFreer::operator()(ssl_ctx_st* context) const noexcept { SSL_CTX_free(context); }
void Stream::Freer::operator()(ssl_st* ssl) const noexcept { SSL_free(ssl); }

Context make_context(const Identity& own) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_method()));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context.get(), "TLS_AES_128_GCM_SHA256") != 1)
    throw base::Error(base::Errc::internal, "OpenSSL has no TLS 1.3");
  if (!trust(context.get(), own.authority) || !show(context.get(), own))
    throw base::Error(base::Errc::data, "the study's keys for its agents are damaged");
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  (void)SSL_CTX_set_purpose(context.get(), X509_PURPOSE_ANY);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  (void)SSL_CTX_set_num_tickets(context.get(), 0);
  // A record and the header of the next one come by one call. Larger buffers make OpenSSL move what
  // is left of them after each record.
  SSL_CTX_set_read_ahead(context.get(), 1);
  return context;
}

Stream::Stream(ssl_ctx_st* context, base::File socket, bool dials)
    : socket_(std::move(socket)), ssl_(SSL_new(context)), come_(2 * kRecord) {
  if (!ssl_) throw base::Error(base::Errc::internal, "OpenSSL could not make a connection");
  BIO* const bio = Sockets::make(*this);
  out_.reserve(2 * kTogether);
  SSL_set_bio(ssl_.get(), bio, bio);
  if (dials) {
    waits_for_room_ = true;  // until it is connected
    SSL_set_connect_state(ssl_.get());
  } else {
    SSL_set_accept_state(ssl_.get());
  }
}

Stream::~Stream() {
  // Says that nothing follows: without it the peer takes the end for a cut.
  if (end_.empty() && SSL_is_init_finished(ssl_.get()) == 1) (void)SSL_shutdown(ssl_.get());
  (void)flush();
  ERR_clear_error();
}

void Stream::note(int code, const char* doing) {
  switch (SSL_get_error(ssl_.get(), code)) {
    case SSL_ERROR_WANT_READ:
      return;
    case SSL_ERROR_WANT_WRITE:  // flush() has noted it
      return;
    case SSL_ERROR_ZERO_RETURN:
      end_ = "it has left";
      break;
    default: {
      const unsigned long error = ERR_peek_last_error();
      const char* const reason = error != 0 ? ERR_reason_error_string(error) : nullptr;
      end_ = std::string("its connection broke while ") + doing;
      if (reason != nullptr) end_ += std::string(" (") + reason + ")";
    }
  }
  ERR_clear_error();
}

bool Stream::flush() {
  waits_for_room_ = false;
  while (gone_ < out_.size() && cut_.empty()) {
    const auto sent = ::send(fd(), out_.data() + gone_, out_.size() - gone_, MSG_NOSIGNAL);
    if (sent > 0) {
      gone_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      waits_for_room_ = true;
      break;
    } else if (errno != EINTR) {
      cut_ = "its connection broke: " + base::errno_words(errno);
    }
  }
  if (!cut_.empty()) gone_ = out_.size();
  if (gone_ == out_.size() || gone_ >= kTogether) {
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(gone_));
    gone_ = 0;
  }
  return out_.empty() && cut_.empty();
}

bool Stream::shake() {
  if (!end().empty()) return false;
  ERR_clear_error();  // what others left would be taken for the handshake's
  const int code = SSL_do_handshake(ssl_.get());
  if (code != 1) note(code, "it was greeted");
  return flush() && code == 1;
}

std::size_t Stream::write_some(std::span<const std::byte> bytes) {
  std::size_t sent = 0;
  ERR_clear_error();
  const int code = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent);
  if (code != 1) {
    note(code, "it was sent to");
    return 0;
  }
  since_key_ += sent;
  if (since_key_ > kBytesOfKey) {
    (void)SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
    since_key_ = 0;
  }
  return sent;
}

// After a write that found no room OpenSSL wants the same bytes again, as many: a record that is
// encrypted cannot change. So records are cut from head and body by their sizes alone.
std::size_t Stream::write(std::span<const std::byte> head, std::span<const std::byte> body) {
  if (!end().empty()) return 0;
  std::size_t all = 0;
  if (!head.empty()) {
    std::array<std::byte, kRecord> record;
    const std::size_t more = std::min(body.size(), record.size() - head.size());
    std::memcpy(record.data(), head.data(), head.size());
    if (more > 0) std::memcpy(record.data() + head.size(), body.data(), more);
    all = write_some(std::span(record).first(head.size() + more));
    body = body.subspan(all == 0 ? 0 : more);
  }
  while (!body.empty() && end_.empty() && (head.empty() || all > 0)) {
    const std::size_t sent = write_some(body.first(std::min(body.size(), kRecord)));
    if (sent == 0) break;
    all += sent;
    body = body.subspan(sent);
  }
  (void)flush();
  return all;
}

std::span<const std::byte> Stream::incoming() {
  constexpr std::size_t kLeast = 4;
  if (last_ - first_ < kLeast && end_.empty()) {
    std::copy(come_.begin() + static_cast<std::ptrdiff_t>(first_),
              come_.begin() + static_cast<std::ptrdiff_t>(last_), come_.begin());
    last_ -= first_;
    first_ = 0;
    std::size_t more = 0;
    ERR_clear_error();
    const int code = SSL_read_ex(ssl_.get(), come_.data() + last_, come_.size() - last_, &more);
    if (code != 1) note(code, "it was heard");
    last_ += more;
  }
  const std::size_t count = last_ - first_;
  return std::span<const std::byte>(come_).subspan(first_, count < kLeast ? 0 : count);
}

}  // namespace rt::net::tls
