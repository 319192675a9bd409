#include "runtime/failure.h"

#include <string_view>

namespace rt::inline v0 {

namespace {

base::Errc kind_of_current() noexcept {
  try {
    if (const std::exception_ptr current = std::current_exception())
      std::rethrow_exception(current);
  } catch (const base::Error& e) {
    return e.kind();
  } catch (...) {
  }
  return base::Errc::internal;
}

std::string base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string words(const TaskError::Details& d) {
  std::string text = "task '" + d.task + "' failed";
  if (d.attempts > 1) {
    text += " (attempt " + std::to_string(d.attempt) + " of " + std::to_string(d.attempts) + ")";
  }
  text += " on " + d.worker + ": " + d.reason;
  text += "; called at " + base_name(d.where.file_name()) + ':' + std::to_string(d.where.line());
  if (!d.arguments.empty()) text += " with (" + d.arguments + ")";
  return text;
}

}  // namespace

TaskError::TaskError(Details details)
    : base::Error(kind_of_current(), words(details)), details_(std::move(details)) {}
TaskError::~TaskError() = default;

Cancelled::Cancelled(const std::string& message) : base::Error(base::Errc::cancelled, message) {}
Cancelled::~Cancelled() = default;

ShapeError::ShapeError(const std::string& message) : base::Error(base::Errc::usage, message) {}
ShapeError::~ShapeError() = default;

NoRoom::~NoRoom() = default;

}  // namespace rt::inline v0
