// hookd-client AGENT EVENT: hands one event of a coding agent to the project's daemon and prints the
// answer. It starts the daemon if there is none, and runs `hookd hook` itself if that does not help.
//
// arguments.h is what it is told by the entry in the agent's settings, exchange.h talks to the daemon,
// daemon.h starts and ends it; src/hookd/client.py is the same client in Python.
// Nothing is freed: the process lives for a millisecond.

#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#include <sys/random.h>
#else
#define _GNU_SOURCE
#endif

#include "exchange.h"
#include "in_process.h"

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
