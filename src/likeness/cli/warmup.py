"""``likeness warmup``: compile what is compiled once."""

from likeness.cli._command import command as as_command
from likeness.cli._console import console
from likeness.wording import count


def warmup() -> None:
    """Compile the kernels, so that the first run on this machine is as fast as every other.

    They are kept on disk until likeness is upgraded or the kind of processor changes; NUMBA_CACHE_DIR says where, beside
    the installed package when it is not set.

    Examples
    --------
    likeness warmup
    """
    import pkgutil
    from importlib import import_module
    from time import perf_counter

    from likeness import kernels
    from likeness.cli._warming import small_releases

    names = [found.name for found in pkgutil.iter_modules(kernels.__path__)]
    begin = perf_counter()
    with console.progress() as progress:
        for done, name in enumerate(names):
            progress.step("compiling the kernels", done, len(names))
            import_module(f"likeness.kernels.{name}")
        for name in small_releases():
            progress.step(f"compiling the kernels: {name}", 0, 1)
    console.say(f"kernels are ready: {count(len(names), 'file')} ({perf_counter() - begin:.1f} s)")


command = as_command(warmup)
