"""Import hooks: what happens when a program imports a library whose classes are replaced, or one that is not installed."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the expected modules as the other finders do, and acts after they are loaded."""

    def __init__(self):
        self.expected = {}  # by module: (names, what to call with them, whether to provide the module)
        self.finding = set()

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self.expected or fullname in self.finding or _making(fullname):
            return None
        self.finding.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self.finding.discard(fullname)
        names, then, provide = self.expected[fullname]
        if spec is None:
            return importlib.machinery.ModuleSpec(fullname, _Provider(self), is_package=True) if provide else None
        spec.loader = _Loader(spec.loader, lambda: then(self.expected.pop(fullname)[0]) if fullname in self.expected else None)
        return spec


class _Loader(importlib.abc.Loader):
    """Loads a module with its own loader, and then calls a function."""

    def __init__(self, loader, then):
        self.loader, self.then = loader, then

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.then()

    def __getattr__(self, name):
        return getattr(self.loader, name)


class _Provider(importlib.abc.Loader):
    """Makes the module of a library that is not installed from the module of the same name here."""

    def __init__(self, finder):
        self.finder = finder

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        here = self.without(name)
        module.__doc__, module.__version__ = f"{name} by orthant.accel, since {name} itself is not installed.", here.PROVIDES
        for inner, names in here.PROVIDED.items():
            to = module
            if inner != name:
                to = importlib.util.module_from_spec(importlib.machinery.ModuleSpec(inner, None))
                sys.modules[inner] = to
                setattr(module, inner.rpartition(".")[2], to)
            for given in names:
                setattr(to, given, getattr(here, given))
        self.finder.expected.pop(name, None)

    def without(self, name):
        """Returns the module here, which finds that the library is not there."""
        module = sys.modules.pop(name)
        self.finder.finding.add(name)
        try:
            return importlib.import_module(f"orthant.accel.{name}")
        finally:
            self.finder.finding.discard(name)
            sys.modules[name] = module


def _making(library):
    """Reports whether the module here of that name is being imported, which looks for the library itself."""
    here = sys.modules.get(f"orthant.accel.{library}")
    return here is not None and getattr(here.__spec__, "_initializing", False)


def made(library):
    """Acts on a library that the module here has imported; the module calls it at its end."""
    if library in _finder.expected and library in sys.modules:
        names, then, _ = _finder.expected.pop(library)
        then(names)


_finder = _Finder()


def expect(module, names, then, provide):
    """Calls then(names) as soon as a program has imported the module. provide: makes the module if it is not installed."""
    known = _finder.expected.get(module, ([], None, False))
    _finder.expected[module] = (list(dict.fromkeys([*known[0], *names])), then, provide or known[2])
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def forget(names):
    """No longer waits for the modules of these names."""
    for module, (expected, then, provide) in list(_finder.expected.items()):
        left = [name for name in expected if name not in names]
        if left:
            _finder.expected[module] = (left, then, provide)
        else:
            del _finder.expected[module]
    if not _finder.expected and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
