#include "nn/data/note_kinds.h"

#include <algorithm>
#include <array>
#include <string>

namespace nn {

namespace {

/// The words behind "5" and "0.4%".
std::string_view behind_number(std::string_view note) {
  const std::size_t end = note.find_first_not_of("0123456789.e-%");
  return end == std::string_view::npos || end == 0 ? std::string_view() : note.substr(end);
}

/// Whether the note is HEAD, a colon and names.
bool lists(std::string_view note, std::string_view head) {
  return note.starts_with(head) && note.substr(head.size()).starts_with(": ");
}

}  // namespace

NoteKind kind_of_note(std::string_view note) {
  constexpr std::array kInputs{heads::kNumbers, heads::kCodes, heads::kCategories, heads::kDates,
                               heads::kMonths,  heads::kClock, heads::kConstant};
  const auto one_of = [&](const auto& heads) {
    return std::ranges::any_of(heads, [&](std::string_view head) { return lists(note, head); });
  };
  if (one_of(kInputs) || note.starts_with(heads::kHashed)) return NoteKind::inputs;
  if (note.starts_with(heads::kLeftOut)) return NoteKind::left_out;
  const std::string_view behind = behind_number(note);
  const bool counts = behind.starts_with(heads::kClasses) || behind.starts_with(heads::kBalance);
  for (const std::string_view head :
       {heads::kTask, heads::kAlike, heads::kOneRow, heads::kUntrained})
    if (counts || note.starts_with(head)) return NoteKind::target;
  return NoteKind::table;
}

}  // namespace nn
