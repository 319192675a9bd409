#include "tasks/arrivals.h"

#include <fcntl.h>

#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/new_file.h"
#include "base/text.h"

namespace tasks {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

ArrivalBook* the_book = nullptr;

}  // namespace

ArrivalBook ArrivalBook::own(base::Path file, std::string training,
                             const nn::Staleness& staleness) {
  ArrivalBook book;
  book.file_ = std::move(file);
  book.training_ = std::move(training);
  const std::string head = nn::text_of({}, book.training_);
  std::string text = base::file_size(book.file_) ? base::read_file(book.file_, kMostBytes) : "";
  if (!text.starts_with(head)) text = head;
  text.resize(text.rfind('\n') + 1);
  book.arrivals_ = nn::read_arrivals(text, book.training_, staleness, book.file_.string());
  book.written_ = book.arrivals_.epochs.size();
  base::write_file_atomic(book.file_, text);
  return book;
}

ArrivalBook ArrivalBook::to_repeat(const base::Path& file, const std::string& training,
                                   const nn::Staleness& staleness, std::int64_t epochs) {
  ArrivalBook book;
  book.arrivals_ =
      nn::read_arrivals(base::read_file(file, kMostBytes), training, staleness, file.string());
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch)
    if (!book.arrivals_.epochs.contains(epoch))
      throw base::Error(base::Errc::data, base::cat(file.string(), ": epoch ", epoch,
                                                    " is missing, expected ", epochs, " epochs"));
  return book;
}

void ArrivalBook::write() {
  if (file_.empty() || written_ == arrivals_.epochs.size()) return;
  nn::Arrivals fresh;
  // Epochs come in order.
  fresh.epochs.insert(std::next(arrivals_.epochs.begin(), static_cast<std::ptrdiff_t>(written_)),
                      arrivals_.epochs.end());
  const std::string text = nn::text_of(fresh, training_);
  const auto lines = base::as_bytes(std::string_view(text).substr(text.find('\n') + 1));
  base::File file(::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file) throw base::storage_error("open", file_, errno);
  if (const int code = base::write_all(file.fd(), lines); code != 0)
    throw base::storage_error("write", file_, code);
  if (const int code = file.close(); code != 0) throw base::storage_error("write", file_, code);
  written_ = arrivals_.epochs.size();
}

void train_by_arrival(ArrivalBook* book) { the_book = book; }
ArrivalBook* arrivals_of_training() { return the_book; }

}  // namespace tasks
