import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ArrayElements } from './array-elements.ts'
import { DumpError } from './dump-error.ts'

/** Cuts a text that comes in pieces of these sizes. */
function cut(text: string | Buffer, sizes: readonly number[] = [], maxBytes = 1000): string[] {
  const bytes = Buffer.from(text)
  const elements = new ArrayElements(maxBytes)
  const found: string[] = []
  for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
    const size = sizes[piece % Math.max(1, sizes.length)] ?? bytes.length
    for (const element of elements.push(bytes.subarray(at, at + size))) found.push(element.toString('utf8'))
    at += size
  }
  elements.finish()
  return found
}

describe('elements of a JSON array', () => {
  it('are cut out whole, whatever stands in their texts', () => {
    assert.deepEqual(cut('[ {"a":"],[\\""} , [1,[2]], "}" ,3]\n'), [
      ' {"a":"],[\\""} ',
      ' [1,[2]]',
      ' "}" ',
      '3',
    ])
    assert.deepEqual(cut('\ufeff [ ] '), [])
  })

  it('are the same in whatever pieces the text comes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), sizes, (values, pieces) => {
        const found = cut(JSON.stringify(values, null, 1), pieces, 100_000)
        assert.deepEqual(
          found.map((element) => JSON.stringify(JSON.parse(element))),
          values.map((value) => JSON.stringify(value)),
        )
      }),
    )
  })

  it('are cut, or the text is refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          cut(Buffer.concat([Buffer.from('['), bytes]))
        } catch (error) {
          assert.ok(error instanceof DumpError, String(error))
        }
      }),
    )
  })

  it('are held only up to a number of bytes', () => {
    assert.throws(() => cut(`[1,"${'a'.repeat(2000)}"]`, [100]), /more than 1000 bytes of element 2/)
  })
})
