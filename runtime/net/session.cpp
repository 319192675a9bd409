#include "runtime/net/session.h"

#include <algorithm>
#include <utility>

namespace rt::net {

void Session::send(Post& post, Message message) {
  const Channel channel = channel_of(message);
  Lane& lane = lanes_[static_cast<std::size_t>(channel)];
  post.send(link_, channel, encode_frame({epoch_, agent_, ++lane.sent, std::move(message)}));
}

void Session::beat(Post& post, base::Moment now, base::Duration every) {
  if (beaten_ && now - *beaten_ < every) return;
  beaten_ = now;
  send(post, Beat{lanes_[static_cast<std::size_t>(Channel::bulk)].sent});
}

std::vector<Message> Session::take(Frame frame, base::Moment now) {
  Lane& lane = lanes_[static_cast<std::size_t>(channel_of(frame.message))];
  std::vector<Message> next;
  if (frame.epoch != epoch_ || frame.agent != agent_) {
    ++stale_;
    return next;
  }
  if (frame.number <= lane.taken || lane.early.contains(frame.number)) return next;
  heard_ = now;
  lane.early.emplace(frame.number, std::move(frame.message));
  while (!lane.early.empty() && lane.early.begin()->first == lane.taken + 1) {
    ++lane.taken;
    Message& message = lane.early.begin()->second;
    if (const auto* beat = std::get_if<Beat>(&message))
      bulk_told_ = std::max(bulk_told_, beat->bulk);
    next.push_back(std::move(message));
    lane.early.erase(lane.early.begin());
  }
  for (Lane& each : lanes_) look_for_gap(each, now);
  // While contents come in, those that were sent later are only on their way.
  if (&lane != &lanes_.front() && !next.empty() && lane.gap_since) lane.gap_since = now;
  return next;
}

void Session::look_for_gap(Lane& lane, base::Moment now) const {
  const bool told_of_more = &lane != &lanes_.front() && lane.taken < bulk_told_;
  if (lane.early.empty() && !told_of_more) {
    lane.gap_since.reset();
  } else if (!lane.gap_since) {
    lane.gap_since = now;
  }
}

bool Session::broken(base::Moment now, base::Duration patience) const noexcept {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
    return lane.early.size() > kMostEarly || (lane.gap_since && now - *lane.gap_since > patience);
  });
}

}  // namespace rt::net
