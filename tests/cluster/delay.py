"""Hands frames from one network card to another one late and no faster than a link would, both ways.

usage: delay.py CARD CARD MILLISECONDS RATE     RATE: as of tc, 20mbit or 1gbit

It stands where a kernel without netem has a slow link: between a node's cable and the switch.
"""

import collections
import re
import select
import socket
import sys
import time

SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING = 263, 15, 23
SO_RCVBUFFORCE = 33
EVERY_PROTOCOL = 3
LONGEST_QUEUE = 2  # seconds; frames beyond it are lost, as in a switch


def bytes_per_second(rate):
    number, unit = re.fullmatch(r"([\d.]+)([kmg]?)bit", rate.lower()).groups()
    return float(number) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[unit] / 8


def card(name):
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY_PROTOCOL))
    port.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    port.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)  # without it each check sum that was left to the card is wrong
    port.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
    port.bind((name, 0))
    port.setblocking(False)
    return port


def relay(cards, delay, rate):
    queues = [collections.deque(), collections.deque()]
    free = [0.0, 0.0]  # when the link has sent all that was given to it
    while True:
        for queue, out in zip(queues, reversed(cards)):
            while queue and queue[0][0] <= time.monotonic():
                try:
                    out.send(queue.popleft()[1])
                except OSError:  # the card is down: the frame is lost
                    pass
        due = [queue[0][0] for queue in queues if queue]
        wait = max(0, min(due) - time.monotonic()) if due else None
        for port in select.select(cards, [], [], wait)[0]:
            i = cards.index(port)
            for _ in range(64):  # then the other one's turn
                try:
                    frame = port.recv(70000)
                except OSError:
                    break
                now = time.monotonic()
                free[i] = max(free[i], now) + len(frame) / rate
                if free[i] - now < LONGEST_QUEUE:
                    queues[i].append((free[i] + delay, frame))


def main():
    first, second, milliseconds, rate = sys.argv[1:]
    relay([card(first), card(second)], float(milliseconds) / 1e3, bytes_per_second(rate))


if __name__ == "__main__":
    main()
