"""System call numbers of the two supported machines, by what may use them.

Each entry reads: name, number on x86_64, number on aarch64 (`-` where that machine has no such call).
"""

from __future__ import annotations

_CANDIDATE = """
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69, pwritev 296 70,
preadv2 327 286, pwritev2 328 287, lseek 8 62, close 3 57, close_range 436 436, dup 32 23, dup2 33 -,
dup3 292 24, pipe 22 -, pipe2 293 59, open 2 -, openat 257 56, fstat 5 80, newfstatat 262 79, stat 4 -,
lstat 6 -, statx 332 291, statfs 137 43, fstatfs 138 44, access 21 -, faccessat 269 48, faccessat2 439 439,
readlink 89 -, readlinkat 267 78, getdents 78 -, getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50,
mkdir 83 -, mkdirat 258 34, rmdir 84 -, unlink 87 -, unlinkat 263 35, rename 82 -, renameat 264 38,
renameat2 316 276, symlink 88 -, symlinkat 266 36, link 86 -, linkat 265 37, truncate 76 45, ftruncate 77 46,
fsync 74 82, fdatasync 75 83, fadvise64 221 223, copy_file_range 326 285, sendfile 40 71, 
flock 73 32, umask 95 166, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -,
epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441,
eventfd2 290 19, socketpair 53 199, shutdown 48 210, recvfrom 45 207, recvmsg 47 212, getsockopt 55 209,
setsockopt 54 208, getsockname 51 204, getpeername 52 205, mmap 9 222, munmap 11 215, mremap 25 216,
mprotect 10 226, madvise 28 233, brk 12 214, msync 26 227, rt_sigaction 13 134, rt_sigprocmask 14 135,
rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132,
pause 34 -, alarm 37 -, setitimer 38 103, getitimer 36 102, futex 202 98, set_robust_list 273 99,
get_robust_list 274 100, rseq 334 293, set_tid_address 218 96, membarrier 324 283, restart_syscall 219 128,
sched_yield 24 124, sched_getaffinity 204 123, sched_getparam 143 121, sched_getscheduler 145 120,
sched_get_priority_max 146 125, sched_get_priority_min 147 126, getcpu 309 168, nanosleep 35 101,
clock_nanosleep 230 115, clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169, time 201 -,
times 100 153, getrusage 98 165, sysinfo 99 179, uname 63 160, getrandom 318 278, getpid 39 172,
getppid 110 173, gettid 186 178, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177,
getgroups 115 158, getpgrp 111 -, getpgid 121 155, getsid 124 156, getresuid 118 148, getresgid 120 150,
getpriority 140 141, getrlimit 97 163, setrlimit 160 164, exit 60 93, exit_group 231 94, wait4 61 260,
waitid 247 95
"""

_CONDITIONAL = """
clone 56 220, kill 62 129, tgkill 234 131, ioctl 16 29, prlimit64 302 261, sendto 44 206, fcntl 72 25
"""

_ZYGOTE = """
prctl 157 167, seccomp 317 277, sendmsg 46 211, memfd_create 319 279, pidfd_open 434 434,
pidfd_send_signal 424 424
"""

_WITH_ENOSYS = """
clone3 435 435
"""

MACHINES = ("x86_64", "aarch64")


def _numbers(table: str, machine: str) -> dict[str, int]:
    column = 1 + MACHINES.index(machine)
    entries = (entry.split() for entry in table.replace("\n", " ").split(","))
    return {entry[0]: int(entry[column]) for entry in entries if entry[column] != "-"}


def candidate(machine: str) -> dict[str, int]:
    """Calls that a candidate may make with any arguments."""
    return _numbers(_CANDIDATE, machine)


def conditional(machine: str) -> dict[str, int]:
    """Calls that a candidate may make with some arguments only."""
    return _numbers(_CONDITIONAL, machine)


def zygote(machine: str) -> dict[str, int]:
    """Calls that the zygote needs to start and end candidates, denied to candidates."""
    return _numbers(_ZYGOTE, machine)


def missing(machine: str) -> dict[str, int]:
    """Calls answered with ENOSYS, so that the C library falls back to one that can be inspected."""
    return _numbers(_WITH_ENOSYS, machine)
