#pragma once
// HTTP over TCP: connections, their limits, and how long anybody may hold one.

#include <functional>
#include <memory>
#include <string>

#include "hpo/serve/request.h"

namespace hpo::serve {

class HttpServer {
 public:
  /// Listens. `host` empty: to this machine alone. `port` 0: any free one. `posts`: whether there
  /// is anything to post to. Throws base::Error (usage) where that address cannot be had.
  HttpServer(const std::string& host, int port, bool posts);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] int port() const;
  /// Serves until `stop`, which any thread may call. `answer` is called by many threads at once.
  /// False where a thread still waits for something that hangs.
  [[nodiscard]] bool run(std::function<Answer(const Request&)> answer);
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hpo::serve
