"""The screen on a pseudo-terminal, driven by what it has written into its session file."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
import time

PATIENCE = 90.0
# A key that is pressed while a revision comes to its end would be refused.
PAUSE = 0.25


class Screen:
    """`catena` on a terminal of 48 rows and 160 columns, in a home of its own."""

    def __init__(self, argv, env, cwd, sessions):
        self.sessions = sessions
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
        self.master = master

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, cwd=cwd, preexec_fn=take_terminal)
        os.close(slave)
        self.drawn = 0
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self):
        while True:
            try:
                read = os.read(self.master, 1 << 16)
            except OSError:
                return
            if not read:
                return
            self.drawn += len(read)

    def wait_until(self, holds, patience=PATIENCE):
        began = time.monotonic()
        while time.monotonic() - began < patience:
            if holds():
                return True
            if self.child.poll() is not None:
                return holds()
            time.sleep(0.02)
        return False

    def press(self, keys):
        os.write(self.master, keys.encode())

    def session(self):
        """The one session's file, as bytes."""
        if not self.sessions.is_dir():
            return b""
        files = sorted(self.sessions.glob("*.jsonl"))
        return files[0].read_bytes() if files else b""

    def counted(self, event):
        return self.session().count(b'"event":"%s"' % event.encode())

    def ask(self, question):
        """Pastes a question and asks it. Whether its run came to an end."""
        self.wait_until(lambda: self.drawn > 200)
        time.sleep(PAUSE)
        self.press(f"\x1b[200~{question}\x1b[201~")
        time.sleep(PAUSE)
        self.press("\r")
        return self.wait_until(lambda: self.counted("run_finished") == 1)

    def decide(self, keys, revises):
        """Presses keys; where a revision follows, waits for its end. Whether one followed."""
        time.sleep(PAUSE)
        before = self.counted("revised")
        finished = self.counted("run_finished")
        self.press(keys)
        if not revises:
            # What is typed may be looked up in the background.
            time.sleep(2 * PAUSE)
            return False
        # A table that waits for the choice among its chains is written late, and all at once.
        if not self.wait_until(lambda: self.counted("run_finished") > finished, 4.0):
            if self.counted("revised") == before:
                return False
            self.wait_until(lambda: self.counted("run_finished") > finished)
        return True

    def is_open(self):
        return self.child.poll() is None

    def leave(self):
        """Closes the screen; gives the exit code."""
        time.sleep(PAUSE)
        if not self.is_open():
            os.close(self.master)
            return self.child.wait()
        self.press("\x1b")
        time.sleep(PAUSE)
        self.press("\x03")
        try:
            code = self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.terminate()
            code = self.child.wait(10)
        os.close(self.master)
        return code
