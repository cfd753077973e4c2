"""Progress bars: tqdm's where that is installed, else a line of text."""

import contextlib
import sys


def check(progress):
    """Refuses what is no progress, before the work: a short task never shows any."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ValueError(f"progress is {progress!r}; give True, or what is called with a phase and its share")


@contextlib.contextmanager
def following(progress):
    """Gives what is called with a phase and its share: a bar for True, nothing for False and None, else progress itself."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        bar = _bar()
        try:
            yield bar
        finally:
            bar.close()
    else:
        yield progress


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Text()
    return _Tqdm(tqdm)


class _Tqdm:
    """A bar of tqdm, begun anew with each phase."""

    def __init__(self, tqdm):
        self.make, self.bar, self.phase = tqdm, None, None

    def __call__(self, phase, share):
        if phase != self.phase:
            self.close()
            self.phase, self.bar = phase, self.make(total=100, desc=phase, unit="%", leave=False, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}")
        self.bar.update(max(0, int(100 * share) - self.bar.n))

    def close(self):
        if self.bar is not None:
            self.bar.close()


class _Text:
    """A line on the standard error that is written over: a phase, and how much of it is done."""

    def __init__(self):
        self.width = 0

    def __call__(self, phase, share):
        text = f"{phase}: {100 * share:3.0f} %"
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self):
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
