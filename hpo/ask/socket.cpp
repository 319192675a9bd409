#include "hpo/ask/socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

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

rt::File listen_in(const rt::Path& folder) {
  const rt::File opened = open_folder(folder);
  const sockaddr_un address = address_in(opened);
  rt::File socket = new_socket(folder, SOCK_NONBLOCK);
  ::unlinkat(opened.fd(), kAskSocket, 0);
  // Before it has a name, so that nobody else connects in between.
  if (::fchmod(socket.fd(), S_IRUSR | S_IWUSR) != 0 ||
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
      ::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.fd(), kBacklog) != 0)
    throw rt::storage_error("listen in", folder / kAskSocket, errno);
  return socket;
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
