/*
 * version.c - reads the release of UCX.
 *
 * UCX has no variable that states it. ucp_get_version stores its three numbers through its arguments, and compilers
 * store each with one instruction that contains the number. Only such code of x86-64 is understood.
 */
#include "mqd/dll/ucx/version.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* endbr64, which compilers put before functions that may be called through pointers. */
static const unsigned char entry_mark[] = {0xf3, 0x0f, 0x1e, 0xfa};

enum { N_NUMBERS = 3, STORE_BYTES = 6 };

/* Which argument movl $number,(register) stores to; -1 if the code is another instruction. */
static int argument_of(const unsigned char *code)
{
    static const unsigned char registers[N_NUMBERS] = {0x07, 0x06, 0x02}; /* rdi, rsi, rdx */

    for (int i = 0; i < N_NUMBERS && code[0] == 0xc7; i++)
        if (code[1] == registers[i])
            return i;
    return -1;
}

static uint32_t number_in(const unsigned char *code)
{
    return code[2] | (uint32_t)code[3] << 8 | (uint32_t)code[4] << 16 | (uint32_t)code[5] << 24;
}

void mqd_ucx_version(struct mqd_process *process, char *version, size_t n_room)
{
    unsigned char code[sizeof entry_mark + N_NUMBERS * STORE_BYTES];
    const unsigned char *at = code;
    uint32_t numbers[N_NUMBERS] = {0};
    bool found[N_NUMBERS] = {false};
    struct mqd_line line = mqd_line_in(version, n_room);
    mqd_taddr ta;

    if (!mqd_symbol(process, "ucp_get_version", &ta) || mqd_read(process, ta, sizeof code, code) != MQD_OK)
        return;
    if (memcmp(at, entry_mark, sizeof entry_mark) == 0)
        at += sizeof entry_mark;
    for (int i = 0; i < N_NUMBERS; i++, at += STORE_BYTES) {
        int argument = argument_of(at);

        if (argument < 0 || found[argument])
            return;
        found[argument] = true;
        numbers[argument] = number_in(at);
    }
    for (int i = 0; i < N_NUMBERS; i++) {
        mqd_add(&line, i > 0 ? "." : "");
        mqd_add_number(&line, numbers[i]);
    }
}
