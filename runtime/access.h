// How a task's body uses its arguments. The access mode is the type of the body's parameter; call
// sites pass plain values.
//
// clang-format off
//   body's parameter     the call passes    the body gets
//   in<T>                const Value<T>&    const T&, by * and ->; other readers may run beside it
//   inout<T>             Value<T>&          T&; the call moves the Value on to the new version
//   out<T>               Value<T>&          T&, default-made (a buffer: of a known header)
//   commutative<T>       Value<T>&          T&; calls on one value run one at a time, in any order
//   redux<T, Op>         Value<T>&          T&: a partial result that starts from Op::identity()
//   file_in, file_out    a path             the path to read from, the path to write to
//   anything else        a constant         a copy of it (Encodable)
// clang-format on
//
// The wrappers are pointers: cheap to copy, valid until the body returns, never to be kept.
#pragma once

#include <filesystem>

namespace rt::inline v0 {

/// Read access. Several tasks may read one value at a time.
template <class T>
class in {
 public:
  using type = T;
  explicit in(const T* object) noexcept : object_(object) {}
  const T& operator*() const noexcept { return *object_; }
  const T* operator->() const noexcept { return object_; }

 private:
  const T* object_;
};

namespace detail {

/// What the writing modes have in common.
template <class T>
class Writable {
 public:
  using type = T;
  explicit Writable(T* object) noexcept : object_(object) {}
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }

 private:
  T* object_;
};

}  // namespace detail

/// Read and write access. The body sees the version the caller's Value named, and what it leaves is
/// the next version. Done in place when nobody else can still need the old version, on a copy
/// otherwise. A buffer keeps its size: an `inout` body that wants another size returns a new value
/// instead (a changed size is a rt::ShapeError).
template <class T>
class inout : public detail::Writable<T> {
  using detail::Writable<T>::Writable;
};

/// Write access: what the value held before is not seen. A small T is default-made for the body. A
/// buffer has the header of the Value passed, see rt::uninitialised; its bytes are arbitrary until
/// the body has written them.
template <class T>
class out : public detail::Writable<T> {
  using detail::Writable<T>::Writable;
};

/// Read and write access whose order does not matter: calls that follow each other on one value run
/// one at a time, in whatever order their other inputs become ready, and together make one new
/// version. The order is a matter of timing, so a pure task can't have it (a floating-point sum
/// would differ from run to run: use redux).
template <class T>
class commutative : public detail::Writable<T> {
  using detail::Writable<T>::Writable;
};

/// Accumulation. Op is a stateless type with
///   static T identity();
///   static void combine(T& into, const T& from);
/// For a buffer it is identity(const T& like), which looks at the header of `like` alone.
/// Each call fills its own partial result, so calls that follow each other on one value run at the
/// same time. When the value is next used otherwise, the partials are combined in the order of the
/// calls in a fixed tree of pairs, and the old value last. Unlike StarPU's REDUX, whose partials
/// follow workers, the bits do not depend on how many workers there are.
template <class T, class Op>
class redux : public detail::Writable<T> {
 public:
  using op = Op;
  using detail::Writable<T>::Writable;
};

/// A file that the task reads. The task runs after the pending task that writes the path, if any,
/// and before the next one that does. In a pure task's key the file counts with its content, not
/// with its name.
class file_in {
 public:
  explicit file_in(const std::filesystem::path* path) noexcept : path_(path) {}
  const std::filesystem::path& path() const noexcept { return *path_; }

 private:
  const std::filesystem::path* path_;
};

/// A file that the task makes. `path()` is a new name beside the real one; the runtime renames it
/// when the body returned normally, so that a failed, cancelled or repeated attempt never leaves
/// half a file. Not for pure tasks.
class file_out {
 public:
  explicit file_out(const std::filesystem::path* path) noexcept : path_(path) {}
  const std::filesystem::path& path() const noexcept { return *path_; }

 private:
  const std::filesystem::path* path_;
};

}  // namespace rt::inline v0
