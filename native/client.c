// hookd-client AGENT EVENT: hands one event of a coding agent to the project's daemon and prints the
// answer. It starts the daemon if there is none, and runs `hookd hook` itself if that does not help.
//
// arguments.h is what it is told by the entry in the agent's settings,
// src/hookd/client.py is the same client in Python, src/hookd/wire.py describes the framing.
// Nothing is freed: the process lives for a millisecond.

#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#else
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#include "arguments.h"
#include "project.h"
#include "python.h"

#ifndef HOOKD_VERSION
#define HOOKD_VERSION "unknown"
#endif

#ifndef ACK_MS // tests are built with other times
#define ACK_MS 300
#define APPEAR_MS 500
#define SILENCE_MS 1000
#define GATE_CHILD_MS 25000
#define CHILD_MS 11000
#define REPLACE_MS 100
#endif
#define RETRY_MS 5
#define YOUNG_SECONDS 3
#define MOST_SPAWNS 2

#define MAX_PAYLOAD (16u << 20)
#define MAX_HEADER (256u << 10)
#define MAX_FRAME ((16u << 20) + (64u << 10))
#define PREFIX_SIZE 12
#define FRAME_SIZE 5
#define ANSWER_SIZE 5

#define ADVICE "Run `hookd doctor`, or `hookd uninstall` to remove the hooks."

static const char *const DAEMON_VARIABLES[] = {
    "HOME", "HOOKD_HOME", "LANG", "LC_ALL", "LC_CTYPE",        "LOGNAME",       "PATH",
    "SHELL", "TMPDIR",    "TZ",   "USER",   "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
};

static struct arguments given;
static bool oversize;
static char nonce[33];
static struct project project;
static struct bytes payload;
static char python[PATH_ROOM];
static int spawns;

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static int until(long long deadline)
{
    long long left = deadline - now();
    return left > 0 ? (int)left : 0;
}

static void set_nonblocking(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// What the agent hears when hookd cannot judge: never more than the policy lets pass. A gate whose entry
// does not say how it refuses does so with exit code 2, which agents take for a refusal.
static int fail(const char *why)
{
    static char escaped[6 * REASON_ROOM], told[REASON_ROOM + 128];
    bool closed = given.gate && !given.say && !same(given.policy, "allow");
    int code = given.exit_code >= 0 ? given.exit_code : closed ? 2 : 0;
    if (given.gate && code) {
        // With such a code it is standard error that the agent reads.
        JOIN(told, "hookd cannot judge this call: ", why, ". " ADVICE);
        complain(told);
    } else {
        complain(why);
    }
    if (given.say) {
        json_escape(escaped, why);
        write_filled(1, given.say, "{why}", escaped);
    }
    return code;
}

static void read_payload(void)
{
    static char first[64 * 1024];
    payload = (struct bytes){.data = first, .room = sizeof first};
    for (;;) {
        // One byte more than allowed fits, so that too long is told from just long enough.
        if (payload.length == payload.room && !grow(&payload, MAX_PAYLOAD + 1))
            oversize = true;
        ssize_t n = oversize ? read(0, first, sizeof first)
                             : read(0, payload.data + payload.length, payload.room - payload.length);
        if (n > 0)
            payload.length += oversize ? 0 : (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = 0, .events = POLLIN}, 1, -1);
        else if (n == 0 || errno != EINTR)
            break;
    }
    if (oversize || payload.length > MAX_PAYLOAD) {
        oversize = true;
        payload.length = 0;
    }
}

static void put_number(char *at, size_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(number >> 8 * i & 0xff);
}

static size_t number_at(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;
    return byte[0] | (size_t)byte[1] << 8 | (size_t)byte[2] << 16 | (size_t)byte[3] << 24;
}

static struct iovec pack_header(void)
{
    static char header[PREFIX_SIZE + MAX_HEADER];
    char name[MAX_NAME + 1];
    char *at = header + PREFIX_SIZE, *end = header + sizeof header;
    at += join(at, end - at, "version=" HOOKD_VERSION, (char *)NULL) + 1;
    at += join(at, end - at, "agent=", given.agent, (char *)NULL) + 1;
    at += join(at, end - at, "event=", given.event, (char *)NULL) + 1;
    at += join(at, end - at, "nonce=", nonce, (char *)NULL) + 1;
    at += join(at, end - at, "cwd=", project.cwd, (char *)NULL) + 1;
    at += join(at, end - at, "policy=", given.policy, (char *)NULL) + 1;
    if (oversize)
        at += join(at, end - at, "oversize=1", (char *)NULL) + 1;
    for (const char *names = given.forward; next_name(&names, name);) {
        const char *value = getenv(name);
        // A variable too long for the header is as good as unset.
        if (value && strlen(name) + strlen(value) + sizeof "env.=" <= (size_t)(end - at))
            at += join(at, end - at, "env.", name, "=", value, (char *)NULL) + 1;
    }
    memcpy(header, "HKD1", 4);
    put_number(header + 4, (size_t)(at - header) - PREFIX_SIZE);
    put_number(header + 8, payload.length);
    return (struct iovec){header, (size_t)(at - header)};
}

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

// The process at the other end, if it is one of ours; else 0.
static pid_t peer(int fd)
{
#ifdef __APPLE__
    pid_t pid = 0;
    uid_t uid;
    gid_t gid;
    socklen_t size = sizeof pid;
    if (getpeereid(fd, &uid, &gid) < 0 || uid != geteuid() ||
        getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, &pid, &size) < 0)
        return 0;
    return pid;
#else
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0 || who.uid != geteuid())
        return 0;
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

enum outcome { ANSWERED, RETRY, FROZEN, LOST };

static int dial(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[SOCKET_PATH_LIMIT];
    runtime_file(&project, ".sock", path);
    JOIN(address.sun_path, path);
#ifdef SOCK_CLOEXEC
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    set_nonblocking(fd);
#endif
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int problem = errno;
        close(fd);
        errno = problem;
        return -1;
    }
    return fd;
}

// Sends what the socket takes; true if anything moved.
static bool send_some(int fd, struct iovec part[2])
{
    ssize_t n = writev(fd, part, 2);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        // It has closed. What it said before that is still to be read.
        part[0].iov_len = part[1].iov_len = 0;
    if (n <= 0)
        return false;
    for (int i = 0; i < 2; i++) {
        size_t done = (size_t)n < part[i].iov_len ? (size_t)n : part[i].iov_len;
        part[i].iov_base = (char *)part[i].iov_base + done;
        part[i].iov_len -= done;
        n -= (ssize_t)done;
    }
    return true;
}

static enum outcome exchange(int fd, struct iovec header, struct iovec *out, struct iovec *err, int *code)
{
    static char first[64 * 1024];
    static struct bytes got = {.data = first, .room = sizeof first};
    got.length = 0;
    struct iovec unsent[2] = {header, {payload.data, payload.length}};
    bool acknowledged = false;
    long long deadline = now() + ACK_MS;
    for (;;) {
        bool sending = unsent[0].iov_len || unsent[1].iov_len;
        if (sending && send_some(fd, unsent) && !acknowledged)
            deadline = now() + ACK_MS;
        sending = unsent[0].iov_len || unsent[1].iov_len;
        struct pollfd wanted = {.fd = fd, .events = sending ? POLLIN | POLLOUT : POLLIN};
        if (poll(&wanted, 1, until(deadline)) == 0)
            return FROZEN;
        if (!(wanted.revents & ~POLLOUT))
            continue;
        if (got.length == got.room && !grow(&got, FRAME_SIZE + MAX_FRAME))
            return LOST;
        ssize_t n = read(fd, got.data + got.length, got.room - got.length);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            return acknowledged ? LOST : RETRY;
        got.length += (size_t)n;

        size_t at = 0;
        for (; got.length - at >= FRAME_SIZE; at += FRAME_SIZE) {
            char type = got.data[at];
            size_t length = number_at(got.data + at + 1);
            if (type == 'A' && length == 0) {
                // It says so again and again while it works, so silence means that it has stopped.
                acknowledged = true;
                deadline = now() + SILENCE_MS;
            } else if (type == 'V' && length == 0 && !acknowledged) {
                return RETRY;
            } else if (type != 'R' || length < ANSWER_SIZE || length > MAX_FRAME) {
                return LOST;
            } else if (got.length - at - FRAME_SIZE < length) {
                break;
            } else {
                char *body = got.data + at + FRAME_SIZE;
                size_t size = number_at(body + 1);
                if (size > length - ANSWER_SIZE)
                    return LOST;
                *code = (unsigned char)*body;
                *out = (struct iovec){body + ANSWER_SIZE, size};
                *err = (struct iovec){body + ANSWER_SIZE + size, length - ANSWER_SIZE - size};
                return ANSWERED;
            }
        }
        got.length -= at;
        memmove(got.data, got.data + at, got.length);
    }
}

static enum outcome ask_daemon(struct iovec *out, struct iovec *err, int *code)
{
    struct iovec header = pack_header();
    long long end = now() + APPEAR_MS;
    for (;;) {
        int fd = dial();
        bool absent = fd < 0 && (errno == ENOENT || errno == ECONNREFUSED);
        if (fd >= 0) {
            enum outcome outcome = exchange(fd, header, out, err, code);
            if (outcome == FROZEN)
                replace_daemon(fd);
            close(fd);
            if (outcome != RETRY)
                return outcome;
        } else if (absent) {
            if (!start_daemon())
                return LOST;
        } else if (errno != EAGAIN) {
            return LOST;
        }
        if (now() >= end) {
            if (absent)
                end_unborn_daemon();
            return LOST;
        }
        poll(NULL, 0, RETRY_MS);
    }
}

// Reads what the child has written so far and closes the pipe at its end; false if it is too much.
static bool collect(int *fd, struct bytes *got)
{
    for (;;) {
        if (got->length == got->room && !grow(got, MAX_PAYLOAD + 1))
            return false;
        ssize_t n = read(*fd, got->data + got->length, got->room - got->length);
        if (n > 0) {
            got->length += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            if (n == 0) {
                close(*fd);
                *fd = -1;
            }
            return got->length <= MAX_PAYLOAD;
        }
    }
}

static int stop_child(pid_t child, const char *why)
{
    kill(-child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return fail(why);
}

static void become_hook(void)
{
    extern char **environ;
    const char *words[MOST_WORDS] = {"hook", given.agent,    given.event, "--nonce",
                                     nonce,  "--on-failure", given.policy};
    size_t n = 7;
    if (oversize)
        words[n++] = "--oversize";
    if (given.forward_given) {
        words[n++] = "--forward";
        words[n++] = given.forward;
    }
    if (given.project_variable_given) {
        words[n++] = "--project-variable";
        words[n++] = given.project_variable;
    }
    exec_python(python, words, environ);
}

// Answers without a daemon; the nonce keeps doubles out of the record if a daemon has acted too.
static int run_in_process(void)
{
    static char first[64 * 1024], why[REASON_ROOM];
    static struct bytes got = {.data = first, .room = sizeof first};
    char digits[DIGITS];
    int to[2], from[2], status = SIGKILL;
    int patience = given.gate ? GATE_CHILD_MS : CHILD_MS;
    if (!*python)
        find_python(python);
    if (!*python)
        return fail("hookd is gone: no interpreter is named beside hookd-client");
    if (pipe(to) < 0 || pipe(from) < 0)
        return fail("no pipe could be made");
    signal(SIGCHLD, SIG_DFL); // ignored, it would swallow the exit code
    pid_t child = fork();
    if (child < 0)
        return fail("no process could be started");
    if (child == 0) {
        setpgid(0, 0);
        signal(SIGPIPE, SIG_DFL);
        if (dup2(to[0], 0) < 0 || dup2(from[1], 1) < 0)
            _exit(127);
        for (int i = 0; i < 2; i++) {
            close(to[i]);
            close(from[i]);
        }
        become_hook();
        _exit(127);
    }
    setpgid(child, child); // here too: whoever comes first, the group exists before it may be killed
    close(to[0]);
    close(from[1]);
    set_nonblocking(to[1]);
    set_nonblocking(from[0]);

    size_t fed = 0;
    long long deadline = now() + patience;
    struct pollfd ends[2] = {{.fd = from[0], .events = POLLIN}, {.fd = to[1], .events = POLLOUT}};
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (now() >= deadline) {
            JOIN(why, "hookd did not finish within ", decimal((unsigned long)patience / 1000, digits), " s");
            return stop_child(child, why);
        }
        // The end of the output is not the end of the child, nor the other way round (it may have
        // left a process behind that holds the pipe), so the child is looked after now and then.
        int slice = until(deadline), most = ends[0].fd < 0 ? 1 : 20;
        poll(ends, 2, slice < most ? slice : most);
        if (ends[1].fd >= 0 && ends[1].revents) {
            ssize_t n = write(ends[1].fd, payload.data + fed, payload.length - fed);
            fed += n > 0 ? (size_t)n : 0;
            if (fed == payload.length || (n < 0 && errno != EAGAIN && errno != EINTR)) {
                close(ends[1].fd);
                ends[1].fd = -1;
            }
        }
        if (ends[0].fd >= 0 && ends[0].revents && !collect(&ends[0].fd, &got))
            return stop_child(child, "hookd's answer is too long");
    }
    if (ends[0].fd >= 0 && !collect(&ends[0].fd, &got))
        return fail("hookd's answer is too long");
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 0 || code == 2) {
        write_all(1, got.data, got.length);
        return code;
    }
    if (code == 126 || code == 127)
        JOIN(why, "hookd is gone: ", python, " cannot run");
    else if (code < 0)
        JOIN(why, "hookd died of signal ", decimal((unsigned long)WTERMSIG(status), digits));
    else
        JOIN(why, "hookd failed with exit code ", decimal((unsigned long)code, digits));
    return fail(why);
}

static void print_paths(void)
{
    static char out[4 * PATH_ROOM];
    char path[SOCKET_PATH_LIMIT];
    find_project(&project, given.project_variable);
    find_python(python);
    runtime_file(&project, ".sock", path);
    write_all(1, out, JOIN(out, "root=", project.root, "\nkey=", project.key, "\nfolder=", project.folder,
                           "\nsocket=", path, "\npython=", python, "\n"));
}

// A descriptor opened in the place of a missing standard one would be written to by mistake.
static void fill_standard_descriptors(void)
{
    struct pollfd standard[3] = {{.fd = 0}, {.fd = 1}, {.fd = 2}};
    poll(standard, 3, 0);
    for (int i = 0; i < 3; i++)
        if (standard[i].revents & POLLNVAL && open("/dev/null", O_RDWR) < 0)
            _exit(1);
}

int main(int argc, char **argv)
{
    bool version = argc > 1 && same(argv[1], "--version"), paths = argc > 1 && same(argv[1], "--paths");
    if (version || paths ? !parse_options(argc - 2, argv + 2, &given) : !parse_arguments(argc, argv, &given)) {
        complain(USAGE);
        return 1;
    }
    if (version) {
        static const char line[] = "hookd-client " HOOKD_VERSION " (native)\n";
        write_all(1, line, sizeof line - 1);
        return 0;
    }
    if (paths) {
        print_paths();
        return 0;
    }
    signal(SIGPIPE, SIG_IGN);
    fill_standard_descriptors();
    read_payload();
    unsigned char random[16];
    if (getentropy(random, sizeof random) < 0)
        return fail("the kernel gives no random bytes");
    for (int i = 0; i < 32; i++)
        nonce[i] = "0123456789abcdef"[random[i / 2] >> (i % 2 ? 0 : 4) & 15];
    find_project(&project, given.project_variable);
    if (!ensure_folder(project.folder))
        return run_in_process();

    struct iovec out, err;
    int code;
    switch (ask_daemon(&out, &err, &code)) {
    case ANSWERED:
        write_all(1, out.iov_base, out.iov_len);
        write_all(2, err.iov_base, err.iov_len);
        return code;
    default:
        return run_in_process();
    }
}
