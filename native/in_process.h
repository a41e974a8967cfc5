// The event answered by `hookd hook`, where no daemon does.

#ifndef HOOKD_IN_PROCESS_H
#define HOOKD_IN_PROCESS_H

#include <signal.h>
#include <sys/wait.h>

#include "state.h"

#define MAX_OUTPUT (MAX_PAYLOAD + sizeof nonce) // the nonce and its line end come first

// Reads what the child has written so far and closes the pipe at its end; false if it is too much.
static bool collect(int *fd, struct bytes *got)
{
    for (;;) {
        if (got->length == got->room && !grow(got, MAX_OUTPUT + 1))
            return false;
        ssize_t n = read(*fd, got->data + got->length, got->room - got->length);
        if (n > 0) {
            got->length += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            if (n == 0) {
                close(*fd);
                *fd = -1;
            }
            return got->length <= MAX_OUTPUT;
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
    const char *words[MOST_WORDS] = {"hook", given.agent,    given.event,  "--nonce",
                                     nonce,  "--on-failure", given.policy, "--echo"};
    size_t n = 8;
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
    setpgid(child, child); // in the parent too: the group must exist before it may be killed
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
    size_t said = strlen(nonce);
    if (code == 0 || code == 2) {
        // A program that ends well and has not answered this event has no opinion on it.
        if (got.length <= said || memcmp(got.data, nonce, said) != 0 || got.data[said] != '\n')
            return fail("hookd ended without an answer");
        write_all(1, got.data + said + 1, got.length - said - 1);
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

#endif
