#include "base/claims.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace base {

Path claims_folder() {
  const char* const named = std::getenv("TRELLIS_CLAIMS");
  if (named != nullptr && *named != '\0') return named;
  return cat("/tmp/trellis-claims-", ::getuid());
}

Claims::Claims(Path folder) : folder_(std::move(folder)) {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    throw storage_error("create", folder_, errno);
  struct stat found {};
  if (::lstat(folder_.c_str(), &found) != 0) throw storage_error("open", folder_, errno);
  if (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
    throw Error(Errc::storage, cat(folder_.string(),
                                   ": is not a folder of this user, expected one for the claims of "
                                   "its agents: name another one in TRELLIS_CLAIMS"));
}

bool Claims::take(const std::string& name) {
  const Path path = folder_ / name;
  File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) throw storage_error("open", path, errno);
  if (::flock(file.fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    throw storage_error("lock", path, errno);
  }
  held_.push_back(std::move(file));
  return true;
}

}  // namespace base
