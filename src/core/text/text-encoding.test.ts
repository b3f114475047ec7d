import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
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

/**
 * Decodes each sequence by the program `iconv`; undefined where iconv refuses the sequence, or would encode the result
 * by other bytes.
 */
function decodedByIconv(name: string, sequences: readonly number[][]): (string | undefined)[] {
  // Numbered lines, since iconv may skip a newline together with an undefined byte.
  const input = Buffer.concat(
    sequences.map((bytes, at) =>
      Buffer.concat([Buffer.from(`<${at}>`), Buffer.from(bytes), Buffer.from('\n\n')]),
    ),
  )
  const decoded = spawnSync('iconv', ['-c', '-f', name, '-t', 'UTF-8'], { input }).stdout
  const encoded = spawnSync('iconv', ['-c', '-f', 'UTF-8', '-t', name], { input: decoded }).stdout
  const texts = numberedLines(decoded.toString('utf8'))
  const again = numberedLines(encoded.toString('latin1'))
  return sequences.map((bytes, at) =>
    again.get(at) === Buffer.from(bytes).toString('latin1') ? texts.get(at) : undefined,
  )
}

function numberedLines(text: string): Map<number, string> {
  return new Map(Array.from(text.matchAll(/<(\d+)>(.*?)\n/g), ([, at, line]) => [Number(at), line ?? '']))
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
  it('agrees with iconv for every byte of every single-byte encoding', () => {
    const pages = [437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 865, 866, 869]
    const parts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16]
    const names = [
      ...pages.map((page) => `CP${page}`),
      '874',
      '1250',
      '1251',
      '1252',
      '1253',
      '1254',
      '1255',
      '1256',
      '1257',
      '1258',
      ...parts.map((part) => `ISO-8859-${part}`),
      'KOI8-R',
      'KOI8-U',
    ]
    const sequences = Array.from({ length: 128 }, (_, index) => [index + 128])
    for (const name of names) {
      const isWindows = /^\d+$/.test(name)
      const expected = decodedByIconv(isWindows ? `CP${name}` : name, sequences)
      for (const [at, bytes] of sequences.entries()) {
        // Bytes that Windows code pages do not define are read as browsers do, most as control characters.
        if (isWindows && expected[at] === undefined) continue
        assert.equal(transcoded(name, Uint8Array.from(bytes)), expected[at], `${name} ${bytes}`)
      }
    }
  })

  it('agrees with iconv for every sequence of one or two bytes of the Asian encodings', () => {
    const lead = Array.from({ length: 128 }, (_, index) => index + 128)
    const sequences = lead.flatMap((first) => [
      [first],
      ...Array.from({ length: 256 - 0x20 }, (_, index) => [first, index + 0x20]),
    ])
    const programs: [name: string, iconvName: string][] = [
      ['949', 'CP949'],
      ['EUC-KR', 'CP949'],
      ['936', 'CP936'],
      ['950', 'CP950'],
      ['932', 'CP932'],
    ]
    for (const [name, iconvName] of programs) {
      const expected = decodedByIconv(iconvName, sequences)
      for (const [at, bytes] of sequences.entries()) {
        const ours = transcoded(name, Uint8Array.from(bytes))
        const theirs = expected[at]
        // Extensions, user-defined characters and second encodings of a character are read, too.
        if (theirs === undefined && iconvName !== 'CP949') continue
        if (theirs !== undefined && /[\u0080-\u009f]/.test(theirs)) continue
        assert.equal(ours, theirs, `${name} ${Buffer.from(bytes).toString('hex')}`)
      }
    }
  })

  it('never returns control characters for undefined bytes of the Asian encodings', () => {
    for (const name of ['EUC-KR', 'GBK', 'GB18030', 'Big5', 'Big5-HKSCS', 'Shift_JIS', 'EUC-JP']) {
      for (let first = 0x80; first < 256; first += 1) {
        for (let second = 0; second < 256; second += 1) {
          const text = transcoded(name, Uint8Array.of(first, second)) ?? ''
          assert.doesNotMatch(text, /[\u0080-\u009f\ufffd]/, `${name} ${first} ${second}`)
        }
      }
    }
  })

  it('reads the code page that Korean Windows writes', () => {
    for (const name of ['CP949', '949', 'LDID/78', 'ks_c_5601-1987', 'EUC-KR', 'uhc']) {
      assert.equal(
        transcoded(name, iconv.encode('똠방각하 펲시콜라, 서울뷁', 'cp949')),
        '똠방각하 펲시콜라, 서울뷁',
      )
    }
    assert.equal(transcoded('949', Uint8Array.of(0x81)), undefined)
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
