/* What a browser or Node calls in GAME.wasm, besides the loops. The rest is cyberdeck.mjs. */
#include <stdint.h>

#define EXPORTED(name) __attribute__((export_name(name)))

#include "loops.inc" /* written by the build: a function for each loop that hands its arguments on */

/* The digest at the end of a saved state: BLAKE2b of 16 bytes (RFC 7693), as Python's hashlib has it. */
static const uint64_t START[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
static const uint8_t ORDER[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint64_t turned(uint64_t word, int bits)
{
    return word >> bits | word << (64 - bits);
}

static void mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = turned(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = turned(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = turned(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = turned(v[b] ^ v[c], 63);
}

EXPORTED("digest") void digest(const uint8_t *bytes, uint32_t length, uint8_t *out)
{
    uint64_t h[8], v[16], m[16];
    uint32_t done = 0;
    for (int i = 0; i < 8; i++)
        h[i] = START[i];
    h[0] ^= 0x01010000 ^ 16;
    do {
        uint32_t now = length - done < 128 ? length - done : 128;
        for (int i = 0; i < 16; i++)
            m[i] = 0;
        for (uint32_t i = 0; i < now; i++)
            m[i / 8] |= (uint64_t)bytes[done + i] << 8 * (i % 8);
        done += now;
        for (int i = 0; i < 8; i++)
            v[i] = h[i], v[i + 8] = START[i];
        v[12] ^= done;
        if (done == length)
            v[14] = ~v[14];
        for (int round = 0; round < 12; round++) {
            const uint8_t *s = ORDER[round % 10];
            for (int i = 0; i < 4; i++)
                mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
            for (int i = 0; i < 4; i++)
                mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2 * i]],
                    m[s[9 + 2 * i]]);
        }
        for (int i = 0; i < 8; i++)
            h[i] ^= v[i] ^ v[i + 8];
    } while (done < length);
    for (int i = 0; i < 16; i++)
        out[i] = (uint8_t)(h[i / 8] >> 8 * (i % 8));
}
