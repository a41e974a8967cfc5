// The event on its way to the daemon, and the answer back; src/hookd/wire.py describes the framing.

#ifndef HOOKD_EXCHANGE_H
#define HOOKD_EXCHANGE_H

#include <sys/uio.h>
#include <sys/un.h>

#include "daemon.h"

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
            // Another user's daemon gets nothing to read and is not believed.
            enum outcome outcome = peer(fd) < 0 ? LOST : exchange(fd, header, out, err, code);
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

#endif
