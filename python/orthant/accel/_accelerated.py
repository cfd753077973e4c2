"""What the accelerated classes have in common: they stand for a class of scikit-learn, and are stored as one."""

import copyreg
import sys


class Accelerated:
    """Mixed in before a class of scikit-learn, whose public name it then has.

    An attribute that takes long to make and that few read (``nbrs_``) is made when it is first read; _accel_lazy names these.
    """

    _accel_lazy = ()
    _accel_hidden = ()  # of the instance's attributes, those that a plain scikit-learn class has no use for

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        base = cls.__mro__[cls.__mro__.index(Accelerated) + 1]
        cls._accel_stands_for = base
        # The public name, by which a pickle finds this class where it is patched in, and scikit-learn's elsewhere.
        cls.__module__ = base.__module__.rpartition("._")[0]
        cls.__qualname__ = cls.__name__ = base.__name__
        cls.__doc__ = base.__doc__

    def _accel_forget(self):
        """Drops the lazy attributes of an earlier fit."""
        for name in (*self._accel_lazy, *self._accel_hidden):
            self.__dict__.pop(name, None)

    def __getstate__(self):
        for name in self._accel_lazy:
            getattr(self, name, None)  # into the instance, for a plain class cannot make it later
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._accel_hidden}

    def __reduce_ex__(self, protocol):
        # A pickle loads without orthant: what it names is scikit-learn's class, or the public name that patch() has put this class under.
        cls = type(self)
        patched = getattr(sys.modules.get(cls.__module__), cls.__name__, None) is cls
        return copyreg._reconstructor, (cls if patched else cls._accel_stands_for, object, None), self.__getstate__()
