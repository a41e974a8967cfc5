// Which project this is and where its runtime files are, by the rules of src/hookd/paths.py.

#ifndef HOOKD_PROJECT_H
#define HOOKD_PROJECT_H

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "sha256.h"
#include "text.h"

// A working directory may be longer than PATH_MAX. Static memory costs nothing until it is used, as
// long as all of it stays below the 2 MiB from which the kernel may back it with a huge page.
#define PATH_ROOM (8 * PATH_MAX)
#define REASON_ROOM (PATH_ROOM + 256)
#define SOCKET_PATH_LIMIT 104
#define LONGEST_SOCKET_NAME "/p-0123456789abcdef.sock"

struct project {
    char cwd[PATH_ROOM];
    char root[PATH_ROOM];
    char key[SHA256_HEX];
    char folder[SOCKET_PATH_LIMIT];
};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool real_folder(const char *path, char out[PATH_ROOM])
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode) && realpath(path, out);
}

static bool has_marker(char *path, size_t end)
{
    struct stat found;
    memcpy(path + end, "/.hookd", sizeof "/.hookd");
    if (lstat(path, &found) == 0)
        return true;
    // A `.git` that is none for git, such as an empty one in /tmp, makes no project of what is below it.
    memcpy(path + end, "/.git/HEAD", sizeof "/.git/HEAD");
    if (lstat(path, &found) == 0)
        return true;
    char start[7];
    path[end + sizeof "/.git" - 1] = 0;
    int fd = errno == ENOTDIR ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    bool pointer = read(fd, start, sizeof start) == sizeof start && memcmp(start, "gitdir:", sizeof start) == 0;
    close(fd);
    return pointer;
}

static void find_root(struct project *project, const char *project_variable)
{
    static char probe[PATH_ROOM + sizeof "/.git/HEAD"], ceiling[PATH_ROOM];
    if (!getcwd(project->cwd, PATH_ROOM))
        memcpy(project->cwd, "/", 2);
    // The kernel's name for the working directory is the real one, so in the usual case nothing
    // remains to be resolved.
    const char *named = variable(project_variable);
    if (!named || strcmp(named, project->cwd) == 0 || !real_folder(named, project->root))
        memcpy(project->root, project->cwd, strlen(project->cwd) + 1);

    size_t end = strlen(project->root), top = 0;
    memcpy(probe, project->root, end);
    for (bool first = true; !has_marker(probe, end); first = false) {
        if (first) {
            const char *home = variable("HOME");
            if (home && real_folder(home, ceiling))
                top = strlen(ceiling);
        }
        if (end == 1 || (end == top && memcmp(ceiling, project->root, end) == 0))
            return;
        while (project->root[--end] != '/')
            ;
        end = end ? end : 1;
    }
    project->root[end] = 0;
}

static bool is_private_folder(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
           !(found.st_mode & 077);
}

// A folder that depends on where a process happens to be would differ between client and daemon.
static const char *absolute(const char *name)
{
    const char *value = variable(name);
    return value && *value == '/' ? value : NULL;
}

static void find_folder(struct project *project)
{
    char digits[DIGITS], own[DIGITS + 8], hex[SHA256_HEX];
    JOIN(own, "/hookd-", decimal(geteuid(), digits));
    const char *base, *name;
    if ((base = absolute("HOOKD_HOME"))) {
        name = "/run";
    } else if ((base = absolute("XDG_RUNTIME_DIR")) && is_private_folder(base)) {
        name = "/hookd";
    } else {
        base = absolute("TMPDIR");
        base = base ? base : "/tmp";
        name = own;
    }
    size_t length = JOIN(project->folder, base, name);
    if (length + strlen(LONGEST_SOCKET_NAME) < SOCKET_PATH_LIMIT)
        return;
    struct sha256 sum;
    sha256_start(&sum);
    sha256_add(&sum, base, strlen(base));
    sha256_add(&sum, name, strlen(name));
    sha256_hex(&sum, hex);
    hex[8] = 0;
    JOIN(project->folder, "/tmp", own, "-", hex);
}

// `project_variable` is the one in which the agent names its project's folder.
static void find_project(struct project *project, const char *project_variable)
{
    struct sha256 sum;
    find_root(project, project_variable);
    find_folder(project);
    sha256_start(&sum);
    sha256_add(&sum, project->root, strlen(project->root));
    sha256_hex(&sum, project->key);
}

static void runtime_file(const struct project *project, const char *suffix, char out[SOCKET_PATH_LIMIT])
{
    char name[17];
    memcpy(name, project->key, 16);
    name[16] = 0;
    join(out, SOCKET_PATH_LIMIT, project->folder, "/p-", name, suffix, (char *)NULL);
}

static bool make_folder(const char *folder)
{
    char part[SOCKET_PATH_LIMIT];
    JOIN(part, folder);
    for (char *at = part + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = 0;
        if (mkdir(part, 0777) < 0 && errno != EEXIST && errno != EISDIR)
            return false;
    }
    return mkdir(folder, 0700) == 0 || errno == EEXIST;
}

// Creates the runtime folder if it is missing. False, after a line on standard error, if it cannot
// be used: another user who may enter it could pose as the daemon.
static bool ensure_folder(const char *folder)
{
    struct stat found;
    char digits[DIGITS], problem[512], mode[5];
    if (lstat(folder, &found) < 0 && !(errno == ENOENT && make_folder(folder) && lstat(folder, &found) == 0)) {
        JOIN(problem, "cannot create the runtime folder ", folder, ": ", strerror(errno));
    } else if (S_ISLNK(found.st_mode)) {
        JOIN(problem, "refusing the runtime folder ", folder, ": it is a symbolic link");
    } else if (!S_ISDIR(found.st_mode)) {
        JOIN(problem, "refusing the runtime folder ", folder, ": it is not a folder");
    } else if (found.st_uid != geteuid()) {
        JOIN(problem, "refusing the runtime folder ", folder, ": it belongs to user ",
             decimal(found.st_uid, digits), ", not to you");
    } else if (found.st_mode & 077) {
        for (int i = 0; i < 4; i++)
            mode[i] = (char)('0' + (found.st_mode >> (9 - 3 * i) & 7));
        mode[4] = 0;
        JOIN(problem, "refusing the runtime folder ", folder, ": others may enter it (mode ", mode,
             ", wanted 0700)");
    } else {
        return true;
    }
    complain(problem);
    return false;
}

#endif
