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

#include "hpo/log/schema.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

constexpr int kBacklog = 512;

rt::File open_folder(const rt::Path& folder) {
  rt::File opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened) throw rt::storage_error("open", folder, errno);
  return opened;
}

/// Through the folder's descriptor: an address holds only 107 bytes, a path may be longer.
sockaddr_un address_in(const rt::File& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = rt::cat("/proc/self/fd/", folder.fd(), "/", kAskSocket);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

rt::File new_socket(const rt::Path& folder, int flags) {
  rt::File socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!socket) throw rt::storage_error("make a socket in", folder, errno);
  return socket;
}

}  // namespace

AskListener::AskListener(const rt::Path& folder)
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
  rt::File socket = new_socket(path_, SOCK_NONBLOCK);
  ::unlinkat(folder_.fd(), kAskSocket, 0);
  // Before it has a name, so that nobody else connects in between.
  if (::fchmod(socket.fd(), S_IRUSR | S_IWUSR) != 0 ||
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
      ::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.fd(), kBacklog) != 0)
    throw rt::storage_error("listen in", path_ / kAskSocket, errno);
  socket_ = std::move(socket);
  own_ = identity(folder_.fd(), kAskSocket);
}

std::optional<rt::File> connect_in(const rt::Path& folder) {
  const rt::File opened = open_folder(folder);
  const sockaddr_un address = address_in(opened);
  rt::File socket = new_socket(folder, 0);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  if (errno == ENOENT || errno == ECONNREFUSED || errno == ECONNRESET || errno == EAGAIN)
    return std::nullopt;
  throw rt::storage_error("connect to", folder / kAskSocket, errno);
}

}  // namespace hpo
