// The daemon of the project: started by one client of many, and ended if it hangs.

#ifndef HOOKD_DAEMON_H
#define HOOKD_DAEMON_H

#include <dirent.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "state.h"

// Says who holds the lock from the very start: a daemon that hangs before it has a socket can then be ended.
static void note_pid(void)
{
    char path[SOCKET_PATH_LIMIT], text[24], *at = text + sizeof text;
    *--at = '\n';
    for (long pid = getpid(); pid; pid /= 10)
        *--at = (char)('0' + pid % 10);
    runtime_file(&project, ".pid", path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    size_t length = (size_t)(text + sizeof text - at);
    if (fd >= 0 && write(fd, at, length) != (ssize_t)length)
        unlink(path);
}

// The process that holds the lock, by its own word; 0 if it has not said so yet.
static pid_t noted_pid(void)
{
    char path[SOCKET_PATH_LIMIT], text[32] = "";
    runtime_file(&project, ".pid", path);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 && text[n - 1] == '\n' ? (pid_t)atol(text) : 0;
}

// A daemon this young may just be busy with its start.
static bool is_young(void)
{
    char path[SOCKET_PATH_LIMIT];
    struct stat found;
    runtime_file(&project, ".pid", path);
    return lstat(path, &found) == 0 && time(NULL) - found.st_mtime < YOUNG_SECONDS;
}

// Leaves everything of the agent's session behind, then becomes the daemon with its lock as descriptor 3.
static void become_daemon(int lock)
{
    char log[SOCKET_PATH_LIMIT];
    char *envp[COUNT(DAEMON_VARIABLES) + 1];
    size_t n = 0;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    umask(077);
    if (lock == 3)
        fcntl(lock, F_SETFD, 0);
    else if (dup2(lock, 3) < 0)
        return;
    note_pid();
    runtime_file(&project, ".log", log);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(errors < 0 ? null : errors, 2) < 0 || chdir("/") < 0)
        return;
    // The agent may have leaked descriptors to us; one that lives on in the daemon could hang it.
    DIR *open_ones = opendir("/dev/fd");
    if (open_ones)
        for (struct dirent *entry; (entry = readdir(open_ones));) {
            int fd = atoi(entry->d_name);
            if (fd > 3)
                fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
    else
        for (int fd = 4; fd < 1024; fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; i < COUNT(DAEMON_VARIABLES); i++) {
        char *value = getenv(DAEMON_VARIABLES[i]);
        if (value)
            envp[n++] = value - strlen(DAEMON_VARIABLES[i]) - 1;
    }
    envp[n] = NULL;
    exec_python(python, (const char *[]){"daemon", "run", "--project", project.root, "--lock-fd", "3", NULL},
                envp);
    complain("the interpreter cannot run");
}

static int take_lock(void)
{
    char path[SOCKET_PATH_LIMIT];
    runtime_file(&project, ".lock", path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

// The lock passes to the daemon: it is free again only when the daemon has ended.
static void spawn_daemon(int lock)
{
    char pid[SOCKET_PATH_LIMIT];
    runtime_file(&project, ".pid", pid);
    unlink(pid); // of one that was killed
    spawns++;
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0)
            become_daemon(lock);
        _exit(127);
    }
    close(lock);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

// False if no daemon can be started here.
static bool start_daemon(void)
{
    int lock = spawns < MOST_SPAWNS ? take_lock() : -1;
    if (lock < 0)
        return true;
    if (!*python)
        find_python(python);
    if (!*python || access(python, X_OK) < 0) {
        close(lock);
        return false;
    }
    spawn_daemon(lock);
    return true;
}

// The process at the other end, 0 if the kernel cannot tell; -1 if it is another user's.
static pid_t peer(int fd)
{
#ifdef __APPLE__
    pid_t pid = 0;
    uid_t uid;
    gid_t gid;
    socklen_t size = sizeof pid;
    if (getpeereid(fd, &uid, &gid) < 0 || uid != geteuid())
        return -1;
    return getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, &pid, &size) < 0 ? 0 : pid;
#else
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0 || who.uid != geteuid())
        return -1;
    return who.pid;
#endif
}

// Kills the daemon that does not answer and starts another, unless it is young.
static void replace_daemon(int fd)
{
    pid_t pid = peer(fd);
    if (pid <= 1 || is_young())
        return;
    kill(pid, SIGKILL);
    int before = spawns;
    for (long long end = now() + REPLACE_MS; start_daemon() && spawns == before && now() < end;)
        poll(NULL, 0, RETRY_MS);
}

// Kills the daemon that has held the lock for long and has no socket to answer at: it hung in its start.
static void end_unborn_daemon(void)
{
    int lock = take_lock();
    pid_t pid = noted_pid();
    if (lock < 0 && pid > 1 && !is_young())
        kill(pid, SIGKILL);
    if (lock >= 0)
        close(lock);
}

#endif
