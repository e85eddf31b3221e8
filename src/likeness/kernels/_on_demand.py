"""Kernels that are compiled when they are asked for, and what only other kernels call no more than once.

numba compiles a function of a declared signature when its module is imported, and gives what a kernel calls machine code
and ways in from Python and C, though the code is compiled once more into each caller: most of what a first run would wait
for. Here a kernel is compiled when it is first called from Python or taken as a function pointer; what it calls is typed and
translated into LLVM's language, then optimized and made machine code as part of it alone.
"""

from __future__ import annotations

from functools import cache as remembered
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typing.templates import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable

_Dispatcher: Any = CPUDispatcher
_Library: Any = JITCodeLibrary


class _OnDemand(_Dispatcher):  # type: ignore[misc]  # numba has no types
    """Compiles declared signatures, where there are any, and no others, when they are first needed."""

    declared: tuple[Signature, ...] = ()

    def compile(self, sig: Any) -> Any:
        """Compile what is asked for; where signatures are declared, the one that it is, or all of them."""
        if not self.declared:
            return super().compile(sig)
        with global_compiler_lock:
            if self._can_compile:
                args, _ = normalize_signature(sig)
                exact = [one for one in self.declared if tuple(one.args) == tuple(args)]
                for one in exact or self.declared:
                    super().compile(one)
                if len(self.overloads) == len(self.declared):
                    self.disable_compile()
        return self


class _Linked(_Library):  # type: ignore[misc]
    """Code that is only ever linked into that of callers: neither optimized as a whole nor made machine code."""

    def finalize(self) -> None:
        """Take in what it calls, and no more."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)  # noqa: SLF001
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)  # noqa: SLF001
        self._finalize_dynamic_globals()
        self._finalized = True


class _ForCallers(Compiler):
    """Numba's pipeline up to code in LLVM's language."""

    def define_pipelines(self) -> Any:
        """Define the passes on a library that is only linked."""
        state = self.state
        state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        return super().define_pipelines()


class _Callee(_OnDemand):
    """A function as other kernels call it."""

    def add_overload(self, cres: Any) -> None:
        """Make it known to compilations, under a key as there is no entry point."""
        args = tuple(cres.signature.args)
        self.overloads[args] = cres
        self.targetctx.insert_user_function((self, args), cres.fndesc, [cres.library])

    def get_overload(self, sig: Any) -> Any:
        """Give the key under which compilations know it."""
        args = sig.args if isinstance(sig, Signature) else sig
        if tuple(args) not in self.overloads:
            raise KeyError(args)
        return self, tuple(args)


class Kernel(_OnDemand):
    """A function as Python calls it; kernels that call it are given it as `_Callee`."""

    _made: Any = None

    @property
    def _callee(self) -> Any:
        """What stands for it in other kernels, made when the first is compiled."""
        if self._made is None:
            options = {**self.targetoptions, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
            self._made = _Callee(self.py_func, self.locals, options, pipeline_class=_ForCallers)
            self._made.declared = self.declared
        return self._made

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compile when it is first called; where a signature is declared, the call is then tried anew."""
        if not self.declared:
            return super()._compile_for_args(*args, **kws)
        self._compilation_chain_init_hook()
        return self.compile(tuple(self.typeof_pyval(one) for one in args))

    def add_overload(self, cres: Any) -> None:
        """Tell the functions that are compiled into it where their environments are, and remember where its code is."""
        for environment in cres._find_referenced_environments():  # noqa: SLF001
            cres.library.codegen.set_env(environment.env_name, environment)
        cres.library.get_pointer_to_function = remembered(cres.library.get_pointer_to_function)
        super().add_overload(cres)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call from a kernel."""
        return self._callee.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Find what a kernel calls."""
        return self._callee.get_overload(sig)

    def get_compile_result(self, sig: Any) -> Any:
        """Find what is compiled for a signature; of the only one at once: a search is handed twelve class tests at every call."""
        if len(self.declared) == 1 and len(self.overloads) == 1:
            return next(iter(self.overloads.values()))
        return super().get_compile_result(sig)

    @property
    def is_compiling(self) -> Any:
        """Whether it is being compiled: a kernel may call itself."""
        return self._compiling_counter or self._callee.is_compiling


def njit(signature: Any = None, /, *, cache: bool = False, allocates: bool = True, **options: Any) -> Any:
    """Compile a function by numba, as `numba.njit` does, but when it is first needed.

    With a signature, or a list of them, the function is compiled for no other; without one, for the types of each call.
    One that makes no array (``allocates``) need not count who holds those it is given, as `borrowed` says.
    """
    options["_nrt"] = allocates
    if isinstance(signature, FunctionType):
        return _kernel(signature, (), cache, options)
    declared = (
        () if signature is None else (signature,) if isinstance(signature, Signature) else tuple(signature)
    )

    def decorate(function: FunctionType) -> Kernel:
        return _kernel(function, declared, cache, options)

    return decorate


def _kernel(
    function: FunctionType, declared: tuple[Signature, ...], cache: bool, options: dict[str, Any]
) -> Kernel:
    """Make a kernel."""
    given = {"nopython": True, "boundscheck": None, **options}
    kernel = Kernel(function, targetoptions=given, pipeline_class=Compiler)
    kernel.declared = declared
    if cache:
        kernel.enable_caching()
    return kernel


def compile_called(module: str, modules: Iterable[str]) -> None:
    """Compile the kernels of a module whose signatures are declared and that no kernel of any of the modules calls."""
    known = [
        one
        for name in modules
        for one in vars(import_module(name)).values()
        if isinstance(one, Kernel) and one.py_func.__module__ == name
    ]
    called = {
        id(one.py_func.__globals__.get(name)) for one in known for name in one.py_func.__code__.co_names
    }
    for one in known:
        if one.py_func.__module__ == module and id(one) not in called:
            for signature in one.declared:
                one.compile(signature)
