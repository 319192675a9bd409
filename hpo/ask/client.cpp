#include "hpo/ask/client.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "hpo/ask/socket.h"

namespace hpo {

std::optional<AskClient> AskClient::connect(const base::Path& folder) {
  std::optional<base::File> socket = connect_in(folder);
  if (!socket) return std::nullopt;
  AskClient client(std::move(*socket));
  const std::optional<std::string> greeting = client.read_line();
  if (!greeting) return std::nullopt;
  const std::int64_t version = base::Json::parse(*greeting).at("protocol").integer();
  if (version != kAskProtocol)
    throw base::Error(
        base::Errc::usage,
        base::cat(folder.string(), " is kept by a Trellis that speaks version ", version,
                  " of the protocol, expected ", kAskProtocol, ": end it with trellis stop"));
  client.greeting_ = *greeting;
  return client;
}

std::optional<std::string> AskClient::call(std::string_view line) {
  if (line.size() > kLongestAskLine)
    throw base::Error(base::Errc::usage, base::cat("a call of ", line.size(),
                                                   " bytes, expected at most ", kLongestAskLine));
  const std::string message = base::cat(line, "\n");
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t n =
        ::send(socket_.fd(), message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    sent += static_cast<std::size_t>(n);
  }
  std::optional<std::string> answer = read_line();
  if (!answer) return std::nullopt;
  const base::Json json = base::Json::parse(*answer);
  if (const base::Json* error = json.find("error"))
    throw base::Error(base::Errc::usage, error->text());
  return answer;
}

std::optional<std::string> AskClient::read_line() {
  for (;;) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const ssize_t n = ::recv(socket_.fd(), bytes, sizeof bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    buffer_.append(bytes, static_cast<std::size_t>(n));
  }
}

}  // namespace hpo
