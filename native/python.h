// Which Python runs hookd, and how.

#ifndef HOOKD_PYTHON_H
#define HOOKD_PYTHON_H

#include <fcntl.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <stdint.h>
#endif

#include "project.h"

#define MOST_WORDS 16

// The interpreter that a script of an installer names in its first line, or in its second if the
// first had no room for it.
static bool parse_script(const char *text, char out[PATH_ROOM])
{
    if (strncmp(text, "#!", 2) != 0)
        return false;
    text += 2 + strspn(text + 2, " ");
    char stop[] = " \t\r\n";
    if (strncmp(text, "/bin/sh\n", 8) == 0) {
        text += 8;
        if (strncmp(text, "'''exec' ", 9) != 0)
            return false;
        text += 9;
        if (*text == '"' || *text == '\'')
            stop[0] = stop[1] = *text++;
    }
    size_t length = strcspn(text, stop);
    if (*text != '/' || length >= PATH_ROOM)
        return false;
    memcpy(out, text, length);
    out[length] = 0;
    return !same(strrchr(out, '/'), "/env");
}

// The interpreter that hookd is installed for; empty if none is named beside the client.
static void find_python(char out[PATH_ROOM])
{
    static char folder[PATH_ROOM], path[PATH_ROOM + 16], text[2 * PATH_ROOM];
    *out = 0;
#ifdef __APPLE__
    uint32_t room = sizeof path;
    if (_NSGetExecutablePath(path, &room) != 0 || !realpath(path, folder))
        return;
#else
    if (readlink("/proc/self/exe", folder, sizeof folder - 1) <= 0)
        return;
#endif
    *strrchr(folder, '/') = 0;
    JOIN(path, folder, "/hookd-python");
    ssize_t length = readlink(path, text, sizeof text - 1);
    if (length > 0) {
        text[length] = 0;
        if (*text == '/')
            join(out, PATH_ROOM, text, (char *)NULL);
        else
            join(out, PATH_ROOM, folder, "/", text, (char *)NULL);
        return;
    }
    JOIN(path, folder, "/hookd");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return;
    text[length] = 0;
    if (!parse_script(text, out))
        *out = 0;
}

// Starts `argv`, which has fewer than MOST_WORDS, with the interpreter and its flags in front. The flags keep the agent's environment
// and working directory out of what gets imported.
static void exec_python(const char *python, const char *const *argv, char *const *envp)
{
    static char config[PATH_ROOM + 16];
    const char *all[MOST_WORDS + 8] = {python};
    JOIN(config, python);
    *strrchr(config, '/') = 0;
    size_t end = strlen(config), n = 1;
    join(config + end, sizeof config - end, "/../pyvenv.cfg", (char *)NULL);
    if (access(config, F_OK) == 0) {
        all[n++] = "-I";
    } else {
        all[n++] = "-E";
        all[n++] = "-P";
    }
    all[n++] = "-m";
    all[n++] = "hookd";
    while (*argv)
        all[n++] = *argv++;
    execve(python, (char *const *)all, envp);
}

#endif
