// Preloaded into a program, it makes folders hang whose name begins with "hanging", as a folder of
// a server that is gone does: whoever looks into one waits for ever.

// With it `open` would be another name of `open64`.
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>

namespace {

void hang(const char* path) {
  if (path == nullptr || std::strstr(path, "/hanging") == nullptr) return;
  for (;;) ::pause();
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  hang(path);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  hang(path);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return next<int (*)(const char*, int, ...)>("open64")(path, flags, mode);
}

int stat(const char* path, struct stat* info) {
  hang(path);
  return next<int (*)(const char*, struct stat*)>("stat")(path, info);
}

int stat64(const char* path, struct stat64* info) {
  hang(path);
  return next<int (*)(const char*, struct stat64*)>("stat64")(path, info);
}

int lstat(const char* path, struct stat* info) {
  hang(path);
  return next<int (*)(const char*, struct stat*)>("lstat")(path, info);
}

int access(const char* path, int mode) {
  hang(path);
  return next<int (*)(const char*, int)>("access")(path, mode);
}
}
