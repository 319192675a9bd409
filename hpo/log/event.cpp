#include "hpo/log/event.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/enum_names.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr std::array<std::string_view, 13> kKinds{
    "opened",   "changed", "created", "reported", "retried", "ended",   "finished",
    "exported", "noted",   "adapted", "replaced", "resumed", "reopened"};
static_assert(kKinds.size() == std::variant_size_v<EventBody>);

constexpr base::EnumNames<Finish> kFinishes{{{Finish::trials, "trials"},
                                             {Finish::exhausted, "exhausted"},
                                             {Finish::time, "time"},
                                             {Finish::failed, "failed"},
                                             {Finish::first, "first"},
                                             {Finish::target, "target"},
                                             {Finish::patience, "patience"}}};
constexpr base::EnumNames<Decision> kWords{
    {{Decision::go, "go"}, {Decision::stop, "stop"}, {Decision::pause, "pause"}}};

template <class Enum>
Enum enum_of(const base::EnumNames<Enum>& names, std::string_view name) {
  if (const std::optional<Enum> found = names.find(name)) return *found;
  throw base::Error(base::Errc::storage,
                    base::cat("damaged event: unknown word \"", base::printable(name), "\""));
}

struct Writer {
  base::JsonWriter& json;

  void operator()(const Opened& e) const {
    json.field("host", e.host).field("pid", e.pid).field("build", e.build);
    json.field("arithmetic", e.arithmetic).field("workers", e.workers);
  }
  void operator()(const Changed& e) const {
    json.field("key", e.key).field("from", e.from).field("to", e.to);
  }
  void operator()(const Created& e) const {
    json.key("params").raw(json_of(e.params)).field("inference_flops", e.inference_flops);
    if (e.parent) json.field("parent", *e.parent);
    if (!e.ticket.empty()) json.field("ticket", e.ticket);
  }
  void operator()(const Reported& e) const {
    json.field("step", e.step)
        .field("epochs", e.epochs)
        .field("value", e.value)
        .field("flops", e.flops);
    json.key("metrics").raw(json_of(e.metrics)).field("word", kWords[e.decision]);
    if (!e.checkpoint.empty()) json.field("checkpoint", e.checkpoint);
    if (e.used != 0) json.field("used", e.used);
    if (e.shape.empty()) return;
    json.field("shape", e.shape).field("weights", e.weights);
    json.field("inference_flops", e.inference_flops);
  }
  void operator()(const Replaced& e) const {
    json.field("source", e.source).field("step", e.step);
    json.key("params").raw(json_of(e.params)).key("operations").raw(e.operations);
  }
  void operator()(const Resumed&) const {}
  void operator()(const Reopened& e) const {
    json.field("cause", name_of(e.cause));
    if (e.attempts > 0) json.field("attempts", e.attempts);
  }
  void operator()(const Retried& e) const {
    json.field("cause", name_of(e.cause)).field("message", e.message);
  }
  void operator()(const Ended& e) const {
    json.field("state", name_of(e.state));
    if (e.cause != Cause::none) json.field("cause", name_of(e.cause)).field("message", e.message);
  }
  void operator()(const Finished& e) const {
    json.field("why", name_of(e.why)).field("message", e.message);
  }
  void operator()(const Exported& e) const {
    json.field("file", e.file).key("metrics").raw(json_of(e.metrics));
    if (!e.confusion.classes.empty()) json.key("confusion").raw(json_of(e.confusion));
  }
  void operator()(const Noted& e) const { json.field("message", e.message); }
  void operator()(const Tried& e) const {
    json.begin_object().key("operations").raw(e.operations).field("change", e.change);
    json.field("shape", e.shape).field("weights", e.weights);
    json.field("inference_flops", e.inference_flops).field("cost", e.cost);
    json.field("flops", e.flops).field("train_loss", e.train_loss).field("loss", e.loss);
    json.field("accuracy", e.accuracy);
    if (e.pull) json.field("pull", *e.pull);
    if (!std::isnan(e.gain)) json.field("gain", e.gain).field("gain_error", e.gain_error);
    json.field("accepted", e.accepted).field("why", e.why);
    json.end_object();
  }
  void operator()(const Adapted& e) const {
    json.field("grid", e.grid).field("from", e.from).field("until", e.until);
    if (e.rows > 0) json.field("rows", e.rows);
    if (e.fold > 0) json.field("fold", e.fold);
    json.key("candidates").begin_array();
    for (const Tried& tried : e.candidates) (*this)(tried);
    json.end_array();
  }
};

std::string text_or_empty(const base::Json& json, std::string_view name) {
  const base::Json* found = json.find(name);
  return found ? found->text() : "";
}

std::int64_t integer_or_zero(const base::Json& json, std::string_view name) {
  const base::Json* found = json.find(name);
  return found ? found->integer() : 0;
}

std::optional<double> number_if_there(const base::Json& json, std::string_view name) {
  const base::Json* found = json.find(name);
  return found ? std::optional(found->number()) : std::nullopt;
}

double number_or_nan(const base::Json& json, std::string_view name) {
  return number_if_there(json, name).value_or(std::numeric_limits<double>::quiet_NaN());
}

Cause read_cause(const base::Json& json) {
  return enum_of(kCauseNames, text_or_empty(json, "cause"));
}

Opened read_opened(const base::Json& json) {
  return {.host = json.at("host").text(),
          .pid = json.at("pid").integer(),
          .build = json.at("build").text(),
          .arithmetic = json.at("arithmetic").text(),
          .workers = static_cast<int>(json.at("workers").integer())};
}

Created read_created(const base::Json& json) {
  Created e{.params = params_from_json(json.at("params")),
            .inference_flops = json.at("inference_flops").number(),
            .parent = {},
            .ticket = text_or_empty(json, "ticket")};
  if (const base::Json* parent = json.find("parent"))
    e.parent = static_cast<std::uint64_t>(parent->integer());
  return e;
}

Reported read_reported(const base::Json& json) {
  Reported e{.step = json.at("step").integer(),
             .epochs = json.at("epochs").integer(),
             .value = json.at("value").number(),
             .flops = json.at("flops").number(),
             .metrics = metrics_from_json(json.at("metrics")),
             .decision = enum_of(kWords, json.at("word").text()),
             .checkpoint = text_or_empty(json, "checkpoint"),
             .shape = text_or_empty(json, "shape")};
  if (const base::Json* weights = json.find("weights")) {
    e.weights = static_cast<std::uint64_t>(weights->integer());
    e.inference_flops = json.at("inference_flops").number();
  }
  if (const base::Json* used = json.find("used")) e.used = used->number();
  return e;
}

Adapted read_adapted(const base::Json& json) {
  Adapted e{.grid = json.at("grid").integer(),
            .from = json.at("from").integer(),
            .until = json.at("until").integer(),
            .rows = integer_or_zero(json, "rows"),
            .fold = integer_or_zero(json, "fold"),
            .candidates = {}};
  for (const auto& [name, tried] : json.at("candidates").members()) {
    e.candidates.push_back({.operations = std::string(tried.at("operations").raw()),
                            .change = tried.at("change").text(),
                            .shape = tried.at("shape").text(),
                            .weights = static_cast<std::uint64_t>(tried.at("weights").integer()),
                            .inference_flops = tried.at("inference_flops").number(),
                            .cost = tried.at("cost").number(),
                            .flops = tried.at("flops").number(),
                            .train_loss = tried.at("train_loss").number(),
                            .loss = tried.at("loss").number(),
                            .accuracy = tried.at("accuracy").number(),
                            .pull = number_if_there(tried, "pull"),
                            .gain = number_or_nan(tried, "gain"),
                            .gain_error = number_or_nan(tried, "gain_error"),
                            .accepted = tried.at("accepted").as_bool().value_or(false),
                            .why = tried.at("why").text()});
  }
  if (std::ranges::count(e.candidates, true, &Tried::accepted) != 1)
    throw base::Error(base::Errc::storage, "damaged event: not one candidate was accepted");
  return e;
}

Replaced read_replaced(const base::Json& json) {
  return {.source = static_cast<std::uint64_t>(json.at("source").integer()),
          .step = json.at("step").integer(),
          .params = params_from_json(json.at("params")),
          .operations = std::string(json.at("operations").raw())};
}

Exported read_exported(const base::Json& json) {
  Exported e{.file = json.at("file").text(), .metrics = metrics_from_json(json.at("metrics"))};
  const base::Json* confusion = json.find("confusion");
  if (confusion == nullptr) return e;
  e.confusion.part = confusion->at("part").text();
  for (const auto& [name, text] : confusion->at("classes").members())
    e.confusion.classes.push_back(text.text());
  for (const auto& [name, row] : confusion->at("counts").members()) {
    auto& counts = e.confusion.counts.emplace_back();
    for (const auto& [column, count] : row.members()) counts.push_back(count.integer());
    if (counts.size() != e.confusion.classes.size())
      throw base::Error(base::Errc::storage, "damaged event: a confusion table that is not square");
  }
  if (e.confusion.counts.size() != e.confusion.classes.size())
    throw base::Error(base::Errc::storage, "damaged event: a confusion table that is not square");
  return e;
}

Ended read_ended(const base::Json& json) {
  return {.state = enum_of(kTrialStateNames, json.at("state").text()),
          .cause = read_cause(json),
          .message = text_or_empty(json, "message")};
}

}  // namespace

const Tried& Adapted::accepted() const {
  return *std::ranges::find(candidates, true, &Tried::accepted);
}

std::string_view name_of(Finish finish) noexcept { return kFinishes[finish]; }

bool goes_on(const Event& event) noexcept {
  return !std::holds_alternative<Opened>(event.body) &&
         !std::holds_alternative<Finished>(event.body) &&
         !std::holds_alternative<Exported>(event.body) &&
         !std::holds_alternative<Noted>(event.body);
}

std::string_view kind_of(const EventBody& body) noexcept { return kind_name(body.index()); }

std::string_view kind_name(std::size_t place) noexcept { return kKinds[place]; }

std::string payload_of(const EventBody& body) {
  base::JsonWriter json;
  json.begin_object();
  std::visit(Writer{json}, body);
  json.end_object();
  return std::move(json).text();
}

EventBody body_of(std::string_view kind, std::string_view payload) {
  base::Json json = base::Json::parse(payload);
  if (kind == "opened") return read_opened(json);
  if (kind == "changed")
    return Changed{json.at("key").text(), json.at("from").text(), json.at("to").text()};
  if (kind == "created") return read_created(json);
  if (kind == "reported") return read_reported(json);
  if (kind == "retried") return Retried{read_cause(json), json.at("message").text()};
  if (kind == "ended") return read_ended(json);
  if (kind == "finished")
    return Finished{enum_of(kFinishes, json.at("why").text()), json.at("message").text()};
  if (kind == "exported") return read_exported(json);
  if (kind == "noted") return Noted{json.at("message").text()};
  if (kind == "adapted") return read_adapted(json);
  if (kind == "replaced") return read_replaced(json);
  if (kind == "resumed") return Resumed{};
  if (kind == "reopened") return Reopened{read_cause(json), integer_or_zero(json, "attempts")};
  throw base::Error(base::Errc::storage,
                    base::cat("unknown kind of event \"", base::printable(kind), "\""));
}

std::string json_of(const ConfusionTable& table) {
  base::JsonWriter json;
  json.begin_object().field("part", table.part).key("classes").list(table.classes);
  json.key("counts").begin_array();
  for (const auto& row : table.counts) json.list(row);
  json.end_array().end_object();
  return std::move(json).text();
}

std::string json_of(const Metrics& metrics) {
  base::JsonWriter json;
  json.begin_object();
  for (const auto& [name, value] : metrics) json.field(name, value);
  json.end_object();
  return std::move(json).text();
}

Metrics metrics_from_json(std::string_view text) {
  return metrics_from_json(base::Json::parse(text));
}

Metrics metrics_from_json(const base::Json& json) {
  Metrics metrics;
  for (const auto& [name, value] : json.members()) metrics.emplace_back(name, value.number());
  return metrics;
}

}  // namespace hpo
