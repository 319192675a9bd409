"""Agents that reach their driver through a relay each, which a test can cut while both processes live on.

`trellis sweep --hosts` starts agents on other machines by `ssh`. Here `ssh` is this file: it starts the agent on this machine,
in a folder that is the study's but for the address of the driver, which is that of the agent's relay.
"""

import asyncio
import concurrent.futures
import contextlib
import itertools
import json
import os
import pathlib
import shlex
import shutil
import socket
import sqlite3
import struct
import sys
import threading

PORTS = "TRELLIS_TEST_RELAYS"  # {host: port of its relay} as JSON


class Link:
    """A connection of an agent, and the one to the driver that belongs to it."""

    def __init__(self, writer):
        self.writers = [writer]
        self.passing = asyncio.Event()
        self.passing.set()
        self.swallowed = False

    def break_off(self):
        """Both sides hear of it at once."""
        for writer in self.writers:
            with contextlib.suppress(OSError):  # it is closed
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    async def pump(self, reader, writer):
        while data := await reader.read(1 << 16):
            await self.passing.wait()
            if not self.swallowed:
                writer.write(data)
                await writer.drain()
        await self.passing.wait()
        if not self.swallowed and writer.can_write_eof():
            writer.write_eof()


class Relay:
    """Passes on what an agent and its driver say. `study`: the folder in which the driver says where it listens."""

    def __init__(self, study):
        self.driver = pathlib.Path(study) / "net" / "driver.json"
        self.links = []  # in the order in which they came
        self.dark = False  # nobody hears anything, nor of new connections

    async def open(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    async def close(self):
        self.server.close()
        for link in self.links:
            link.break_off()

    async def serve(self, reader, writer):
        link = Link(writer)
        self.links.append(link)
        try:
            if self.dark:
                await reader.read()
                return
            host, port = json.loads(self.driver.read_text())["address"].rsplit(":", 1)
            to_reader, to_writer = await asyncio.open_connection(host, int(port))
            link.writers.append(to_writer)
            await asyncio.gather(link.pump(reader, to_writer), link.pump(to_reader, writer))
        except (OSError, asyncio.CancelledError):  # one of the two is gone, or the test is over
            pass
        finally:
            self.links.remove(link)
            for one in link.writers:
                one.close()

    async def reset(self, which, _=0):
        """Breaks those connections. This and the next two return how many that were, at once."""
        hit = self.links[which]
        for link in hit:
            link.break_off()
        return len(hit)

    async def hold(self, which, seconds):
        """Delivers what they carry so much later."""
        hit = self.links[which]
        for link in hit:
            link.passing.clear()

        async def go_on():
            await asyncio.sleep(seconds)
            for link in hit:
                link.passing.set()

        self.later = asyncio.create_task(go_on())
        return len(hit)

    async def swallow(self, which, seconds):
        """Delivers nothing more, nor of new connections if those are all; breaks them after so long."""
        hit = self.links[which]
        self.dark = len(hit) == len(self.links)
        for link in hit:
            link.swallowed = True

        async def break_off():
            await asyncio.sleep(seconds)
            self.dark = False
            for link in {*hit, *(link for link in self.links if len(link.writers) == 1)}:
                link.break_off()

        self.later = asyncio.create_task(break_off())
        return len(hit)


class Relays:
    """A relay for each of some agents, on a thread of their own, and an `ssh` that leads through them."""

    def __init__(self, study, count):
        self.study = pathlib.Path(study)
        self.hosts = [f"127.0.0.{number}" for number in range(2, 2 + count)]  # other machines, as `trellis` sees them
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)

    def __enter__(self):
        self.thread.start()
        self.relays = {host: Relay(self.study) for host in self.hosts}
        self.ports = {host: self.start(relay.open()).result() for host, relay in self.relays.items()}
        self.bin = self.study.parent / "bin"
        self.bin.mkdir(parents=True)
        (self.bin / "ssh").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -B {shlex.quote(__file__)} "$@"\n')
        (self.bin / "ssh").chmod(0o755)
        return self

    def __exit__(self, *_):
        for relay in self.relays.values():
            self.start(relay.close()).result()
        concurrent.futures.wait([self.start(self.settle())])
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def settle(self):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def start(self, what):
        """Runs something on the relays' thread; its result is to come."""
        return asyncio.run_coroutine_threadsafe(what, self.loop)

    def all_connected(self):
        return all(relay.links for relay in self.relays.values())

    def seen_from(self, agent):
        """The name of that agent's folder."""
        return f"seen-from-{self.hosts[agent]}"

    def cut(self, agent, how, which, seconds):
        """Does that to connections of an agent; returns to how many."""
        relay = self.relays[self.hosts[agent]]
        return self.start(getattr(relay, how)(which, seconds)).result()

    def environment(self):
        """For the driver."""
        return {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", PORTS: json.dumps(self.ports)}

    def options(self):
        return ["--hosts", ",".join(self.hosts)]


def be_ssh(words):
    """ssh -o ... HOST "exec [env NAME=VALUE ...] 'trellis' 'agent' 'FOLDER' ..." """
    host, command = words[-2:]
    _, *words = shlex.split(command)
    if words[0] == "env":
        words = list(itertools.dropwhile(lambda word: "=" in word, words[1:]))
    program, verb, folder, *more = words
    study = pathlib.Path(folder)
    seen = study.with_name(f"seen-from-{host}")
    shutil.rmtree(seen, ignore_errors=True)
    (seen / "net").mkdir(parents=True)
    for name in ("study.yaml", "net/authority.crt", "net/authority.key"):
        (seen / name).symlink_to(study / name)
    with contextlib.closing(sqlite3.connect(f"file:{study}/study.db?mode=ro", uri=True)) as log:
        with contextlib.closing(sqlite3.connect(seen / "study.db")) as copy:
            log.backup(copy)  # an agent needs one to see that this is a study
    port = json.loads(os.environ[PORTS])[host]
    (seen / "net" / "driver.json").write_text(json.dumps({"address": f"127.0.0.1:{port}", "epoch": 1}))
    os.execv(program, [program, verb, str(seen), *more])


if __name__ == "__main__":
    be_ssh(sys.argv[1:])
