// Spawns the given programs in turn, many times, and prints how long each took from spawn to exit.
// Arguments: ROUNDS, then for each program: INPUT-FILE, VARIABLE-COUNT, NAME=VALUE..., ARGUMENT-COUNT, ARGUMENT...
// Output: one line per program, its times in microseconds separated by spaces.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

typedef struct {
    char *input;
    char **environment;
    char **argv;
    double *times;
} Program;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double run_once(const Program *program)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, program->input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int status = 0;
    double began = now();
    if (posix_spawnp(&child, program->argv[0], &actions, NULL, program->argv, program->environment) != 0) {
        fprintf(stderr, "cannot spawn %s\n", program->argv[0]);
        exit(1);
    }
    waitpid(child, &status, 0);
    double ended = now();
    posix_spawn_file_actions_destroy(&actions);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s ended with status %d\n", program->argv[0], status);
        exit(1);
    }
    return ended - began;
}

static char **take_list(char **argv, int *at)
{
    int count = atoi(argv[(*at)++]);
    char **list = calloc((size_t)count + 1, sizeof(char *));
    for (int i = 0; i < count; i++) list[i] = argv[(*at)++];
    return list;
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    int rounds = atoi(argv[1]);
    Program programs[16];
    int count = 0;
    for (int i = 2; i + 2 < argc && count < 16;) {
        Program *program = &programs[count++];
        program->input = argv[i++];
        program->environment = take_list(argv, &i);
        program->argv = take_list(argv, &i);
        program->times = calloc((size_t)rounds, sizeof(double));
    }
    for (int p = 0; p < count; p++)
        for (int warm = 0; warm < 5; warm++) run_once(&programs[p]);
    for (int r = 0; r < rounds; r++)
        for (int p = 0; p < count; p++) programs[p].times[r] = run_once(&programs[p]);
    for (int p = 0; p < count; p++) {
        for (int r = 0; r < rounds; r++) printf("%.1f ", programs[p].times[r]);
        printf("\n");
    }
    return 0;
}
