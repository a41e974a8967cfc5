// What the client knows of its one event, its times and limits, and what it says when it can do nothing.

#ifndef HOOKD_STATE_H
#define HOOKD_STATE_H

#include <fcntl.h>
#include <time.h>

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

#define ASK_HOOKD "Run `hookd doctor`, or `hookd uninstall` to remove the hooks."
#define INSTALL_AGAIN                                                                                       \
    "Install it again as you did before (uv tool, pipx or pip install), or take its entries out of the" \
    " agent's settings."

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

static bool has_hookd(const char *folder, size_t length)
{
    static char path[PATH_ROOM + 8];
    if (length == 0 || length >= PATH_ROOM)
        return false;
    memcpy(path, folder, length);
    memcpy(path + length, "/hookd", sizeof "/hookd");
    return access(path, X_OK) == 0;
}

// What a person can do: a command of hookd's only if one is there, beside its interpreter or on the path.
static const char *advice(void)
{
    const char *slash = strrchr(python, '/'), *path = variable("PATH");
    if (slash && has_hookd(python, (size_t)(slash - python)))
        return ASK_HOOKD;
    for (size_t length; path; path = path[length] ? path + length + 1 : NULL)
        if (has_hookd(path, length = strcspn(path, ":")))
            return ASK_HOOKD;
    return INSTALL_AGAIN;
}

// What the agent hears when hookd cannot judge: never more than the policy lets pass. A gate whose entry
// does not say how it refuses does so with exit code 2, which agents take for a refusal.
static int fail(const char *why)
{
    static char escaped[6 * REASON_ROOM], told[REASON_ROOM + 256];
    bool closed = given.gate && !given.say && !same(given.policy, "allow");
    int code = given.exit_code >= 0 ? given.exit_code : closed ? 2 : 0;
    if (given.gate && code) {
        // With such a code it is standard error that the agent reads.
        JOIN(told, "hookd cannot judge this call: ", why, ". ", advice());
        complain(told);
    } else {
        complain(why);
    }
    if (given.say) {
        json_escape(escaped, why);
        write_filled(1, given.say, escaped, advice());
    }
    return code;
}

#endif
