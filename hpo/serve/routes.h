#pragma once
// What the server answers.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "hpo/serve/access.h"
#include "hpo/serve/request.h"
#include "hpo/serve/study_feed.h"
#include "hpo/serve/study_list.h"

namespace hpo::serve {

struct RoutesOptions {
  base::Path folder;                ///< has a folder for each study
  std::optional<std::string> only;  ///< the one study of it that is shown
  ReportOptions report;
  bool control = false;  ///< studies can be stopped
};

/// Thread-safe.
class Routes {
 public:
  Routes(RoutesOptions options, Access access);

  [[nodiscard]] Answer answer(const Request& request);

 private:
  struct Path {
    std::string study;  ///< empty: of all
    std::string rest;
  };
  [[nodiscard]] std::optional<Path> path_of(const std::string& target) const;
  [[nodiscard]] Answer post(const Request& request, const Path& path);
  [[nodiscard]] Answer stop(const std::string& study);
  [[nodiscard]] Answer page(const std::string& study);
  [[nodiscard]] Answer events(const std::string& study, const Request& request);
  [[nodiscard]] Answer front();
  /// Null where there is no such study.
  [[nodiscard]] std::shared_ptr<StudyFeed> feed_of(const std::string& study);

  RoutesOptions options_;
  Access access_;
  StudyList list_;
  std::shared_ptr<std::atomic<int>> streams_ = std::make_shared<std::atomic<int>>(0);
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<StudyFeed>> feeds_;
};

}  // namespace hpo::serve
