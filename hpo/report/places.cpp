#include "hpo/report/places.h"

#include <algorithm>
#include <utility>

namespace hpo::report {

namespace {

constexpr std::string_view kHost = "host";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

/// Where a path that begins at `at` ends, if nothing tells that it holds a blank.
std::size_t path_end(std::string_view text, std::size_t at) {
  return std::min(text.find_first_of(" \t\n\r\"'`,;()[]{}<>|", at), text.size());
}

/// The last part of a path: "c" of "/a/b/c" and of "/a/b/c/".
std::string_view last_part(std::string_view path) {
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// True where an absolute path, or one below somebody's home, begins.
bool begins_path(std::string_view text, std::size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ';
  if (is_word(before) || before == '.' || before == '/' || before == '$' || before == '}')
    return false;
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("~/") || (rest.starts_with("~") && rest.size() > 1 && is_word(rest[1])))
    return true;
  return rest.size() > 2 && rest[0] == '/' && is_word(rest[1]) &&
         (is_word(rest[2]) || rest[2] == '/' || rest[2] == '.');
}

/// The paths that a resolved study file has: scalars from a slash to their end.
std::vector<std::string> paths_of(std::string_view resolved) {
  std::vector<std::string> paths;
  for (std::size_t at = resolved.find('/'); at < resolved.size(); at = resolved.find('/', at + 1)) {
    if (!begins_path(resolved, at)) continue;
    const char quote = at > 0 ? resolved[at - 1] : ' ';
    std::size_t end = quote == '"' || quote == '\'' ? resolved.find(quote, at)
                                                    : resolved.find_first_of(",}]\n", at);
    end = std::min(end, resolved.size());
    paths.emplace_back(resolved.substr(at, end - at));
    at = end;
  }
  std::ranges::sort(paths, std::ranges::greater{}, &std::string::size);
  return paths;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
}

std::string without_paths(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_url = text.substr(at).starts_with("file:///");
    const std::size_t from = is_url ? at + std::string_view("file://").size() : at;
    if (!is_url && !begins_path(text, at)) {
      out += text[at++];
      continue;
    }
    const std::size_t end = path_end(text, from);
    out += last_part(text.substr(from, end - from));
    at = end;
  }
  return out;
}

std::string without_word(const std::string& text, const std::string& word) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool goes_on = end < text.size() &&
                         (is_word(text[end]) ||
                          (text[end] == '.' && end + 1 < text.size() && is_word(text[end + 1])));
    if (goes_on || at < from || (at > 0 && is_word(text[at - 1]))) continue;
    out += text.substr(from, at - from);
    out += kHost;
    from = end;
  }
  return out + text.substr(from);
}

}  // namespace

Places::Places(std::vector<std::string> hosts, std::string_view resolved)
    : hides_(true), known_(paths_of(resolved)) {
  for (const std::string& host : hosts) {
    if (host.empty() || host == "localhost") continue;
    hosts_.push_back(host);
    if (const std::size_t dot = host.find('.'); dot != std::string::npos && dot > 0)
      hosts_.push_back(host.substr(0, dot));
  }
}

std::string Places::hidden(std::string_view text) const {
  std::string out(text);
  if (!hides_) return out;
  for (const std::string& path : known_) replace_all(out, path, last_part(path));
  out = without_paths(out);
  for (const std::string& host : hosts_) out = without_word(out, host);
  return out;
}

}  // namespace hpo::report
