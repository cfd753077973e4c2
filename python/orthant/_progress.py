"""Progress bars: tqdm's where that is installed, else a line of text, and callbacks of scikit-learn where it has them."""

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


def of_fit(estimator, call):
    """Returns call(progress) with the progress of an estimator's fit: its parameter of that name, and the callbacks that it has been given."""
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
    """Tells callbacks of scikit-learn of a fit: each phase is a task of a hundred, and each per cent one of these."""

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
