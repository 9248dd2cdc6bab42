"""Snakemake's progress display. On a terminal it is one line that is rewritten; otherwise a line is printed after each
tenth of the jobs. If a job fails, the command's own message is printed."""

import pathlib
import sys
import time

SHOWN_ERROR_LINES = 15


class Progress:
    def __init__(self, out, clock=time.monotonic):
        self.out = out
        self.clock = clock
        self.start = clock()
        self.tenth = 0
        self.open_line = False

    def __call__(self, message):
        level = message["level"]
        if level == "progress":
            self.progress(message["done"], message["total"])
        elif level == "job_error":
            self.job_error(message)
        elif level == "error":
            self.line(message["msg"])

    def progress(self, done, total):
        seconds = int(self.clock() - self.start)
        text = f"experiments: {done} of {total} jobs, {seconds // 60}:{seconds % 60:02d}"
        if self.out.isatty():
            self.out.write(f"\r{text}\033[K" + ("\n" if done == total else ""))
            self.open_line = done != total
        elif 10 * done // total > self.tenth:
            self.tenth = 10 * done // total
            self.line(text)
        self.out.flush()

    def job_error(self, message):
        self.line(f"failed: {message['name']} {', '.join(map(str, message['output']))}")
        for log in message["log"]:
            path = pathlib.Path(log)
            lines = path.read_text(errors="replace").splitlines() if path.exists() else ["it wrote no log"]
            for line in lines[-SHOWN_ERROR_LINES:]:
                self.line(f"  {line}")

    def line(self, text):
        if self.open_line:
            self.out.write("\r\033[K")
            self.open_line = False
        self.out.write(f"{text}\n")
        self.out.flush()


log_handler = Progress(sys.stderr)
