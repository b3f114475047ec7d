const rounds = [
  { constant: 0, shifts: [3, 7, 11, 19], order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] },
  {
    constant: 0x5a827999,
    shifts: [3, 5, 9, 13],
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  },
  {
    constant: 0x6ed9eba1,
    shifts: [3, 9, 11, 15],
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
  },
]

function mix(round: number, b: number, c: number, d: number): number {
  if (round === 0) return (b & c) | (~b & d)
  if (round === 1) return (b & c) | (b & d) | (c & d)
  return b ^ c ^ d
}

function pad(text: Buffer): Buffer {
  const padded = Buffer.alloc((((text.length + 8) >> 6) + 1) << 6)
  text.copy(padded)
  padded[text.length] = 0x80
  padded.writeBigUInt64LE(BigInt(text.length) * 8n, padded.length - 8)
  return padded
}

/** MD4 (RFC 1320), which OpenSSL no longer supports and NTLM requires. Never use it for anything else. */
export function md4(text: Buffer): Buffer {
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
  const padded = pad(text)
  for (let block = 0; block < padded.length; block += 64) {
    let [a = 0, b = 0, c = 0, d = 0] = state
    for (const [round, { constant, shifts, order }] of rounds.entries()) {
      for (const [step, word] of order.entries()) {
        const sum = (a + mix(round, b, c, d) + padded.readUInt32LE(block + word * 4) + constant) >>> 0
        const shift = shifts[step % 4] ?? 0
        const next = ((sum << shift) | (sum >>> (32 - shift))) >>> 0
        ;[a, b, c, d] = [d, next, b, c]
      }
    }
    for (const [index, value] of [a, b, c, d].entries()) state[index] = ((state[index] ?? 0) + value) >>> 0
  }
  const digest = Buffer.alloc(16)
  for (const [index, value] of state.entries()) digest.writeUInt32LE(value, index * 4)
  return digest
}
