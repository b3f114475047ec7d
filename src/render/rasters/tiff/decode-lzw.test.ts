import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeLzw } from './decode-lzw.ts'

/** A minimal LZW encoder for TIFF: codes of 9 to 12 bits, beginning with a clear code. */
function encodeLzw(bytes: Uint8Array): Buffer {
  const out: number[] = []
  let [held, bits] = [0, 0]
  let [width, next] = [9, 258]
  let table = new Map<string, number>()
  const put = (code: number): void => {
    bits = bits * 2 ** width + code
    held += width
    while (held >= 8) {
      out.push(Math.floor(bits / 2 ** (held - 8)) & 255)
      held -= 8
      bits %= 2 ** held
    }
  }
  const codeOf = (text: string): number => (text.length === 1 ? text.charCodeAt(0) : (table.get(text) ?? -1))
  const clear = (): void => {
    put(256)
    ;[width, next, table] = [9, 258, new Map()]
  }
  clear()
  let text = ''
  for (const byte of bytes) {
    const longer = text + String.fromCharCode(byte)
    if (longer.length === 1 || table.has(longer)) {
      text = longer
      continue
    }
    put(codeOf(text))
    table.set(longer, next)
    next += 1
    if (next > 2 ** width - 1 && width < 12) width += 1
    if (next >= 4094) clear()
    text = String.fromCharCode(byte)
  }
  if (text !== '') put(codeOf(text))
  put(257)
  if (held > 0) out.push((bits * 2 ** (8 - held)) & 255)
  return Buffer.from(out)
}

describe('blocks of LZW', () => {
  it('are what was packed, whatever it was', () => {
    const runs = fc.array(fc.tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 1, max: 700 })), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(runs, fc.uint8Array({ maxLength: 6000 }), (pieces, noise) => {
        const bytes = Buffer.concat([...pieces.map(([value, count]) => Buffer.alloc(count, value)), noise])
        assert.deepEqual(decodeLzw(encodeLzw(bytes), bytes.length), bytes)
      }),
      { numRuns: 60 },
    )
  })

  it('of any bytes end, and fill no more than they may', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        try {
          assert.ok(decodeLzw(bytes, 1000).length <= 1000)
        } catch (error) {
          assert.match(String(error), /damaged/)
        }
      }),
      { numRuns: 300 },
    )
  })
})
