"""The processes of one move as a job object of Windows: counted, limited and ended together.

Every process that the program starts belongs to the job, which cannot be left. The job ends with its last handle: if
the referee is killed, so is the program.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from ctypes import byref, c_int64, c_size_t, c_uint32, c_uint64, c_void_p, sizeof
from typing import IO, Any, Final

CPU_SOURCE: Final = "job object"

_CREATE_SUSPENDED: Final = 0x4
_CREATE_NEW_PROCESS_GROUP: Final = 0x200
_CREATE_NO_WINDOW: Final = 0x08000000

_ACCOUNTING, _UI_RESTRICTIONS, _EXTENDED_LIMITS = 1, 4, 9
_LIMIT_ACTIVE_PROCESSES, _LIMIT_JOB_MEMORY, _LIMIT_NO_CRASH_DIALOG, _LIMIT_KILL_ON_CLOSE = 0x8, 0x200, 0x400, 0x2000
_NO_DESKTOP: Final = 0xFF
"""No clipboard, no windows of others, no system settings, no logging off."""
_UNITS_PER_SECOND: Final = 10_000_000


class Accounting(ctypes.Structure):
    """JOBOBJECT_BASIC_ACCOUNTING_INFORMATION."""

    _fields_ = [
        ("total_user_time", c_int64),
        ("total_kernel_time", c_int64),
        ("this_period_user_time", c_int64),
        ("this_period_kernel_time", c_int64),
        ("total_page_faults", c_uint32),
        ("total_processes", c_uint32),
        ("active_processes", c_uint32),
        ("total_terminated", c_uint32),
    ]


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, with its two inner structures in place."""

    _fields_ = [
        ("process_time_limit", c_int64),
        ("job_time_limit", c_int64),
        ("flags", c_uint32),
        ("minimum_working_set", c_size_t),
        ("maximum_working_set", c_size_t),
        ("active_processes", c_uint32),
        ("affinity", c_size_t),
        ("priority_class", c_uint32),
        ("scheduling_class", c_uint32),
        ("io_counters", c_uint64 * 6),
        ("process_memory", c_size_t),
        ("job_memory", c_size_t),
        ("peak_process_memory", c_size_t),
        ("peak_job_memory", c_size_t),
    ]


class JobObject:
    """A running program and everything that it starts. Raises OSError if it cannot be started."""

    def __init__(
        self, argv: Sequence[str], *, directory: str, environment: Mapping[str, str], processes: int, memory: int
    ) -> None:
        self._kernel = _library("kernel32")
        self._kernel.CreateJobObjectW.restype = c_void_p
        self._job = c_void_p(self._checked(self._kernel.CreateJobObjectW(None, None)))
        try:
            self._limit(processes, memory)
            self.process = subprocess.Popen(
                argv,
                cwd=directory,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                creationflags=_CREATE_SUSPENDED | _CREATE_NEW_PROCESS_GROUP | _CREATE_NO_WINDOW,
            )
            self._let_it_run()
        except BaseException:
            self.close()
            raise

    def _limit(self, processes: int, memory: int) -> None:
        limits = ExtendedLimits(
            flags=_LIMIT_ACTIVE_PROCESSES | _LIMIT_JOB_MEMORY | _LIMIT_NO_CRASH_DIALOG | _LIMIT_KILL_ON_CLOSE,
            active_processes=processes,
            job_memory=2 * memory,  # the referee looks at the limit itself, and says so in words
        )
        self._set(_EXTENDED_LIMITS, limits)
        self._kernel.SetInformationJobObject(self._job, _UI_RESTRICTIONS, byref(c_uint32(_NO_DESKTOP)), 4)

    def _let_it_run(self) -> None:
        """Put the program into the job before its first instruction."""
        handle = c_void_p(int(self.process._handle))  # type: ignore[attr-defined]
        try:
            self._checked(self._kernel.AssignProcessToJobObject(self._job, handle))
        except OSError:
            self.process.kill()
            raise
        _library("ntdll").NtResumeProcess(handle)

    @property
    def errors(self) -> IO[bytes]:
        assert self.process.stderr is not None
        return self.process.stderr

    def cpu_seconds(self) -> float:
        found = self._get(_ACCOUNTING, Accounting())
        return float(found.total_user_time + found.total_kernel_time) / _UNITS_PER_SECOND

    def memory(self) -> int:
        """The most bytes that were committed at once."""
        return int(self._get(_EXTENDED_LIMITS, ExtendedLimits()).peak_job_memory)

    def kill(self) -> None:
        self._kernel.TerminateJobObject(self._job, 1)

    def close(self) -> None:
        """End what still runs."""
        self._kernel.CloseHandle(self._job)

    def _set(self, kind: int, information: ctypes.Structure) -> None:
        size = sizeof(information)
        self._checked(self._kernel.SetInformationJobObject(self._job, kind, byref(information), size))

    def _get(self, kind: int, information: Any) -> Any:
        size = sizeof(information)
        self._checked(self._kernel.QueryInformationJobObject(self._job, kind, byref(information), size, None))
        return information

    def _checked(self, result: int | None) -> int:
        if not result:
            code = self._kernel.GetLastError()
            raise OSError(0, f"a job object cannot be used: error {code}")
        return result


def _library(name: str) -> Any:
    return getattr(ctypes, "WinDLL")(name)  # noqa: B009 - other systems do not have it
