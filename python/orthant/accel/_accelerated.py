"""The common base of the accelerated classes: each replaces a class of scikit-learn or another library, and is pickled as one."""

import copyreg
import importlib.util
import operator
import pkgutil
from abc import ABCMeta

import numpy as np
import sklearn

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))


class Lazy:
    """An attribute that is computed when it is first read after a fit of the engine, and kept in the instance's _accel_fitted.

    A fit of scikit-learn's own code, and a pickle, store the attribute itself in the instance, which then takes precedence. Reading it does
    not change the instance's own attributes.
    """

    def __init__(self, make):
        self.make, self.__doc__ = make, make.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        fitted = instance.__dict__.get("_accel_fitted")
        if fitted is None:
            raise AttributeError(f"{type(instance).__name__!r} object has no attribute {self.name!r}")
        if self.name not in fitted:
            fitted[self.name] = self.make(instance, fitted)
        return fitted[self.name]


_BY_TYPE = {np.ndarray, np.random.RandomState}  # for which scikit-learn's check of parameters only looks at the type
_PLAIN = {int, float, bool, str, type(None)} | _BY_TYPE
_MOST = 1000  # the number of remembered values of parameters
_passed = set()


class _Kind(ABCMeta):
    """The metaclass of the accelerated classes, with which pickle writes them."""


class _Found:
    """The value that a function returns when a pickle is loaded."""

    def __init__(self, function, *arguments):
        self.found = function, arguments

    def __reduce__(self):
        return self.found


def _written(cls):
    """Writes a class into a pickle: the accelerated one if the pickle is loaded with orthant, also in a worker, otherwise scikit-learn's.

    The choice uses only functions of Python's library.
    """
    if Accelerated not in cls.__bases__:
        return cls.__qualname__  # a user's class
    function, *arguments = _named(cls)
    return function, tuple(arguments)


def _named(cls):
    there = _Found(operator.is_not, _Found(importlib.util.find_spec, "orthant"), None)
    names = [f"{cls.__module__}:{cls.__name__}", f"{cls._accel_here}:{cls.__name__}"]
    return pkgutil.resolve_name, _Found(operator.getitem, names, there)


copyreg.pickle(_Kind, _written)


class Accelerated(metaclass=_Kind):
    """Mixin before a class of scikit-learn or another library, whose public name it then has.

    A fit of the engine keeps its data in the instance's dictionary _accel_fitted, which a plain class does not use.
    """

    _accel_lazy = ()  # the attributes that are Lazy
    _accel_library = "scikit-learn"
    _accel_public = None  # the module from which users import the class; None: the module without its private part
    _accel_here = "orthant.accel"  # the same here

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        if Accelerated not in cls.__bases__:
            return  # a user's class, derived from one of these
        base = cls.__mro__[cls.__mro__.index(Accelerated) + 1]
        cls._accel_stands_for = base
        # The public name: a program sees the class that it imported.
        cls.__module__ = cls._accel_public or base.__module__.rpartition("._")[0]
        cls.__qualname__ = cls.__name__ = base.__name__
        cls.__doc__ = base.__doc__

    def _validate_params(self):
        # Values that have passed are remembered: scikit-learn's check takes as long as a small fit.
        cls = type(self)
        names = cls.__dict__.get("_accel_names")
        if names is None:
            names = cls._accel_names = tuple(cls._get_param_names())
        values = [getattr(self, name) for name in names]
        types = tuple(map(type, values))
        values = tuple([None if kind in _BY_TYPE else value for kind, value in zip(types, values)])
        if not _PLAIN.issuperset(types):
            super()._validate_params()
        elif (cls, types, values) not in _passed:
            super()._validate_params()
            if len(_passed) >= _MOST:
                _passed.clear()
            _passed.add((cls, types, values))

    def _accel_forget(self):
        """Drops the data of an earlier fit."""
        for name in (*self._accel_lazy, "_accel_fitted"):
            self.__dict__.pop(name, None)

    def __getstate__(self):
        # Includes the lazy attributes, since a plain class cannot make them later.
        lazy = {name: getattr(self, name) for name in self._accel_lazy if hasattr(self, name)}
        return {name: value for name, value in {**super().__getstate__(), **lazy}.items() if name != "_accel_fitted"}

    def __reduce_ex__(self, protocol):
        cls = type(self)
        if Accelerated in cls.__bases__:
            cls = _Found(*_named(cls))  # not the class itself: cloudpickle would copy a class that is not patched in, with all its code
        return copyreg._reconstructor, (cls, object, None), self.__getstate__()

    def __copy__(self):
        twin = type(self).__new__(type(self))
        twin.__setstate__(self.__getstate__())
        return twin
