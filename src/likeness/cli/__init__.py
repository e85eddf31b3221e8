"""The command line, ``likeness COMMAND``.

One command a file, named for it, imported when it is asked for; files that begin with ``_`` are what commands share.
Messages go to stderr, what was asked for to stdout.

====  ==========================================================================================
exit  meaning
====  ==========================================================================================
0     done, and verified
1     a verification or a threshold failed
2     invalid whatever the data: usage, policy, unreadable or malformed input, parameter out of range;
      or what cannot be read or written, or takes more memory than there is
3     valid, but this table cannot meet it; the message says what would make it possible
4     nothing was found wrong, but from these files nothing could be checked (``verify``)
70    a defect of likeness itself; ``--traceback`` (or LIKENESS_TRACEBACK=1) shows where
129   hung up (SIGHUP)
130   interrupted
141   what read stdout closed it
143   terminated (SIGTERM)
====  ==========================================================================================
"""

from __future__ import annotations

from likeness.cli._app import COMMANDS, main

__all__ = ["COMMANDS", "main"]
