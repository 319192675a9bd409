#include "hpo/ask/socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/text.h"
#include "hpo/log/schema.h"

namespace hpo {

namespace {

constexpr int kBacklog = 512;

base::File open_folder(const base::Path& folder) {
  base::File opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened) throw base::storage_error("open", folder, errno);
  return opened;
}

/// Through the folder's descriptor: an address holds only 107 bytes, a path may be longer.
sockaddr_un address_in(const base::File& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = base::cat("/proc/self/fd/", folder.fd(), "/", kAskSocket);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

base::File new_socket(const base::Path& folder, int flags) {
  base::File socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!socket) throw base::storage_error("make a socket in", folder, errno);
  return socket;
}

}  // namespace

AskListener::AskListener(const base::Path& folder)
    : path_(folder), folder_(open_folder(folder)), log_(identity(folder_.fd(), kStudyDb)) {
  listen();
}

AskListener::~AskListener() {
  if (identity(folder_.fd(), kAskSocket) == own_) ::unlinkat(folder_.fd(), kAskSocket, 0);
}

bool AskListener::stands() {
  if (identity(AT_FDCWD, path_.c_str()) != identity(folder_.fd(), ".")) return false;
  if (identity(folder_.fd(), kStudyDb) != log_) return false;
  const auto named = identity(folder_.fd(), kAskSocket);
  if (!named) listen();
  return !named || named == own_;
}

std::optional<AskListener::Identity> AskListener::identity(int folder, const char* name) {
  struct stat info {};
  if (::fstatat(folder, name, &info, 0) != 0) return std::nullopt;
  return Identity{info.st_dev, info.st_ino};
}

void AskListener::listen() {
  const sockaddr_un address = address_in(folder_);
  base::File socket = new_socket(path_, SOCK_NONBLOCK);
  ::unlinkat(folder_.fd(), kAskSocket, 0);
  // Before it has a name, so that nobody else connects in between.
  if (::fchmod(socket.fd(), S_IRUSR | S_IWUSR) != 0 ||
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
      ::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.fd(), kBacklog) != 0)
    throw base::storage_error("listen in", path_ / kAskSocket, errno);
  socket_ = std::move(socket);
  own_ = identity(folder_.fd(), kAskSocket);
}

std::optional<base::File> connect_in(const base::Path& folder) {
  const base::File opened = open_folder(folder);
  const sockaddr_un address = address_in(opened);
  base::File socket = new_socket(folder, 0);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  if (errno == ENOENT || errno == ECONNREFUSED || errno == ECONNRESET || errno == EAGAIN)
    return std::nullopt;
  throw base::storage_error("connect to", folder / kAskSocket, errno);
}

}  // namespace hpo
