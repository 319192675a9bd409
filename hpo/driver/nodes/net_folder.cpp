#include "hpo/driver/nodes/net_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/new_file.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr const char* kCertificate = "authority.crt";
constexpr const char* kKey = "authority.key";
constexpr const char* kDriver = "driver.json";

/// Writes a file that its owner alone can read, whole or not at all.
void write_secret(const base::Path& path, const std::string& text) {
  const base::Path beside = base::temporary_beside(path);
  const base::File file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.fd() < 0) throw base::storage_error("make", beside, errno);
  const int code = base::write_all(file.fd(), base::as_bytes(text));
  if (code != 0) throw base::storage_error("write", beside, code);
  if (::rename(beside.c_str(), path.c_str()) != 0) throw base::storage_error("write", path, errno);
}

}  // namespace

NetFolder::NetFolder(const base::Path& study) : path_(study / "net") {}

rt::net::Authority NetFolder::authority() const {
  if (base::file_size(path_ / kKey))
    return {base::read_file(path_ / kCertificate), base::read_file(path_ / kKey)};
  base::make_folder(path_);
  if (::chmod(path_.c_str(), 0700) != 0) throw base::storage_error("protect", path_, errno);
  const rt::net::Authority made = rt::net::load_network().make_authority();
  write_secret(path_ / kCertificate, made.certificate);
  write_secret(path_ / kKey, made.key);
  return made;
}

std::string NetFolder::certificate() const { return base::read_file(path_ / kCertificate); }

void NetFolder::publish(const Driver& driver) const {
  base::JsonWriter json;
  json.begin_object().field("address", driver.address).field("epoch", driver.epoch).end_object();
  write_secret(path_ / kDriver, std::move(json).text() + "\n");
}

std::optional<NetFolder::Driver> NetFolder::driver() const {
  try {
    const std::string text = base::read_file(path_ / kDriver);
    const base::Json json = base::Json::parse(text);
    return Driver{json.at("address").text(), json.at("epoch").integer()};
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace hpo
