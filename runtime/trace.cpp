#include "runtime/trace.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <tuple>

#include "base/json_writer.h"
#include "base/text.h"

namespace rt::inline v0 {
namespace {

/// Microseconds with three decimals, the unit of Chrome's format.
std::string micros(base::Duration d) {
  char text[48];
  const long long ns = std::max<long long>(0, d.count());
  std::snprintf(text, sizeof text, "%lld.%03lld", ns / 1000, ns % 1000);
  return text;
}

std::string seconds_text(base::Duration d) {
  char text[48];
  const long long ns = std::max<long long>(0, d.count());
  std::snprintf(text, sizeof text, "%lld.%09lld", ns / 1'000'000'000, ns % 1'000'000'000);
  return text;
}

/// Paje has no escapes: quotes become apostrophes.
std::string paje_string(std::string_view text) {
  std::string out = base::printable(text);
  std::replace(out.begin(), out.end(), '"', '\'');
  return base::cat('"', out, '"');
}

/// Colours ("r g b" in 0..1) that stay apart for the first dozen names.
std::string paje_colour(std::size_t i) {
  static constexpr double kSteps[][3] = {
      {.30, .60, .85}, {.95, .60, .25}, {.40, .75, .40}, {.80, .35, .35}, {.60, .45, .75},
      {.55, .40, .35}, {.90, .55, .75}, {.70, .70, .30}, {.30, .75, .80}, {.55, .55, .55}};
  const auto& c = kSteps[i % std::size(kSteps)];
  return base::cat('"', c[0], ' ', c[1], ' ', c[2], '"');
}

constexpr std::string_view kPajeHeader = R"(%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 4
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
% Time date
% Name string
% Type string
%EndEventDef
%EventDef PajePushState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 7
% Time date
% Type string
% Container string
%EndEventDef
)";

/// Returns where each span ends in the files: where another one begins on its lane that ends later,
/// or at its own end. A worker that is late to say that it idles no more has begun its task then,
/// and readers drop spans that overlap partly.
std::vector<base::Moment> shown_ends(const std::vector<Span>& spans) {
  std::vector<base::Moment> ends;
  std::vector<std::size_t> order(spans.size()), open;
  for (const Span& s : spans) ends.push_back(std::max(s.start, s.end));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(spans[a].lane, spans[a].start, ends[b]) <
           std::tuple(spans[b].lane, spans[b].start, ends[a]);
  });
  for (const std::size_t i : order) {
    const auto is_over = [&](std::size_t other) {
      return spans[other].lane != spans[i].lane || ends[other] <= spans[i].start;
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    for (; !open.empty() && ends[open.back()] < ends[i]; open.pop_back())
      ends[open.back()] = spans[i].start;
    open.push_back(i);
  }
  return ends;
}

}  // namespace

const char* span_kind_name(SpanKind kind) noexcept {
  switch (kind) {
    case SpanKind::task:
      return "task";
    case SpanKind::stored:
      return "stored";
    case SpanKind::waiting:
      return "waiting";
    case SpanKind::transfer:
      return "transfer";
    case SpanKind::overhead:
      return "overhead";
  }
  return "task";
}

Trace::Trace(std::size_t limit) : start_(base::now()), limit_(limit) {}

unsigned Trace::add_lane(std::string name) {
  const std::scoped_lock lock(mutex_);
  lanes_.push_back(std::move(name));
  return static_cast<unsigned>(lanes_.size() - 1);
}

void Trace::add(Span span) {
  const std::scoped_lock lock(mutex_);
  if (spans_.size() < limit_) {
    spans_.push_back(std::move(span));
  } else {
    ++dropped_;
  }
}

std::size_t Trace::size() const {
  const std::scoped_lock lock(mutex_);
  return spans_.size();
}

std::string Trace::chrome_json() const {
  const std::scoped_lock lock(mutex_);
  std::string out = "{\"displayTimeUnit\": \"ms\", \"otherData\": {";
  out += base::cat("\"dropped_spans\": \"", dropped_, "\"}, \"traceEvents\": [\n");
  out += R"({"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "trellis"}})";
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto meta = [&](std::string_view what, const std::string& args) {
      out += base::cat(",\n{\"name\": \"", what, "\", \"ph\": \"M\", \"pid\": 1, \"tid\": ", i,
                       ", \"args\": {", args, "}}");
    };
    meta("thread_name", "\"name\": " + base::quote_json(lanes_[i]));
    meta("thread_sort_index", base::cat("\"sort_index\": ", i));
  }
  const std::vector<base::Moment> ends = shown_ends(spans_);
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& s = spans_[i];
    const base::Moment begin = std::max(s.start, start_);  // a worker may idle before
    out += base::cat(",\n{\"name\": ", base::quote_json(s.name), ", \"cat\": \"",
                     span_kind_name(s.kind), "\", \"ph\": \"X\", \"ts\": ", micros(begin - start_),
                     ", \"dur\": ", micros(std::max(ends[i], begin) - begin),
                     ", \"pid\": 1, \"tid\": ", s.lane, ", \"args\": {");
    std::string_view separator = "";
    if (!s.group.empty()) {
      out += base::cat("\"group\": ", base::quote_json(s.group));
      separator = ", ";
    }
    for (const auto& [name, value] : s.details) {
      out += base::cat(separator, base::quote_json(name), ": ", base::quote_json(value));
      separator = ", ";
    }
    out += "}}";
  }
  return out + "\n]}\n";
}

std::string Trace::paje() const {
  const std::scoped_lock lock(mutex_);
  // One value for each name of a task or of a cause of waiting, and for each other kind.
  std::map<std::string, std::size_t> values;
  const auto label = [](const Span& s) {
    const bool named = s.kind == SpanKind::task || s.kind == SpanKind::waiting;
    return named ? s.name : std::string(span_kind_name(s.kind));
  };
  for (const Span& s : spans_) values.try_emplace(label(s));
  std::size_t next = 0;
  for (auto& [name, i] : values) i = next++;

  std::string out(kPajeHeader);
  out += "1 P 0 \"Process\"\n1 W P \"Worker\"\n2 S W \"State\"\n";
  for (const auto& [name, i] : values)
    out += base::cat("3 v", i, " S ", paje_string(name), ' ', paje_colour(i), '\n');
  out += "4 0.000000000 p P 0 \"trellis\"\n";
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    out += base::cat("4 0.000000000 w", i, " W p ", paje_string(lanes_[i]), '\n');

  // Paje wants one list in time order; at equal times what ends comes before what starts, and an
  // outer span before an inner.
  struct Event {
    base::Moment at;
    bool push;
    base::Moment other;
    std::size_t span;
  };
  std::vector<Event> events;
  events.reserve(spans_.size() * 2);
  base::Moment last = start_;
  const std::vector<base::Moment> ends = shown_ends(spans_);
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& s = spans_[i];
    const base::Moment begin = std::max(s.start, start_);
    const base::Moment end = std::max(ends[i], begin + base::Duration(1));
    events.push_back({begin, true, end, i});
    events.push_back({end, false, begin, i});
    last = std::max(last, end);
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    if (a.at != b.at) return a.at < b.at;
    if (a.push != b.push) return b.push;
    return a.other > b.other;
  });
  for (const Event& e : events) {
    const Span& s = spans_[e.span];
    out += base::cat(e.push ? "6 " : "7 ", seconds_text(e.at - start_), " S w", s.lane);
    out += e.push ? base::cat(" v", values.at(label(s)), '\n') : "\n";
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    out += base::cat("5 ", seconds_text(last - start_), " w", i, " W\n");
  return out + base::cat("5 ", seconds_text(last - start_), " p P\n");
}

void Trace::write_chrome(const base::Path& path) const {
  base::write_file_atomic(path, chrome_json(), base::Durability::cached);
}
void Trace::write_paje(const base::Path& path) const {
  base::write_file_atomic(path, paje(), base::Durability::cached);
}

}  // namespace rt::inline v0
