#include "nn/training/arrivals.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace nn {

namespace {

constexpr std::string_view kFirstWords = "trellis arrivals 1 ";

/// Plays the events of an epoch, and says what is wrong with them.
class Played {
 public:
  explicit Played(const Staleness& staleness)
      : staleness_(staleness),
        batch_(static_cast<std::size_t>(staleness.replicas), kNone),
        finished_(batch_.size(), 0) {}

  /// Returns what is wrong; empty: nothing. Completes the event.
  std::string add(StaleEvent& event) {
    if (event.replica >= staleness_.replicas)
      return base::cat("replica ", event.replica, " where there are ", staleness_.replicas);
    const auto at = static_cast<std::size_t>(event.replica);
    if (event.begins != (batch_[at] == kNone))
      return base::cat("replica ", event.replica,
                       event.begins ? " begins a batch within another one"
                                    : " applies a batch that it did not begin");
    if (!event.begins) {
      event.step = batch_[at];
      batch_[at] = kNone;
      ++finished_[at];
      return "";
    }
    if (finished_[at] - *std::ranges::min_element(finished_) > staleness_.bound)
      return base::cat("replica ", event.replica, " begins a batch too early for a bound of ",
                       staleness_.bound);
    event.step = batch_[at] = next_++;
    return "";
  }
  [[nodiscard]] bool is_whole() const {
    return next_ > 0 && std::ranges::all_of(batch_, [](auto batch) { return batch == kNone; });
  }

 private:
  static constexpr std::int64_t kNone = -1;
  const Staleness& staleness_;
  std::vector<std::int64_t> batch_, finished_;
  std::int64_t next_ = 0;
};

/// Takes the word up to the next space off `line`.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

template <class Number>
std::optional<Number> number_of(std::string_view word) {
  Number number = 0;
  const auto [stop, code] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (code != std::errc{} || stop != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

class ArrivalsReader {
 public:
  ArrivalsReader(const Staleness& staleness, const std::string& where)
      : staleness_(staleness), where_(where) {}

  void read_line(std::string_view line) {
    ++line_;
    const std::string_view first = take_word(line);
    const auto epoch = number_of<std::int64_t>(first);
    if (!epoch) refuse(base::cat("'", base::printable(first, 20), "', expected an epoch"));
    const auto [at, is_new] = read_.epochs.try_emplace(*epoch);
    if (!is_new) refuse(base::cat("epoch ", *epoch, " again"));
    Played played(staleness_);
    while (!line.empty()) {
      StaleEvent event = event_of(take_word(line));
      if (const std::string wrong = played.add(event); !wrong.empty()) refuse(wrong);
      at->second.push_back(event);
    }
    if (!played.is_whole()) refuse(base::cat("epoch ", *epoch, " ends within a batch"));
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw base::Error(base::Errc::data, base::cat(where_, ":", line_, ": ", what));
  }
  [[nodiscard]] Arrivals take() { return std::move(read_); }

 private:
  [[nodiscard]] StaleEvent event_of(std::string_view word) const {
    const bool begins = word.starts_with('+');
    const auto replica = number_of<std::int32_t>(word.substr(word.empty() ? 0 : 1));
    if ((!begins && !word.starts_with('-')) || !replica)
      refuse(base::cat("'", base::printable(word, 20),
                       "', expected + or - and the number of a replica"));
    return {.begins = begins, .replica = *replica};
  }

  const Staleness& staleness_;
  const std::string& where_;
  int line_ = 1;
  Arrivals read_;
};

}  // namespace

std::string text_of(const Arrivals& arrivals, std::string_view training) {
  std::string text = base::cat(kFirstWords, training, "\n");
  for (const auto& [epoch, events] : arrivals.epochs) {
    text += std::to_string(epoch);
    for (const StaleEvent& event : events)
      text += base::cat(event.begins ? " +" : " -", event.replica);
    text += "\n";
  }
  return text;
}

Arrivals read_arrivals(std::string_view text, std::string_view training, const Staleness& staleness,
                       const std::string& where) {
  ArrivalsReader reader(staleness, where);
  const auto take_line = [&] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  const std::string_view first = take_line();
  if (!first.starts_with(kFirstWords))
    reader.refuse(base::cat("no arrivals of a training, expected '", kFirstWords, "' and a name"));
  if (first.substr(kFirstWords.size()) != training)
    reader.refuse(
        "the arrivals of another training: data, network or settings differ from this one's");
  while (!text.empty()) reader.read_line(take_line());
  return reader.take();
}

}  // namespace nn
