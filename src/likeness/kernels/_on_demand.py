"""Kernels that are compiled when they are asked for, and what only other kernels call no more than once.

numba compiles a function of a declared signature when its module is imported, and gives what a kernel calls machine code
and ways in from Python and C, though the code is compiled once more into each caller: most of what a first run would wait
for. Here a kernel is compiled when it is first called from Python or taken as a function pointer; what it calls is typed and
translated into LLVM's language, then optimized and made machine code as part of it alone. What Python calls is only the way in:
it hands what it is given to the kernel itself.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache as remembered
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typing.templates import Signature

from likeness.kernels._by_reference import ByReference, referenced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_Dispatcher: Any = CPUDispatcher
_Library: Any = JITCodeLibrary


_typed: dict[tuple[Any, Any], Signature] = {}
"""What calls of numba's own functions are typed as, by function and arguments."""


@contextmanager
def _remembering(context: Any) -> Iterator[None]:
    """Type calls of numba's own functions once: at every ``+`` it asks each of a dozen definitions anew.

    Those that are compiled for what they are given are left alone.
    """
    if "resolve_function_type" in vars(context):
        yield
        return
    resolve = context.resolve_function_type

    def known(function: Any, args: Any, kws: Any) -> Any:
        kind = function if isinstance(function, types.Type) else context._lookup_global(function)  # noqa: SLF001
        if kws or not isinstance(kind, types.Function):
            return resolve(function, args, kws)
        found = _typed.get((kind, args))
        if found is None:
            found = resolve(function, args, kws)
            if found is not None and kind.get_impl_key(found) is kind.typing_key:
                _typed[kind, args] = found
        return found

    context.resolve_function_type = known
    try:
        yield
    finally:
        del context.resolve_function_type


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


class _Late(_Library):  # type: ignore[misc]
    """Code that is not optimized before all that is called is there."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave them as they are."""
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001


class _Linked(_Late):
    """Code that is only ever linked into that of callers: neither optimized nor made machine code before."""

    def finalize(self) -> None:
        """Leave what it calls to callers, too."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True


class _Complete(_Late):
    """Code of a kernel and of all that it calls, directly or not, optimized at once."""

    _linking_libraries: list[Any]

    def _optimize_final_module(self) -> None:
        """Optimize all; what nobody else can call need not be kept as it is called."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        # Higher levels take longer and make no search faster.
        passes, builder = self._codegen._module_pass_manager(opt=1)  # noqa: SLF001
        with self._recorded_timings.record("Module passes (full optimization)", builder):
            passes.run(self._final_module, builder)

    def finalize(self) -> None:
        """Take in what is called, and what that calls."""
        reached: dict[Any, None] = dict.fromkeys(self._linking_libraries)
        ahead = list(reached)
        while ahead:
            called = ahead.pop()
            if isinstance(called, _Linked):
                new = [one for one in called._linking_libraries if one not in reached]  # noqa: SLF001
                reached.update(dict.fromkeys(new))
                ahead += new
        self._linking_libraries = list(reached)
        super().finalize()


class _Compiler(Compiler):
    """Numba's pipeline for what Python calls."""

    def define_pipelines(self) -> Any:
        """Define the passes on a library of all the code."""
        state = self.state
        state.library = _Complete(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


class _ForCallers(Compiler):
    """Numba's pipeline up to code in LLVM's language."""

    def define_pipelines(self) -> Any:
        """Define the passes on a library that is only linked."""
        state = self.state
        state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        return super().define_pipelines()


class _Callee(_OnDemand):
    """A function as other kernels call it: named tuples are handed to it by reference."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call."""
        _, args = self._compiler.fold_argument_types(args, kws)
        return super().get_call_template(tuple(referenced(one) for one in args), {})

    def add_overload(self, cres: Any) -> None:
        """Make it known to compilations, under a key as there is no entry point."""
        args = tuple(cres.signature.args)
        if isinstance(cres.signature.return_type, ByReference):
            raise TypeError(
                f"{self.py_func.__qualname__} gives back a tuple that it was handed: it may be gone by then"
            )
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
            self._made.declared = tuple(
                one.replace(args=tuple(referenced(kind) for kind in one.args)) for one in self.declared
            )
        return self._made

    def compile(self, sig: Any) -> Any:
        """Compile the way in, and what it hands on to."""
        if self._compiler.py_func is self.py_func:
            self._compiler.py_func = _entry(self.py_func, self._callee)
        with global_compiler_lock, _remembering(self.typingctx):
            return super().compile(sig)

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
    kernel = Kernel(function, targetoptions=given, pipeline_class=_Compiler)
    kernel.declared = declared
    if cache:
        kernel.enable_caching()
    return kernel


def _entry(function: FunctionType, callee: _Callee) -> FunctionType:
    """Make the way in from Python: it only hands on what it is given."""
    names = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
    space: dict[str, Any] = {"__name__": function.__module__, "callee": callee}
    exec(f"def entry({names}): return callee({names})", space)  # noqa: S102
    entry: FunctionType = space["entry"]
    entry.__name__, entry.__qualname__, entry.__defaults__ = (
        function.__name__,
        function.__qualname__,
        function.__defaults__,
    )
    return entry


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
