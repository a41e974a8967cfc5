"""The tree of hookd's errors.

HookdError
├── UsageError          the command line was used in a way that cannot work
├── ConfigError         a config file cannot be used as written
├── PatternError        a pattern in a file of a person's cannot be used
├── RuleError           a file of rules cannot be used as written
├── OverBudgetError     what a stranger wrote takes more to read than an event may wait for
├── IdentityError       a checkout cannot be told to belong to a repository
├── TrustError          a grant was asked for where no person can give it
├── SettingsError       an agent's settings file cannot be edited safely
├── RuntimeFolderError  the folder for sockets is not safely ours
├── DaemonError         the daemon cannot be started or reached
├── WireError           a message on the socket breaks the framing
├── RunFolderError      the run folder would not be inside the project
├── EventError          an agent sent something that is no event
├── ExecError           a program that a hook names cannot be started
├── KeptError           what a hook keeps cannot be read or written
├── ModelError          a language model could not be asked, or gave no usable answer
├── HookFileError       a hook file cannot be used as written
├── HaltedError         a hook ended an agent's work
├── PromptBlockedError  a hook refused a prompt
├── ToolBlockedError    a hook refused a tool call
├── ToolFailedError     a hook made a failure of a tool's result
└── StoreError          the database cannot be opened or migrated
    ├── DamagedStoreError   the database's file is not what SQLite wrote
    ├── UpgradingStoreError a migration in steps has begun and is not through
    └── StatementError      the database did not take a statement

The docstring of a class is its default message.
"""


class HookdError(Exception):
    """hookd could not do this."""

    exit_code = 1

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        super().__init__(message or self.__doc__)
        self.hint = hint


class UsageError(HookdError):
    """The command was used in a way that cannot work."""

    exit_code = 2


class ConfigError(HookdError):
    """A config file cannot be used as written."""


class PatternError(HookdError):
    """A pattern cannot be used as written."""


class RuleError(HookdError):
    """A file of rules cannot be used as written."""


class OverBudgetError(HookdError):
    """This takes more to read than an event may wait for."""


class IdentityError(HookdError):
    """The checkout stands alone."""


class TrustError(HookdError):
    """This grant needs a person at a terminal."""


class SettingsError(HookdError):
    """The agent's settings file cannot be edited safely."""


class RuntimeFolderError(HookdError):
    """The folder for sockets is not safely ours."""


class DaemonError(HookdError):
    """The daemon cannot be started or reached."""


class WireError(HookdError):
    """A message on the socket breaks the framing."""


class StoreError(HookdError):
    """The database cannot be opened."""


class DamagedStoreError(StoreError):
    """The database is damaged."""


class UpgradingStoreError(StoreError):
    """The store is being brought up to date."""

    progress = 0.0
    """How far that is, from 0 to 1."""


class StatementError(StoreError):
    """The database did not take a statement."""


class RunFolderError(HookdError):
    """The run folder would not be inside the project."""


class EventError(HookdError):
    """The agent sent something that is no JSON object."""


class ExecError(HookdError):
    """The program cannot be started."""


class KeptError(HookdError):
    """What a hook keeps cannot be read or written."""


class ModelError(HookdError):
    """The language model gave no answer."""


class HookFileError(HookdError):
    """The hook file cannot be used as written."""


class HaltedError(HookdError):
    """A hook ended the work here."""


class PromptBlockedError(HookdError):
    """A hook refused this prompt."""


class ToolBlockedError(HookdError):
    """A hook refused this tool call."""


class ToolFailedError(HookdError):
    """A hook made a failure of this tool's result."""
