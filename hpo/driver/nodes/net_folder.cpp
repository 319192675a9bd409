#include "hpo/driver/nodes/net_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/bytes.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr const char* kCertificate = "authority.crt";
constexpr const char* kKey = "authority.key";
constexpr const char* kDriver = "driver.json";

}  // namespace

NetFolder::NetFolder(const base::Path& study) : path_(study / "net") {}

void NetFolder::make() const {
  base::make_folder(path_);
  if (::chmod(path_.c_str(), 0700) != 0) throw base::storage_error("protect", path_, errno);
}

rt::net::Authority NetFolder::authority() const {
  if (base::file_size(path_ / kKey))
    return {base::read_file(path_ / kCertificate), base::read_file(path_ / kKey)};
  make();
  const rt::net::Authority made = rt::net::load_network().make_authority();
  base::write_private_file(path_ / kCertificate, base::as_bytes(made.certificate));
  base::write_private_file(path_ / kKey, base::as_bytes(made.key));
  return made;
}

std::string NetFolder::certificate() const { return base::read_file(path_ / kCertificate); }

void NetFolder::publish(const Driver& driver) const {
  base::JsonWriter json;
  json.begin_object().field("address", driver.address).field("epoch", driver.epoch).end_object();
  base::write_private_file(path_ / kDriver, base::as_bytes(std::move(json).text() + "\n"));
}

void NetFolder::retract() const { base::remove_file(path_ / kDriver); }

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
