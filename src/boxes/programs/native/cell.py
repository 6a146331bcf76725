"""Runs the cells of one user, inside of a sandbox. It speaks the frames of programs/frames.ts over standard input and output."""

import ast
import asyncio
import fcntl
import inspect
import json
import linecache
import os
import resource
import select
import struct
import sys
import termios
import threading
import time
import traceback
import types

ROOT = '/mnt/data'
MOST_PROCESSES = 32
CHUNK_BYTES = 65_536

frames_in, frames_out = os.dup(0), os.dup(1)
sending = threading.Lock()


def send(head, body=b''):
    text = json.dumps(head).encode()
    rest = memoryview(struct.pack('>II', len(text), len(body)) + text + body)
    with sending:
        while rest:
            rest = rest[os.write(frames_out, rest):]


def read(count):
    parts = []
    while count > 0:
        part = os.read(frames_in, min(count, CHUNK_BYTES))
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b''.join(parts)


class Output:
    """Sends on what cells and their children write, up to the bound of each cell."""

    def __init__(self):
        self.pipe, write_end = os.pipe()
        for number in (1, 2):
            os.dup2(write_end, number)
        os.close(write_end)
        self.turn = threading.Lock()
        self.left = 0
        threading.Thread(target=self.pump, daemon=True).start()

    def pump(self):
        while True:
            select.select([self.pipe], [], [])
            with self.turn:
                part = os.read(self.pipe, CHUNK_BYTES)[: self.left]
                self.left -= len(part)
                if part:
                    send({'type': 'log'}, part)

    def drain(self):
        """Waits until what was written is sent."""
        while True:
            with self.turn:
                waiting = struct.unpack('i', fcntl.ioctl(self.pipe, termios.FIONREAD, b'\0' * 4))[0]
            if waiting == 0:
                return
            time.sleep(0.001)


class DataFolder:
    """The folder that a cell shares with whoever runs it."""

    def __init__(self):
        self.seen = {}

    def look(self):
        found = {}
        for folder, _, names in os.walk(ROOT):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                state = os.stat(path)
                found[os.path.relpath(path, ROOT)] = (state.st_size, state.st_mtime_ns)
        return found

    def changed(self):
        before, self.seen = self.seen, self.look()
        return [
            {'name': name, 'bytes': mark[0]} for name, mark in self.seen.items() if before.get(name) != mark
        ]

    def put(self, name, content):
        with open(os.path.join(ROOT, os.path.basename(name)), 'wb') as file:
            file.write(content)
        self.changed()

    def take(self, name):
        with open(os.path.join(ROOT, name), 'rb') as file:
            return file.read()


main = types.ModuleType('__main__')
sys.modules['__main__'] = main


def evaluate(tree):
    code = compile(tree, '<cell>', 'eval' if isinstance(tree, ast.Expression) else 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(code, main.__dict__)
    return asyncio.run(value) if code.co_flags & inspect.CO_COROUTINE else value


def run_cell(source):
    """Shows the value of the last expression as an interactive Python does, and of an error only the frames of the cell."""
    linecache.cache['<cell>'] = (len(source), None, source.splitlines(keepends=True), '<cell>')
    try:
        os.makedirs(ROOT, exist_ok=True)
        tree = ast.parse(source, '<cell>')
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        evaluate(tree)
        value = None if last is None else evaluate(ast.Expression(last.value))
        if value is not None:
            print(repr(value))
        return True
    except SystemExit:
        return True
    except BaseException as error:
        frames = error.__traceback__
        while frames and frames.tb_frame.f_code.co_filename != '<cell>':
            frames = frames.tb_next
        traceback.print_exception(type(error), error, frames, file=sys.stderr)
        return False
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()


def serve():
    data = DataFolder()
    output = Output()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.chdir(ROOT)
    # Where the kernel counts processes of the sandbox alone; the gateway looks at their number in any case.
    resource.setrlimit(resource.RLIMIT_NPROC, (MOST_PROCESSES, MOST_PROCESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    send({'type': 'ready'})
    while True:
        head_bytes, body_bytes = struct.unpack('>II', read(8))
        head, body = json.loads(read(head_bytes)), read(body_bytes)
        try:
            if head['type'] == 'put':
                data.put(head['name'], body)
                send({'type': 'answer'})
            elif head['type'] == 'take':
                send({'type': 'answer'}, data.take(head['name']))
            else:
                output.left = head['logBytes']
                is_fine = run_cell(head['code'])
                output.drain()
                send({'type': 'answer', 'isFine': is_fine, 'files': data.changed()})
        except Exception as error:
            send({'type': 'answer', 'fault': str(error)[:1000]})


serve()
