"""Progress bars: tqdm's if it is installed, otherwise a line of text; and scikit-learn's callbacks in versions that have them."""

import contextlib
import sys


def check(progress):
    """Refuses an invalid progress argument before the work begins, since a short task never uses it."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ValueError(f"progress is {progress!r}; give True, or what is called with a phase and its share")


@contextlib.contextmanager
def following(progress):
    """Yields the function that is called with a phase and its share: a bar for True, None for False and None, otherwise progress itself."""
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


def of_fit(estimator, call):
    """Returns call(progress) with the progress of an estimator's fit: its parameter progress, and its callbacks."""
    check(estimator.progress)
    if not getattr(estimator, "_skl_callbacks", None):  # scikit-learn 1.9 and later
        return call(estimator.progress)
    from sklearn.callback import with_callbacks

    return with_callbacks(_with_tasks)(estimator, call)


def _with_tasks(estimator, call):
    root = estimator._init_callback_context(max_subtasks=None).call_on_fit_task_begin(estimator=estimator)
    tasks = _Tasks(estimator, root)
    with following(estimator.progress) as told:

        def both(phase, share):
            tasks(phase, share)
            if told is not None:
                told(phase, share)

        result = call(both)
    tasks.close()
    root.call_on_fit_task_end(estimator=estimator)
    return result


class _Tasks:
    """Reports a fit to scikit-learn's callbacks: each phase is a task of a hundred subtasks, one for each per cent."""

    def __init__(self, estimator, root):
        self.estimator, self.root, self.phase, self.done = estimator, root, None, 0

    def __call__(self, phase, share):
        if self.phase is None or phase != self.phase.task_name:
            self.close()
            self.phase, self.done = self.root.subcontext(task_name=phase, max_subtasks=100).call_on_fit_task_begin(estimator=self.estimator), 0
        self.advance(min(int(100 * share), 100))

    def advance(self, to):
        while self.done < to:
            self.phase.subcontext(task_name="1 %").call_on_fit_task_begin(estimator=self.estimator).call_on_fit_task_end(estimator=self.estimator)
            self.done += 1

    def close(self):
        if self.phase is not None:
            self.advance(100)
            self.phase.call_on_fit_task_end(estimator=self.estimator)


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Text()
    return _Tqdm(tqdm)


class _Tqdm:
    """A bar of tqdm, restarted with each phase."""

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
    """A line on standard error that is overwritten: a phase, and how much of it is done."""

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
