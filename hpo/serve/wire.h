#pragma once
// Bytes of a connection, with limits on how many and how long.

#include <string>
#include <string_view>

#include "base/clock.h"
#include "hpo/serve/head_check.h"

namespace hpo::serve {

enum class HeadState : std::uint8_t {
  whole,
  closed,    ///< the other side went, or said nothing for the whole time
  late,      ///< it began a request and did not end it in time
  too_long,  ///< it sent more than a request has
};

/// Receives a request's head into `head`. `received` has what came so far, and keeps what came
/// behind.
[[nodiscard]] HeadState read_head(int socket, std::string& received, std::string& head,
                                  base::Duration patience);

/// Sends all of it. False where the other side went, or took nothing for so long.
bool send_all(int socket, std::string_view bytes, base::Duration patience);

/// True when the other side has ended its half of the connection, as a browser does with a tab.
[[nodiscard]] bool has_left(int socket);

/// Ends the connection so that what was sent still arrives: a socket that is closed with something
/// unread takes it back.
void end_gently(int socket);

/// This machine's address of the connection.
[[nodiscard]] std::string local_address(int socket);

/// The whole answer to a request that is refused before anything parsed it.
[[nodiscard]] std::string refusal_text(const Refusal& refusal);

}  // namespace hpo::serve
