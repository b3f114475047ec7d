/** Maximum code length, except for the code length alphabet (RFC 1951, section 3.2.7). */
export const mostBits = 15
/** Maximum number of symbols of a table. */
const mostSymbols = 288

const sorted = new Uint32Array(mostSymbols)
const weights = new Uint32Array(mostSymbols)
const lengthCounts = new Uint32Array(mostSymbols + 1)
const nextCodes = new Uint32Array(mostBits + 2)

/**
 * Creates Huffman codes for symbols with these counts, none longer than `longest` bits, in canonical order
 * (RFC 1951, section 3.2.2). Counts must be below 2^20, and at least two above 0. Returns the lengths in
 * `lengths`, 0 for unused symbols, and in `codes` the bits to write: the code in reversed bit order, and its
 * length from bit 16 on.
 */
export function makeCodes(
  counts: Uint32Array,
  longest: number,
  lengths: Uint8Array,
  codes: Uint32Array,
): void {
  const used = sortByCount(counts)
  findLengths(used)
  countLengths(used, longest)
  // The rarest symbols have the longest codes.
  lengths.fill(0)
  let at = 0
  for (let bits = longest; bits > 0; bits -= 1)
    for (let left = lengthCounts[bits] as number; left > 0; left -= 1, at += 1)
      lengths[(sorted[at] as number) & 0x1ff] = bits
  numberCodes(counts.length, longest, lengths, codes)
}

/**
 * Collects the used symbols, rarest first, each after its count in `sorted`; their counts are in `weights`.
 */
function sortByCount(counts: Uint32Array): number {
  let used = 0
  for (let symbol = 0; symbol < counts.length; symbol += 1) {
    const count = counts[symbol] as number
    if (count === 0) continue
    sorted[used] = (count << 9) | symbol
    used += 1
  }
  sorted.subarray(0, used).sort()
  for (let at = 0; at < used; at += 1) weights[at] = (sorted[at] as number) >>> 9
  return used
}

/** Replaces `weights` by depths in the tree, in place (Moffat and Katajainen, 1995). */
function findLengths(used: number): void {
  let [root, leaf] = [0, 2]
  weights[0] = (weights[0] as number) + (weights[1] as number)
  for (let next = 1; next < used - 1; next += 1) {
    let weight = 0
    for (let child = 0; child < 2; child += 1) {
      if (leaf >= used || (root < next && (weights[root] as number) < (weights[leaf] as number))) {
        weight += weights[root] as number
        weights[root] = next
        root += 1
      } else {
        weight += weights[leaf] as number
        leaf += 1
      }
    }
    weights[next] = weight
  }
  weights[used - 2] = 0
  for (let next = used - 3; next >= 0; next -= 1)
    weights[next] = (weights[weights[next] as number] as number) + 1
}

/** Counts the leaves by depth, in `lengthCounts`; none deeper than `longest`. */
function countLengths(used: number, longest: number): void {
  lengthCounts.fill(0, 0, used + 1)
  lengthCounts.fill(0, 0, longest + 1)
  let [inner, depth, room] = [used - 2, 0, 1]
  for (let left = used; left > 0; ) {
    let nodes = 0
    while (inner >= 0 && weights[inner] === depth) {
      nodes += 1
      inner -= 1
    }
    const leaves = room - nodes
    lengthCounts[Math.min(depth, longest)] = (lengthCounts[Math.min(depth, longest)] as number) + leaves
    left -= leaves
    room = nodes * 2
    depth += 1
  }
  if (depth - 1 > longest) shorten(longest)
}

/** Makes room for leaves that were too deep, by moving others one level down. */
function shorten(longest: number): void {
  let total = 0
  for (let bits = 1; bits <= longest; bits += 1)
    total += (lengthCounts[bits] as number) * 2 ** (longest - bits)
  for (; total > 2 ** longest; total -= 1) {
    lengthCounts[longest] = (lengthCounts[longest] as number) - 1
    let bits = longest - 1
    while (lengthCounts[bits] === 0) bits -= 1
    lengthCounts[bits] = (lengthCounts[bits] as number) - 1
    lengthCounts[bits + 1] = (lengthCounts[bits + 1] as number) + 2
  }
}

function numberCodes(symbols: number, longest: number, lengths: Uint8Array, codes: Uint32Array): void {
  let code = 0
  for (let bits = 1; bits <= longest; bits += 1) {
    nextCodes[bits] = code
    code = (code + (lengthCounts[bits] as number)) << 1
  }
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const bits = lengths[symbol] as number
    if (bits === 0) continue
    const own = nextCodes[bits] as number
    nextCodes[bits] = own + 1
    codes[symbol] = reversed(own, bits) | (bits << 16)
  }
}

function reversed(code: number, bits: number): number {
  let turned = ((code & 0x5555) << 1) | ((code >>> 1) & 0x5555)
  turned = ((turned & 0x3333) << 2) | ((turned >>> 2) & 0x3333)
  turned = ((turned & 0x0f0f) << 4) | ((turned >>> 4) & 0x0f0f)
  turned = ((turned & 0x00ff) << 8) | (turned >>> 8)
  return turned >>> (16 - bits)
}
