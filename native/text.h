// Strings and buffers without stdio, whose pages alone would cost a tenth of the client's run time.

#ifndef HOOKD_TEXT_H
#define HOOKD_TEXT_H

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

// A buffer that starts in static memory and moves to the heap when it must grow.
struct bytes {
    char *data;
    size_t length, room;
    bool on_heap;
};

// Doubles the room up to `limit`; false if it is there already or memory is out.
static bool grow(struct bytes *bytes, size_t limit)
{
    if (bytes->room >= limit)
        return false;
    size_t room = bytes->room * 2 < limit ? bytes->room * 2 : limit;
    char *data = realloc(bytes->on_heap ? bytes->data : NULL, room);
    if (!data)
        return false;
    if (!bytes->on_heap)
        memcpy(data, bytes->data, bytes->length);
    bytes->data = data;
    bytes->room = room;
    bytes->on_heap = true;
    return true;
}

// Joins strings up to a NULL; what does not fit is cut off. Returns the length it would have had.
static size_t join(char *out, size_t room, ...)
{
    va_list parts;
    va_start(parts, room);
    size_t length = 0;
    for (const char *part; (part = va_arg(parts, const char *));) {
        size_t n = strlen(part);
        if (length + 1 < room)
            memcpy(out + length, part, n < room - length - 1 ? n : room - length - 1);
        length += n;
    }
    va_end(parts);
    out[length < room ? length : room - 1] = 0;
    return length;
}

#define JOIN(out, ...) join(out, sizeof(out), __VA_ARGS__, (char *)NULL)

#define DIGITS 24

static const char *decimal(unsigned long number, char out[DIGITS])
{
    char *at = out + DIGITS - 1;
    *at = 0;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    return at;
}

// Writes everything, or gives up silently if nobody reads.
static void write_all(int fd, const char *data, size_t length)
{
    while (length) {
        ssize_t n = write(fd, data, length);
        if (n > 0) {
            data += n;
            length -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (n == 0 || errno != EINTR) {
            return;
        }
    }
}

// Tells the person: one line on standard error.
static void complain(const char *what)
{
    char line[16 * 1024];
    size_t length = JOIN(line, "hookd-client: ", what, "\n");
    write_all(2, line, length < sizeof line ? length : sizeof line - 1);
}

// Writes the template with `why` and `advice` wherever it has {why} and {advice}.
static void write_filled(int fd, const char *template, const char *why, const char *advice)
{
    const char *found = template;
    while ((found = strchr(found, '{'))) {
        bool is_why = strncmp(found, "{why}", 5) == 0;
        if (!is_why && strncmp(found, "{advice}", 8) != 0) {
            found++;
            continue;
        }
        const char *value = is_why ? why : advice;
        write_all(fd, template, (size_t)(found - template));
        write_all(fd, value, strlen(value));
        template = found += is_why ? 5 : 8;
    }
    write_all(fd, template, strlen(template));
}

// The length of the valid UTF-8 sequence at `at`, or 0.
static size_t utf8_length(const unsigned char *at)
{
    size_t n = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    // Overlong forms, surrogates, and what lies beyond U+10FFFF.
    if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) || (*at == 0xf0 && at[1] < 0x90) ||
        (*at == 0xf4 && at[1] > 0x8f))
        return 0;
    return n;
}

// Writes `text` as the inside of a JSON string; it needs six bytes for each of the text's.
static void json_escape(char *out, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t n = utf8_length(at);
        if (n == 0) {
            memcpy(out, "\xef\xbf\xbd", 3);
            out += 3;
            at++;
        } else if (*at == '"' || *at == '\\') {
            *out++ = '\\';
            *out++ = (char)*at++;
        } else if (*at >= '\b' && *at <= '\r' && *at != '\v') {
            *out++ = '\\';
            *out++ = "btn?fr"[*at++ - '\b'];
        } else if (*at < 0x20) {
            memcpy(out, "\\u00", 4);
            out[4] = (char)('0' + (*at >> 4));
            out[5] = "0123456789abcdef"[*at++ & 15];
            out += 6;
        } else {
            memcpy(out, at, n);
            out += n;
            at += n;
        }
    }
    *out = 0;
}

#endif
