// What the entry in the agent's settings tells the client. The client itself knows no agent and no event:
// whether it stands in front of a tool call, and what to say if nothing can be answered, is written here.

#ifndef HOOKD_ARGUMENTS_H
#define HOOKD_ARGUMENTS_H

#include "text.h"

#define USAGE                                                                                               \
    "usage: hookd-client AGENT EVENT [--on-failure ask|deny|allow] [--say TEMPLATE] [--exit CODE] "         \
    "[--forward NAME,NAME] [--project-variable NAME] [VARIABLE=FOLDER]..."
#define MAX_NAME 100
#define MAX_VALUE 4096

struct arguments {
    const char *agent, *event;
    bool gate; // a tool waits for the answer; so it is if a policy is given
    const char *policy;
    const char *say; // printed if nothing can be answered, with the reason in the place of {why}
    int exit_code;   // then; -1: not given
    const char *forward, *project_variable;
    bool forward_given, project_variable_given;
};

static const char *const FOLDER_VARIABLES[] = {
    "HOME", "HOOKD_HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

// Which of the variables an argument such as HOME=/home/me gives a value; -1 if none.
static int variable_given(const char *argument)
{
    for (size_t i = 0; i < COUNT(FOLDER_VARIABLES); i++) {
        size_t length = strlen(FOLDER_VARIABLES[i]);
        if (strncmp(argument, FOLDER_VARIABLES[i], length) == 0 && argument[length] == '=')
            return (int)i;
    }
    return -1;
}

// Takes the variables at the end of the arguments; false if there is anything else. With them hookd's folders
// are where they were when it was registered, whatever the agent's settings say.
static bool pin_folders(int count, char **words)
{
    char *pinned[COUNT(FOLDER_VARIABLES)] = {0};
    for (int i = 0; i < count; i++) {
        int at = variable_given(words[i]);
        if (at < 0)
            return false;
        pinned[at] = words[i];
    }
    for (size_t i = 0; count && i < COUNT(FOLDER_VARIABLES); i++)
        if (pinned[i])
            putenv(pinned[i]);
        else
            unsetenv(FOLDER_VARIABLES[i]);
    return true;
}

// Copies the next name of a list such as CI,LANG and moves on; false at the end. A name that is too long
// for `out` ends the list, and is_list() has refused such a list.
static bool next_name(const char **list, char out[MAX_NAME + 1])
{
    *list += strspn(*list, ",");
    size_t length = strcspn(*list, ",");
    if (length == 0 || length > MAX_NAME)
        return false;
    memcpy(out, *list, length);
    out[length] = 0;
    *list += length;
    return true;
}

// Whether these are names of variables with commas in between, or nothing.
static bool is_list(const char *text)
{
    char name[MAX_NAME + 1];
    if (strchr(text, '='))
        return false;
    while (next_name(&text, name))
        ;
    return !*text;
}

static bool is_policy(const char *text)
{
    return same(text, "ask") || same(text, "deny") || same(text, "allow");
}

static bool is_exit_code(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length <= 3 && strspn(text, "0123456789") == length && atoi(text) <= 255;
}

static bool take_option(const char *option, const char *value, struct arguments *found)
{
    if (strlen(value) > MAX_VALUE)
        return false;
    if (same(option, "--on-failure") && is_policy(value)) {
        found->policy = value;
        found->gate = true;
    } else if (same(option, "--say")) {
        found->say = value;
    } else if (same(option, "--exit") && is_exit_code(value)) {
        found->exit_code = atoi(value);
    } else if (same(option, "--forward") && is_list(value)) {
        found->forward = value;
        found->forward_given = true;
    } else if (same(option, "--project-variable") && strlen(value) <= MAX_NAME && !strchr(value, '=')) {
        found->project_variable = value;
        found->project_variable_given = true;
    } else {
        return false;
    }
    return true;
}

// Takes options with their values, in any order, then folders; of two of the same name the later one counts.
static bool parse_options(int count, char **words, struct arguments *found)
{
    // An entry that 0.1 wrote has neither list nor variable; these were in the client then.
    found->forward = "AI_AGENT,CI,CLAUDE_CODE_ENTRYPOINT,CLAUDE_CODE_SESSION_ATTENDED,CLAUDE_ENV_FILE,"
                     "CLAUDE_PROJECT_DIR,COPILOT_CLI,CURSOR_VERSION";
    found->project_variable = "CLAUDE_PROJECT_DIR";
    found->policy = "ask";
    found->exit_code = -1;
    for (; count > 0 && strncmp(words[0], "--", 2) == 0; count -= 2, words += 2)
        if (count == 1 || !take_option(words[0], words[1], found))
            return false;
    return pin_folders(count, words);
}

static bool parse_arguments(int argc, char **argv, struct arguments *found)
{
    if (argc < 3)
        return false;
    found->agent = argv[1];
    found->event = argv[2];
    for (int i = 1; i < 3; i++)
        if (!*argv[i] || *argv[i] == '-' || strlen(argv[i]) > MAX_NAME)
            return false;
    return parse_options(argc - 3, argv + 3, found);
}

#endif
