#include "hpo/study/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "base/text.h"
#include "base/utf8.h"
#include "hpo/study/text_check.h"

namespace hpo::study {

namespace {

/// The text by lines: turns the parser's marks, which count bytes, into places, which count
/// characters.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }

  [[nodiscard]] Position position(const YAML::Mark& mark) {
    if (mark.is_null() || static_cast<std::size_t>(mark.line) >= starts_.size()) return {};
    // Marks mostly move forward, and a line may be a megabyte long: count on from the last one.
    if (mark.line != line_ || mark.column < bytes_) {
      line_ = mark.line;
      bytes_ = 0;
      characters_ = 0;
    }
    const auto step =
        text_.substr(offset(line_, bytes_), static_cast<std::size_t>(mark.column - bytes_));
    characters_ += static_cast<int>(std::ranges::count_if(step, base::begins_character));
    bytes_ = mark.column;
    return {line_ + 1, characters_ + 1};
  }

  /// Whether the brace of a `${` stands at a mark.
  [[nodiscard]] bool has_reference(const YAML::Mark& mark) const {
    const std::size_t at = offset(mark.line, mark.column);
    return at > 0 && text_.substr(at - 1, 2) == "${";
  }

  /// The text from a mark on.
  [[nodiscard]] std::string_view from(const YAML::Mark& mark) const {
    return text_.substr(offset(mark.line, mark.column));
  }

 private:
  [[nodiscard]] std::size_t offset(int line, int bytes) const {
    return std::min(text_.size(),
                    starts_[static_cast<std::size_t>(line)] + static_cast<std::size_t>(bytes));
  }

  std::string_view text_;
  std::vector<std::size_t> starts_;
  int line_ = 0;
  int bytes_ = 0;
  int characters_ = 0;
};

/// Where the first line of a text ends whose lines end in carriage returns alone, which YAML does
/// not take for line ends everywhere.
std::optional<Position> lone_return(std::string_view text) {
  const std::size_t at = text.find('\r');
  if (at == text.npos || text.find('\n') != text.npos) return std::nullopt;
  const auto before = std::ranges::count_if(text.substr(0, at), base::begins_character);
  return Position{1, static_cast<int>(before) + 1};
}

std::string place(Position at) { return base::cat("line ", at.line, ", column ", at.column); }

/// Whether the quoted text that begins here ends somewhere. The parser takes the end of the file
/// for a quote.
bool quote_is_closed(std::string_view text) {
  if (text.starts_with('&')) {
    text.remove_prefix(std::min(text.find_first_of(" \n"), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  }
  const char quote = text.empty() ? '\0' : text[0];
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || text.substr(i + 1, 1) != "'") return true;
      ++i;
    }
  }
  return false;
}

/// Builds the tree from the parser's events. Events, rather than yaml-cpp's own tree, because that
/// one drops duplicate keys, shares aliased nodes and lets an alias contain itself.
class Builder final : public YAML::EventHandler {
 public:
  Builder(Lines& lines, bool merges) : lines_(lines), merges_(merges) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      throw StudyError(
          position(mark),
          "a second YAML document begins here (after --- or ...), expected one study in "
          "each file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({.kind = Node::Kind::null, .at = position(mark)}, anchor, 1, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    if (tag == "!" && !quote_is_closed(lines_.from(mark))) {
      throw StudyError(position(mark), "this quote is never closed");
    }
    if (value.find('\0') != value.npos)
      throw StudyError(position(mark), "a value contains a NUL character, which is not allowed");
    Node node = plain_node(value, position(mark));
    node.quoted = tag == "!";
    add(std::move(node), anchor, 1, 0);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Anchored& target = anchors_.at(anchor - 1);
    if (!target.node) throw StudyError(position(mark), "this alias contains itself");
    if (static_cast<int>(open_.size()) + target.height > kMostDepth) fail_depth(mark);
    Node copy = *target.node;
    copy.at = position(mark);
    add(std::move(copy), 0, target.nodes, target.height);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] Node take() { return std::move(root_); }
  [[nodiscard]] const std::vector<RepeatedKey>& repeated() const { return repeated_; }

 private:
  struct Anchored {
    std::optional<Node> node;  // none while it is being read
    std::size_t nodes = 0;
    int height = 0;
  };

  /// A list or map whose end has not come yet.
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::size_t nodes_before = 0;
    int height = 1;
    std::optional<Entry> key;  // of a map: read, its value not yet
    std::unordered_map<std::string, Position> seen;
  };

  [[nodiscard]] Position position(const YAML::Mark& mark) const { return lines_.position(mark); }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw StudyError(
        position(mark),
        base::cat("tag \"", base::printable(tag, 60),
                  "\" is not supported; remove it, or put the value in quotes if it is a string"));
  }

  [[noreturn]] void fail_depth(const YAML::Mark& mark) const {
    throw StudyError(position(mark),
                     base::cat("lists and maps are nested too deeply, expected at most ",
                               kMostDepth, " levels"));
  }

  void count(Position at, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > kMostNodes) {
      throw StudyError(at, base::cat("too many values, expected at most ", kMostNodes,
                                     ", counting each use of an alias"));
    }
  }

  void declare(YAML::anchor_t anchor) {
    if (anchor > anchors_.size()) anchors_.resize(anchor);
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_tag(mark, tag);
    if (static_cast<int>(open_.size()) >= kMostDepth) fail_depth(mark);
    if (!open_.empty() && open_.back().node.is_map() && !open_.back().key) {
      throw StudyError(
          position(mark),
          "a list or map cannot be a key here; put quotes around a value that begins with a "
          "bracket");
    }
    declare(anchor);
    open_.push_back(
        {.node = {.kind = kind, .at = position(mark)}, .anchor = anchor, .nodes_before = nodes_});
    count(position(mark), 1);
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    const std::size_t nodes = nodes_ - done.nodes_before;
    nodes_ = done.nodes_before;
    if (merges_ && done.node.is_map()) merge(done.node);
    add(std::move(done.node), done.anchor, nodes, done.height);
  }

  /// Puts a finished value where it belongs: as the root, an item, a key, or a key's value.
  void add(Node node, YAML::anchor_t anchor, std::size_t nodes, int height) {
    declare(anchor);
    count(node.at, nodes);
    if (anchor != 0) {
      kept_ += nodes;
      if (kept_ > kMostNodes)
        throw StudyError(node.at, "anchors hold too many values, expected fewer of them");
      anchors_[anchor - 1] = {.node = node, .nodes = nodes, .height = height};
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    parent.height = std::max(parent.height, height + 1);
    if (parent.node.is_list()) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      parent.key = key_of(parent, node);
    } else {
      // The parser reports the place of an empty value where the next token begins.
      if (node.is_null()) node.at = parent.key->key_at;
      parent.key->value = std::move(node);
      parent.node.entries.push_back(std::move(*parent.key));
      parent.key.reset();
    }
  }

  /// Puts the entries of the maps that a merge key names in its place.
  static void merge(Node& map) {
    const auto key = std::ranges::find(map.entries, kMergeKey, &Entry::key);
    if (key == map.entries.end()) return;
    const Node merged = std::move(key->value);
    map.entries.erase(key);
    const std::vector<Node> alone{merged};
    std::vector<Entry> added;
    for (const Node& source : merged.is_list() ? merged.items : alone) {
      if (!source.is_map())
        throw StudyError(source.at, base::cat("merge key \"<<\" has ", describe(source),
                                              ", expected a map or a list of maps"));
      for (const Entry& entry : source.entries) {
        const bool is_there = map.find_entry(entry.key) != nullptr ||
                              std::ranges::find(added, entry.key, &Entry::key) != added.end();
        if (!is_there) added.push_back(entry);
      }
    }
    map.entries.insert(map.entries.begin(), added.begin(), added.end());
  }

  Entry key_of(Open& map, const Node& node) {
    if (!node.is_scalar()) throw StudyError(node.at, "a key is empty, expected a word");
    if (node.text == kMergeKey && !node.quoted && !merges_) {
      throw StudyError(
          node.at,
          "merge key \"<<\" is not supported; write the keys out (an alias is allowed as a "
          "value)");
    }
    const auto [first, fresh] = map.seen.emplace(node.text, node.at);
    if (!fresh && !merges_) {
      throw StudyError(node.at,
                       base::cat("key \"", base::printable(node.text, 60),
                                 "\" appears twice; the first is at ", place(first->second)));
    }
    if (!fresh) {
      repeated_.push_back({node.text, first->second, node.at});
      first->second = node.at;
      std::erase_if(map.node.entries, [&](const Entry& one) { return one.key == node.text; });
    }
    return {.key = node.text, .key_at = node.at, .value = {}};
  }

  static constexpr std::string_view kMergeKey = "<<";

  Lines& lines_;
  bool merges_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::size_t kept_ = 0;  // copies that anchors hold
  std::vector<Open> open_;
  std::vector<Anchored> anchors_;
  std::vector<RepeatedKey> repeated_;  // only where merges_
  Node root_;
};

struct Translation {
  std::string_view theirs, ours;
};

/// What the parser says when it stumbles, in words that name the usual cause.
constexpr std::array kTranslations = std::to_array<Translation>({
    {"illegal map value", "unexpected ':' here; put quotes around a value that contains a colon"},
    {"end of map not found",
     "the lines of this map do not line up, expected each key in the same column"},
    {"end of map flow not found", "this { is never closed, expected a matching }"},
    {"end of sequence not found",
     "the lines of this list do not line up, expected each \"-\" in the same column"},
    {"end of sequence flow not found", "this [ is never closed, expected a matching ]"},
    {"illegal flow end",
     "unexpected closing bracket; put quotes around a value that contains brackets"},
    {"illegal block entry", "a list cannot begin here; put it on a line of its own"},
    {"illegal map key", "a key cannot be here; put it on a line of its own"},
    {"illegal EOF in scalar", "this quote is never closed"},
    {"unknown escape character: ",
     "unknown escape sequence; write \\\\ for a backslash, or use single quotes"},
    {"the referenced anchor is not defined",
     "this alias names no anchor; put &name before *name, or quotes around a value that begins "
     "with *"},
    {"invalid anchor", "this anchor has no name; put quotes around a value that begins with &"},
    {"invalid alias", "this alias has no name; put quotes around a value that begins with *"},
    {"alias not found after *",
     "this alias has no name; put quotes around a value that begins with *"},
    {"anchor not found after &",
     "this anchor has no name; put quotes around a value that begins with &"},
    {"cannot assign multiple anchors", "two anchors in a row; a value can have at most one"},
    {"unknown token", "a value cannot begin with this character; put quotes around it"},
});

std::string translate(const std::string& message) {
  for (const auto& [theirs, ours] : kTranslations) {
    if (message.starts_with(theirs)) return std::string(ours);
  }
  return base::cat("this is not YAML (", base::printable(message, 80),
                   "), expected a YAML 1.2 document");
}

void move_to(Node& node, Position at) {
  node.at = at;
  for (Node& item : node.items) move_to(item, at);
  for (Entry& entry : node.entries) {
    entry.key_at = at;
    move_to(entry.value, at);
  }
}

}  // namespace

Node read_yaml(std::string_view text, Position at) {
  Node node = read_yaml(text);
  move_to(node, at);
  return node;
}

namespace {

Node read(std::string_view text, bool merges, std::vector<RepeatedKey>& repeated) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  check_text(text);
  Lines lines(text);
  Builder builder(lines, merges);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw StudyError(
          {}, "the file is empty, expected a study, at least: data: {csv: FILE, target: COLUMN}");
    }
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const YAML::Exception& error) {
    if (const auto at = lone_return(text))
      throw StudyError(*at, "the file's lines end in CR only (old Mac), expected LF or CRLF");
    if (lines.has_reference(error.mark))
      throw StudyError(lines.position(error.mark),
                       "put quotes around \"${...}\": without them, the { begins a map");
    throw StudyError(lines.position(error.mark), translate(error.msg));
  }
  repeated = builder.repeated();
  return builder.take();
}

}  // namespace

Node read_yaml(std::string_view text) {
  std::vector<RepeatedKey> none;
  return read(text, false, none);
}

Node read_merging_yaml(std::string_view text, std::vector<RepeatedKey>& repeated) {
  return read(text, true, repeated);
}

}  // namespace hpo::study
