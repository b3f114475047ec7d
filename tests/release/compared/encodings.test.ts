import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findTextEncoding } from '../../../src/core/text/text-encoding.ts'
import { columnValue } from '../../../src/geo/column.ts'
import { describeFile, needsGdal, readBatches } from '../../support/gdal-files.ts'
import { dataFile } from '../../support/read-layer.ts'
import { writeShapefile } from '../../support/shapefile-writer.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import type { ReferenceDecoder } from '../../support/text-decoders.ts'
import { decodedBy, decodedHere } from '../../support/text-decoders.ts'

const bytes = Array.from({ length: 256 }, (_, byte) => byte)
const singles = bytes.map((byte) => Uint8Array.of(byte))
const pairs = bytes.slice(128).flatMap((lead) => bytes.map((trail) => Uint8Array.of(lead, trail)))
/** Characters of JIS X 0212 in EUC-JP. */
const triples = bytes
  .slice(0xa1, 0xff)
  .flatMap((lead) => bytes.slice(0xa1, 0xff).map((trail) => Uint8Array.of(0x8f, lead, trail)))
/** Every four-byte sequence of GB 18030 for the Basic Multilingual Plane, and some of those behind it. */
const quadruples = [
  ...Array.from({ length: 39_500 }, (_, index) => quadruple(index)),
  ...Array.from({ length: 1100 }, (_, index) => quadruple(188_000 + index * 997)),
]

function quadruple(index: number): Uint8Array {
  const digits = [Math.floor(index / 12_600), Math.floor(index / 1260) % 10]
  const [first = 0, second = 0] = digits
  return Uint8Array.of(
    0x81 + first,
    0x30 + second,
    0x81 + (Math.floor(index / 10) % 126),
    0x30 + (index % 10),
  )
}

const iconv = (encoding: string): ReferenceDecoder => ({ program: 'iconv', encoding })
const python = (encoding: string): ReferenceDecoder => ({ program: 'python', encoding })

interface Compared {
  name: string
  by: ReferenceDecoder
  sequences: readonly Uint8Array[]
}

const dos = [
  '437',
  '737',
  '775',
  '850',
  '852',
  '855',
  '857',
  '858',
  '860',
  '861',
  '862',
  '863',
  '864',
  '865',
  '866',
  '869',
]
const windows = ['874', '1250', '1251', '1252', '1253', '1254', '1255', '1256', '1257', '1258']
const iso = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16]

const singleByte: Compared[] = [
  ...dos.map((page) => [`CP${page}`, iconv(`CP${page}`)] as const),
  ['CP720', python('cp720')] as const,
  ...windows.map((page) => [`windows-${page}`, iconv(`CP${page}`)] as const),
  ...iso.map((part) => [`ISO-8859-${part}`, iconv(`ISO-8859-${part}`)] as const),
  ...['KOI8-R', 'KOI8-U'].map((name) => [name, iconv(name)] as const),
  ['macintosh', python('mac_roman')] as const,
  ['x-mac-ce', python('mac_latin2')] as const,
  ['x-mac-cyrillic', python('mac_cyrillic')] as const,
  ['x-mac-greek', python('mac_greek')] as const,
].map(([name, by]) => ({ name, by, sequences: singles }))

const multiByte: Compared[] = [
  { name: 'GBK', by: iconv('GBK'), sequences: [...singles, ...pairs] },
  { name: 'GB18030', by: iconv('GB18030'), sequences: [...singles, ...pairs, ...quadruples] },
  { name: 'Big5', by: iconv('BIG5'), sequences: [...singles, ...pairs] },
  { name: 'Big5-HKSCS', by: iconv('BIG5-HKSCS'), sequences: [...singles, ...pairs] },
  { name: 'Shift_JIS', by: iconv('CP932'), sequences: [...singles, ...pairs] },
  { name: 'EUC-JP', by: iconv('EUC-JP'), sequences: [...singles, ...pairs, ...triples] },
  { name: 'EUC-KR', by: iconv('CP949'), sequences: [...singles, ...pairs] },
  { name: 'UTF-8', by: iconv('UTF-8'), sequences: [...singles, ...pairs] },
  {
    name: 'UTF-16LE',
    by: iconv('UTF-16LE'),
    sequences: bytes.flatMap((a) => bytes.map((b) => Uint8Array.of(a, b))),
  },
  {
    name: 'UTF-16BE',
    by: iconv('UTF-16BE'),
    sequences: bytes.flatMap((a) => bytes.map((b) => Uint8Array.of(a, b))),
  },
]

interface Difference {
  /** The row of the table in docs/compared-with-gdal.md. */
  reason: string
  encodings: RegExp
  is: (ours: string | null, theirs: string | null, hex: string) => boolean
}

const isPrivate = (text: string | null): boolean => text !== null && /[\ue000-\uf8ff]/.test(text)
const isControl = (text: string | null): boolean => text !== null && /[\u0080-\u009f]/.test(text)
const oneOf = (table: string) => {
  const known = new Set(table.split(' '))
  return (hex: string, ours: string | null): boolean =>
    known.has(`${hex}:${ours?.codePointAt(0)?.toString(16)}`)
}
const jisSymbols = oneOf('a1c1:ff5e a1c2:2225 a1dd:ff0d a1f1:ffe0 a1f2:ffe1 a2cc:ffe2')
const big5Symbols = oneOf(
  'a145:2027 a14e:fe51 a1c2:af a1e3:ff5e a1f2:2295 a1f3:2299 a241:2215 a242:fe68 a244:ffe5 a246:ffe0 a247:ffe1',
)

/** Every difference, with its reason. Nothing else may differ. */
const differences: Difference[] = [
  {
    reason: 'bytes that a Windows code page leaves open',
    encodings: /^windows-/,
    is: (ours, theirs) => theirs === null && (isControl(ours) || ours === '\u05ba'),
  },
  {
    reason: 'control characters of C1',
    encodings: /^(?:Big5|Big5-HKSCS|EUC-JP)$/,
    is: (ours, theirs) => ours === null && isControl(theirs),
  },
  {
    reason: 'characters of users',
    encodings: /^(?:GBK|Big5)$/,
    is: (ours, theirs) => theirs === null && isPrivate(ours),
  },
  {
    reason: 'the euro sign of GBK',
    encodings: /^GB18030$/,
    is: (ours, theirs, hex) => theirs === null && hex.startsWith('80') && ours?.startsWith('€') === true,
  },
  {
    reason: 'the wide space A3A0',
    encodings: /^GB18030$/,
    is: (ours, theirs, hex) => hex === 'a3a0' && ours === '\u3000' && isPrivate(theirs),
  },
  {
    reason: 'GBK with the two-byte characters of GB 18030',
    encodings: /^GBK$/,
    is: (ours, theirs) => theirs === null && ours !== null && !isControl(ours),
  },
  {
    reason: 'characters of GB 18030 with two codes',
    encodings: /^GB18030$/,
    is: (ours, theirs, hex) =>
      theirs === null && /^8(?:2359|4318)/.test(hex) && /^[\u9fb4-\u9fbb\ufe10-\ufe19]$/.test(ours ?? ''),
  },
  {
    reason: 'the character U+FFFD',
    encodings: /^GB18030$/,
    is: (ours, theirs) => ours === null && theirs === '\ufffd',
  },
  {
    reason: 'characters that Big5 has beside those of Hong Kong',
    encodings: /^Big5-HKSCS$/,
    is: (ours, theirs) => theirs === null && ours !== null && !isPrivate(ours) && !isControl(ours),
  },
  {
    reason: 'symbols that Microsoft maps to other characters',
    encodings: /^(?:EUC-JP|Big5-HKSCS)$/,
    is: (ours, theirs, hex) => theirs !== null && (jisSymbols(hex, ours) || big5Symbols(hex, ours)),
  },
  {
    reason: 'characters of NEC and IBM',
    encodings: /^EUC-JP$/,
    is: (ours, theirs, hex) => theirs === null && /^(?:ad|f9|fa|fb|fc)..$/.test(hex) && ours !== null,
  },
]

function differencesOf(
  { name }: Compared,
  found: [ours: string | null, theirs: string | null, hex: string][],
) {
  const used = new Set<Difference>()
  const unknown = found.filter(([ours, theirs, hex]) => {
    if (ours === theirs) return false
    const known = differences.find(({ encodings, is }) => encodings.test(name) && is(ours, theirs, hex))
    if (known !== undefined) used.add(known)
    return known === undefined
  })
  return { used, unknown }
}

describe('text encodings, compared with iconv and Python', () => {
  const usedAnywhere = new Set<Difference>()
  for (const compared of [...singleByte, ...multiByte]) {
    it(`${compared.name} decodes every sequence alike but for the documented ones`, async () => {
      const { name, by, sequences } = compared
      const theirs = await decodedBy(by, sequences)
      const found = sequences.map((sequence, at): [string | null, string | null, string] => [
        decodedHere(name, sequence),
        theirs[at] ?? null,
        Buffer.from(sequence).toString('hex'),
      ])
      const { used, unknown } = differencesOf(compared, found)
      for (const one of used) usedAnywhere.add(one)
      assert.deepEqual(
        unknown.slice(0, 20).map(([ours, others, hex]) => `${hex} ${JSON.stringify([ours, others])}`),
        [],
        `${unknown.length} sequences of ${name}`,
      )
    })
  }

  it('each documented difference occurs', () => {
    assert.deepEqual(
      differences.filter((one) => !usedAnywhere.has(one)).map(({ reason }) => reason),
      [],
    )
  })
})

/** Names as `.cpg` files have them, with what GDAL makes of them where that is another encoding. */
const labels: string[] = [
  ...[...dos, ...windows].filter((page) => page !== '874'),
  ...[...dos].map((page) => `CP${page}`),
  ...windows.slice(1).map((page) => `ANSI ${page}`),
  ...iso.map((part) => `8859${part}`),
  ...iso.map((part) => `ISO-8859-${part}`),

  'UTF-8',
  'KOI8-R',
  'KOI8-U',
  'GBK',
  'GB18030',
  'Big5',
  'SJIS',
  'Shift_JIS',
  'EUC-JP',
  'CP932',
  'CP936',
  'CP949',
  'CP950',
  ...bytes.map((id) => `LDID/${id}`),
].filter((label) => findTextEncoding(label) !== undefined)

/** Names that GDAL takes for another encoding, or does not know. */
const otherInGdal = /^(?:ANSI 125[02-8]|SJIS|Shift_JIS|LDID\/(?:4|9|87|15[0-2]))$/

const referenceOf = new Map([...singleByte, ...multiByte].map(({ name, by }) => [name, by]))

/** Sequences that stand for the same text here and by the reference, to be written into a table. */
async function sharedSequences(name: string): Promise<Uint8Array[]> {
  const reference = referenceOf.get(name)
  assert.ok(reference !== undefined, name)
  const isMultiByte = multiByte.some((one) => one.name === name)
  const candidates = isMultiByte
    ? pairs.filter(([, trail = 0], at) => trail >= 0x40 && at % 151 === 0)
    : singles.slice(128)
  const theirs = await decodedBy(reference, candidates)
  return candidates.filter((sequence, at) => theirs[at] != null && theirs[at] === decodedHere(name, sequence))
}

async function textsOf(path: string): Promise<string[]> {
  const file = dataFile(path)
  const [layer] = await describeFile(file)
  assert.ok(layer)
  const batches = await readBatches(file, layer)
  return batches.flatMap(({ columns: [column], rowCount }) =>
    column === undefined
      ? []
      : Array.from({ length: rowCount }, (_, row) => String(columnValue(column, row))),
  )
}

describe('text encodings, compared with GDAL', needsGdal, () => {
  it('each name of a .cpg file or language driver stands for the same encoding', async (t) => {
    const [folder, out] = [temporaryFolder(t), temporaryFolder(t)]
    const shared = new Map<string, Uint8Array[]>()
    for (const [number, label] of labels.entries()) {
      const name = findTextEncoding(label)?.name ?? ''
      const sequences = shared.get(name) ?? (await sharedSequences(name))
      shared.set(name, sequences)
      const driver = /^LDID\/(\d+)$/.exec(label)?.[1]
      writeShapefile(join(folder, `names${number}.shp`), {
        shapeType: 1,
        fields: [{ name: 'text', type: 'C', width: 8 }],
        rows: sequences.map((sequence, at) => ({
          shape: { parts: [[at, at]] },
          values: [Buffer.concat([Buffer.from('<'), sequence, Buffer.from('>')])],
        })),
        ...(driver === undefined ? { cpg: label } : { languageDriver: Number(driver) }),
      })
    }
    execFileSync('ogr2ogr', ['-f', 'CSV', join(out, 'csv'), folder], { stdio: 'ignore' })
    const [wrong, others]: [string[], string[]] = [[], []]
    for (const [number, label] of labels.entries()) {
      const ours = await textsOf(join(folder, `names${number}.shp`))
      const [, ...lines] = readFileSync(join(out, 'csv', `names${number}.csv`), 'utf8')
        .trim()
        .split('\n')
      const gdal = lines.map((line) => line.replace(/^"(.*)"$/, '$1'))
      const at = ours.findIndex((text, index) => text !== gdal[index])
      if (ours.length === gdal.length && at < 0) continue
      if (otherInGdal.test(label)) others.push(label)
      else wrong.push(`${label}: ${ours[at]} here, ${gdal[at]} by GDAL`)
    }
    assert.deepEqual(wrong, [])
    assert.deepEqual(
      others,
      labels.filter((label) => otherInGdal.test(label)),
    )
  })
})
