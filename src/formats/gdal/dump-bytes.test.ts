import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseBytea, parseHex } from './dump-bytes.ts'

const bytesOf = (text: string): number[] | undefined => {
  const source = Buffer.from(`..${text}..`, 'latin1')
  const bytes = parseBytea(source, 2, source.length - 2)
  return bytes && [...bytes]
}

/** As GDAL 3.6 writes it. */
const escaped = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) =>
      byte < 40 || byte > 126 || byte === 0x5c
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCharCode(byte),
    )
    .join('')

describe('bytes of a dump', () => {
  it('are read in the escape form and in the hexadecimal form', () => {
    assert.deepEqual(bytesOf('\\211PNG\\015\\012'), [...Buffer.from('\u0089PNG\r\n', 'latin1')])
    assert.deepEqual(bytesOf('a\\\\b'), [...Buffer.from('a\\b')])
    assert.deepEqual(bytesOf('\\x89504E47'), [0x89, 0x50, 0x4e, 0x47])
    assert.deepEqual(bytesOf(''), [])
    assert.deepEqual(bytesOf('\\x'), [])
  })

  it('are any, in both forms', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        assert.deepEqual(bytesOf(escaped(bytes)), [...bytes])
        assert.deepEqual(bytesOf(`\\x${Buffer.from(bytes).toString('hex')}`), [...bytes])
      }),
    )
  })

  it('are not guessed from any other form', () => {
    for (const text of [
      '\\',
      'a\\',
      '\\21',
      '\\400',
      '\\89a',
      '\\x8',
      '\\x8g',
      'caf\u00e9',
      'a\nb',
      '\\X00',
    ]) {
      assert.equal(bytesOf(text), undefined, JSON.stringify(text))
    }
    for (const text of ['0', '0g', '00 ', 'zz00']) {
      assert.equal(parseHex(Buffer.from(text), 0, text.length), undefined, text)
    }
  })
})
