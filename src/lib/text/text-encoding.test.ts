import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { cutUtf8Bytes, findTextEncoding, isValidUtf8 } from './text-encoding.ts'

function encodingOf(name: string) {
  const encoding = findTextEncoding(name)
  assert.ok(encoding !== undefined, name)
  return encoding
}

function transcoded(name: string, bytes: Uint8Array): string | undefined {
  const target = new Uint8Array(bytes.length * 3 + 2)
  const written = encodingOf(name).transcode(bytes, 0, bytes.length, target, 2)
  return written < 0 ? undefined : new TextDecoder().decode(target.subarray(2, 2 + written))
}

describe('encoding names', () => {
  const names: [string, string][] = [
    ['UTF-8', 'UTF-8'],
    ['utf8\r\n', 'UTF-8'],
    ['65001', 'UTF-8'],
    ['1252', 'windows-1252'],
    ['ANSI 1252', 'windows-1252'],
    ['Cp1252', 'windows-1252'],
    ['windows-1251', 'windows-1251'],
    ['ISO-8859-1', 'ISO-8859-1'],
    ['ISO8859_15', 'ISO-8859-15'],
    ['88591', 'ISO-8859-1'],
    ['885915', 'ISO-8859-15'],
    ['28592', 'ISO-8859-2'],
    ['OEM 850', 'CP850'],
    ['IBM850', 'CP850'],
    ['LDID/87', 'windows-1252'],
    ['LDID/38', 'CP866'],
    ['GBK', 'GBK'],
    ['936', 'GBK'],
    ['Big5', 'Big5'],
    ['Shift_JIS', 'Shift_JIS'],
    ['cp932', 'Shift_JIS'],
    ['KOI8-R', 'KOI8-R'],
    ['874', 'windows-874'],
    ['x-MacRoman', 'macintosh'],
  ]
  for (const [written, name] of names) {
    it(`reads ${JSON.stringify(written)} as ${name}`, () => assert.equal(encodingOf(written).name, name))
  }

  it('knows no encoding for other words', () => {
    for (const name of ['', 'klingon', '99999', 'LDID/255', 'LDID/0', 'constructor', '859', 'ISO-8859-12'])
      assert.equal(findTextEncoding(name), undefined, name)
  })
})

describe('decoding', () => {
  it('agrees with a second implementation for every byte of every single-byte code page', () => {
    const pages = ['1250', '1251', '1253', '437', '737', '850', '852', '866', '88592', '885915', 'koi8-r']
    for (const page of pages) {
      const { name } = encodingOf(page)
      const bytes = Uint8Array.from({ length: 128 }, (_, index) => index + 128)
      for (const byte of bytes) {
        const expected = iconv.decode(Buffer.of(byte), name)
        if (expected !== '\ufffd') assert.equal(transcoded(page, Uint8Array.of(byte)), expected, page)
      }
    }
  })

  it('decodes the scripts that Shapefiles come in', () => {
    const texts: [string, string][] = [
      ['windows-1252', 'Straße – Köln €'],
      ['CP850', 'Ærø'],
      ['CP866', 'Москва'],
      ['GBK', '北京市'],
      ['Big5', '臺北市'],
      ['Shift_JIS', '東京都'],
      ['EUC-KR', '서울'],
      ['UTF-16LE', 'Ωmega'],
    ]
    for (const [name, text] of texts) {
      const bytes = iconv.encode(text, name)
      assert.equal(transcoded(name, bytes), text)
      assert.equal(encodingOf(name).decode(bytes), text)
    }
  })

  it('keeps the undefined bytes of Windows code pages as control characters', () => {
    assert.equal(transcoded('1252', Uint8Array.of(0x41, 0x81)), 'A\u0081')
  })

  it('refuses bytes that are no character', () => {
    assert.equal(transcoded('UTF-8', Uint8Array.of(0x41, 0xc3)), undefined)
    assert.equal(transcoded('Shift_JIS', Uint8Array.of(0x81)), undefined)
    assert.equal(transcoded('CP857', Uint8Array.of(0xd5)), undefined)
  })

  it('never writes more than three bytes for one', () => {
    const names = ['windows-1252', 'CP437', 'GBK', 'GB18030', 'Big5', 'Shift_JIS', 'EUC-KR', 'UTF-16LE']
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.uint8Array({ maxLength: 60 }), (name, bytes) => {
        const target = new Uint8Array(bytes.length * 3 + 8).fill(7)
        const written = encodingOf(name).transcode(bytes, 0, bytes.length, target, 0)
        assert.ok(written <= bytes.length * 3)
        assert.deepEqual(target.subarray(bytes.length * 3), new Uint8Array(8).fill(7))
      }),
    )
  })
})

describe('UTF-8', () => {
  it('tells well-formed text', () => {
    const bytes = new TextEncoder().encode('abcé')
    assert.equal(isValidUtf8(bytes), true)
    assert.equal(isValidUtf8(bytes, 0, 4), false)
  })

  it('counts the bytes of a character cut short at the end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), fc.nat(40), (text, length) => {
        const bytes = new TextEncoder().encode(text)
        const end = Math.min(length, bytes.length)
        assert.equal(isValidUtf8(bytes, 0, end - cutUtf8Bytes(bytes, 0, end)), true)
      }),
    )
    assert.equal(cutUtf8Bytes(new TextEncoder().encode('né'), 0, 3), 0)
  })
})
