#include "hpo/serve/routes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/url.h"
#include "hpo/log/stop_driver.h"
#include "hpo/report/page_files.h"
#include "hpo/serve/metrics_text.h"
#include "hpo/serve/path.h"

namespace hpo::serve {

namespace {

using std::chrono::seconds;

constexpr base::Duration kPagePatience = seconds(5);
constexpr base::Duration kListPatience = seconds(3);
/// A stream holds a connection, of which there are 64.
constexpr int kMostStreams = 32;
/// A line that means nothing, so that nobody between takes a silent stream for a dead one.
constexpr base::Duration kHeartbeat = seconds(5);
/// Of studies; those that nobody looks at go first.
constexpr std::size_t kMostFeeds = 16;
constexpr const char* kAssets = "/assets/";

struct Asset {
  std::string_view name, type;
  std::string_view text;
};

Answer html_answer(std::shared_ptr<const std::string> html, int status = 200) {
  return {.status = status, .type = "text/html; charset=utf-8", .body = std::move(html)};
}

Answer not_found() { return plain_answer(404, "There is nothing at this address."); }

Answer asset(const std::string& name) {
  constexpr const char* kScript = "text/javascript; charset=utf-8";
  for (const Asset& one : {Asset{"page.js", kScript, report::kLiveScript.text},
                           Asset{"list.js", kScript, report::kListScript.text},
                           Asset{"login.js", kScript, report::kLoginScript.text},
                           Asset{"page.css", "text/css; charset=utf-8", report::kLiveStyle.text}})
    if (name == one.name)
      return {.type = std::string(one.type), .body = std::make_shared<const std::string>(one.text)};
  return not_found();
}

/// One stream: what it follows, and what it has sent.
class Stream {
 public:
  Stream(std::shared_ptr<StudyFeed> feed, std::shared_ptr<std::atomic<int>> open,
         std::int64_t position)
      : feed_(std::move(feed)),
        open_(std::move(open)),
        sent_(feed_->follow(position)),
        last_(base::now()) {}
  ~Stream() {
    feed_->unfollow();
    --*open_;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::string next(base::Duration patience) {
    if (std::exchange(is_new_, false)) return "retry: 1000\n\n";
    std::string piece = feed_->news(sent_, patience);
    if (piece.empty() && base::now() - last_ > kHeartbeat) piece = ":\n\n";
    if (!piece.empty()) last_ = base::now();
    return piece;
  }

 private:
  std::shared_ptr<StudyFeed> feed_;
  std::shared_ptr<std::atomic<int>> open_;
  Sent sent_;
  base::Moment last_;
  bool is_new_ = true;
};

/// Up to where the page shows the log, or where a stream that broke had come.
std::optional<std::int64_t> position_of(const Request& request) {
  constexpr std::string_view kFrom = "?from=";
  std::string_view text = request.last_event_id;
  if (text.empty()) {
    const std::string_view target = request.target;
    const std::size_t query = target.find('?');
    if (query == std::string_view::npos) return 0;
    if (!target.substr(query).starts_with(kFrom)) return std::nullopt;
    text = target.substr(query + kFrom.size());
  }
  const auto position = base::parse_int(text);
  return position && *position >= 0 ? position : std::nullopt;
}

}  // namespace

Routes::Routes(RoutesOptions options, Access access)
    : options_(std::move(options)),
      access_(std::move(access)),
      list_(options_.folder, options_.only) {}

std::optional<Routes::Path> Routes::path_of(const std::string& target) const {
  const auto steps = path_steps(target);
  if (!steps) return std::nullopt;
  if (steps->size() == 3 && steps->front() == "s" && !options_.only)
    return Path{.study = steps->at(1), .rest = steps->at(2)};
  if (steps->size() == 2 && steps->front() == "assets")
    return Path{.rest = "assets/" + steps->back()};
  if (steps->size() != 1) return std::nullopt;
  const std::string& last = steps->back();
  if (last == "login" || last == "metrics" || !options_.only) return Path{.rest = last};
  return Path{.study = *options_.only, .rest = last};
}

Answer Routes::answer(const Request& request) {
  if (!access_.names_us(request))
    return plain_answer(403, "The request names another host than this server.");
  const std::optional<Path> path = path_of(request.target);
  if (request.method == "POST") return path ? post(request, *path) : not_found();
  if (!path) return not_found();
  if (path->rest.starts_with("assets/")) return asset(path->rest.substr(7));
  if (!access_.may_read(request)) {
    if (!path->rest.empty()) return plain_answer(401, "This needs the token.");
    return html_answer(std::make_shared<const std::string>(login_page(kAssets, options_.report)),
                       401);
  }
  if (path->study.empty()) {
    if (path->rest.empty()) return front();
    if (path->rest == "metrics")
      return {.type = kMetricsType,
              .body = std::make_shared<const std::string>(
                  metrics_text(list_.summaries(kListPatience), *streams_))};
    return not_found();
  }
  if (path->rest.empty()) return page(path->study);
  return path->rest == "events" ? events(path->study, request) : not_found();
}

Answer Routes::post(const Request& request, const Path& path) {
  const bool is_login = path.study.empty() && path.rest == "login";
  const bool is_stop = options_.control && !path.study.empty() && path.rest == "stop";
  if (!is_login && !is_stop) {
    Answer refused = plain_answer(405, "This address answers GET and HEAD.");
    refused.fields.emplace_back("Allow", "GET, HEAD");
    return refused;
  }
  if (!Access::is_own_origin(request))
    return plain_answer(403, "The request comes from a page of another server.");
  if (!access_.has_token(request)) return plain_answer(401, "This needs the token.");
  if (is_stop) return stop(path.study);
  return {.status = 204, .fields = {{"Set-Cookie", access_.cookie()}}};
}

Answer Routes::stop(const std::string& study) {
  const auto folder = list_.folder_of(study, kListPatience);
  if (!folder) return not_found();
  try {
    const Stopping stopping = stop_driver(*folder, 0);
    if (stopping.answer == StopAnswer::idle) return plain_answer(409, "The study is not running.");
    return plain_answer(202, "The study was asked to stop; the same command continues it.");
  } catch (const base::Error&) {
    return plain_answer(409, "The study's driver cannot be reached from here.");
  }
}

Answer Routes::front() {
  const std::vector<StudySummary> all = list_.summaries(kListPatience);
  return html_answer(std::make_shared<const std::string>(list_page(all, kAssets, options_.report)));
}

std::shared_ptr<StudyFeed> Routes::feed_of(const std::string& study) {
  const auto folder = list_.folder_of(study, kListPatience);
  std::vector<std::shared_ptr<StudyFeed>> gone;  // after the mutex: their threads may hang
  const std::lock_guard lock(mutex_);
  if (!folder) {
    if (const auto old = feeds_.find(study); old != feeds_.end())
      gone.push_back(std::move(feeds_.extract(old).mapped()));
    return nullptr;
  }
  std::shared_ptr<StudyFeed>& feed = feeds_[study];
  if (feed) return feed;
  const std::string base = options_.only ? "/" : base::cat("/s/", base::url_encoded(study), "/");
  feed = std::make_shared<StudyFeed>(
      *folder, options_.report,
      LivePlace{.assets = kAssets,
                .events = base + "events",
                .stop = options_.control ? base + "stop" : std::string()});
  std::shared_ptr<StudyFeed> made = feed;
  for (auto one = feeds_.begin(); one != feeds_.end() && feeds_.size() > kMostFeeds;) {
    const bool is_idle = one->second.use_count() == 1 && !one->second->is_used();
    if (is_idle) gone.push_back(one->second);
    one = is_idle ? feeds_.erase(one) : std::next(one);
  }
  return made;
}

Answer Routes::page(const std::string& study) {
  const std::shared_ptr<StudyFeed> feed = feed_of(study);
  if (!feed) return not_found();
  StudyFeed::Page page = feed->page(kPagePatience);
  switch (page.state) {
    case FeedState::good:
      return html_answer(std::move(page.html));
    case FeedState::absent:
      return not_found();
    case FeedState::broken:
      return plain_answer(500, "The study's log cannot be read.");
    case FeedState::silent:
      break;
  }
  return plain_answer(503, "The study's folder does not answer.");
}

Answer Routes::events(const std::string& study, const Request& request) {
  const std::optional<std::int64_t> position = position_of(request);
  if (!position) return plain_answer(400, "The position in the log must be a number.");
  const std::shared_ptr<StudyFeed> feed = feed_of(study);
  if (!feed) return not_found();
  Answer answer{.type = "text/event-stream"};
  if (request.method == "HEAD") return answer;
  if (++*streams_ > kMostStreams) {
    --*streams_;
    Answer refused = plain_answer(503, "Too many pages follow studies.");
    refused.fields.emplace_back("Retry-After", "5");
    return refused;
  }
  auto stream = std::make_shared<Stream>(feed, streams_, *position);
  answer.source = [stream](std::string& piece, base::Duration patience) {
    piece = stream->next(patience);
    return true;
  };
  return answer;
}

}  // namespace hpo::serve
