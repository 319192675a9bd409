#include "runtime/net/tls/keys.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

#include "base/error.h"

namespace rt::net::tls {

namespace {

template <class T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const noexcept { Free(object); }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
using Memory = std::unique_ptr<BIO, Freer<BIO, BIO_free_all>>;

constexpr long kYears = 10L * 366 * 24 * 3600;  ///< that all of them are good for
/// Of every agent: numbers are dealt by the driver, and two agents may be let in by two issuers.
constexpr long kAuthoritySerial = 1, kDriverSerial = 2, kAgentSerial = 3;

void expect(bool done, const char* what) {
  if (!done) throw base::Error(base::Errc::internal, std::string("OpenSSL could not ") + what);
}

PrivateKey new_key() {
  PrivateKey key(EVP_EC_gen("P-256"));
  expect(key != nullptr, "make a key");
  return key;
}

template <class Write>
std::string pem_of(Write write) {
  const Memory memory(BIO_new(BIO_s_mem()));
  expect(memory && write(memory.get()) == 1, "write PEM");
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}
std::string pem_of(EVP_PKEY* key) {
  return pem_of([&](BIO* to) {
    return PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}
std::string pem_of(X509* certificate) {
  return pem_of([&](BIO* to) { return PEM_write_bio_X509(to, certificate); });
}

Memory memory_of(const std::string& text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

void extend(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  expect(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1,
         "extend a certificate");
  X509_EXTENSION_free(extension);
}

/// Null for a text that is none.
Certificate certificate_of(const std::string& text) {
  return Certificate(PEM_read_bio_X509(memory_of(text).get(), nullptr, nullptr, nullptr));
}
PrivateKey key_of(const std::string& text) {
  // Without the callback OpenSSL asks on the terminal for the password of an encrypted key.
  return PrivateKey(PEM_read_bio_PrivateKey(
      memory_of(text).get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr));
}

/// A certificate of `key`; `issuer` null: signed by itself.
Certificate certify(EVP_PKEY* key, const std::string& name, long serial, X509* issuer,
                    EVP_PKEY* issuer_key) {
  Certificate made(X509_new());
  expect(made != nullptr, "make a certificate");
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial);
  // Clocks of nodes differ.
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -24L * 3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), kYears);
  X509_set_pubkey(made.get(), key);
  X509_NAME* subject = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509* const signer = issuer != nullptr ? issuer : made.get();
  X509_set_issuer_name(made.get(), X509_get_subject_name(signer));
  if (issuer == nullptr) {
    extend(made.get(), signer, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    extend(made.get(), signer, NID_key_usage, "critical,keyCertSign");
  } else {
    extend(made.get(), signer, NID_basic_constraints, "critical,CA:FALSE");
    extend(made.get(), signer, NID_key_usage, "critical,digitalSignature");
    // An agent listens, too, to what trains a network together with it.
    extend(made.get(), signer, NID_ext_key_usage,
           serial == kDriverSerial ? "serverAuth" : "clientAuth,serverAuth");
    extend(made.get(), signer, NID_subject_alt_name, "DNS:" + name);
  }
  expect(X509_sign(made.get(), issuer_key, EVP_sha256()) != 0, "sign a certificate");
  return made;
}

}  // namespace

std::string name_of(Listener who) {
  return who == Listener::driver ? "trellis-driver" : "trellis-agent";
}

Authority make_authority() {
  const PrivateKey key = new_key();
  const Certificate own = certify(key.get(), "trellis-study", kAuthoritySerial, nullptr, key.get());
  return {pem_of(own.get()), pem_of(key.get())};
}

Identity issue(const Authority& authority, bool driver) {
  const Certificate issuer = certificate_of(authority.certificate);
  const PrivateKey issuer_key = key_of(authority.key);
  if (!issuer || !issuer_key)
    throw base::Error(base::Errc::data, "the study's keys for its agents are damaged");
  const PrivateKey key = new_key();
  const Certificate made =
      certify(key.get(), name_of(driver ? Listener::driver : Listener::agent),
              driver ? kDriverSerial : kAgentSerial, issuer.get(), issuer_key.get());
  return {authority.certificate, pem_of(made.get()), pem_of(key.get())};
}

std::string fault_of(const Identity& identity) {
  const Certificate authority = certificate_of(identity.authority);
  const Certificate certificate = certificate_of(identity.certificate);
  const PrivateKey key = key_of(identity.key);
  std::string fault;
  if (!authority) {
    fault = "`authority` is no certificate in PEM";
  } else if (!certificate) {
    fault = "`certificate` is no certificate in PEM";
  } else if (!key) {
    fault = "`key` is no private key in PEM";
  } else if (X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) != 1) {
    fault = "`certificate` is not signed by `authority`";
  } else if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    fault = "`key` is not that of `certificate`";
  } else if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) <= 0) {
    fault = "`certificate` has expired";
  }
  ERR_clear_error();  // gRPC would take what is left there for its own
  return fault;
}

}  // namespace rt::net::tls
