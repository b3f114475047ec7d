import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { describe, it } from 'node:test'
import { ZipFile } from 'yazl'
import { readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles, temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { gdalFormats } from './gdal.ts'
import { copyPlainWorkbook } from './plain-workbook.ts'

const write = temporaryFiles()
const namespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

interface WorkbookXml {
  counts1904?: boolean
  /** Format codes by id. */
  codes?: Record<number, string>
  /** Number formats of the styles. */
  formats?: number[]
  strings?: string
  rows: string
}

/** Writes a workbook with one sheet. */
async function writeWorkbook({
  counts1904,
  codes = {},
  formats = [0],
  strings,
  rows,
}: WorkbookXml): Promise<string> {
  const path = write('book.xlsx', '')
  const zip = new ZipFile()
  const add = (name: string, xml: string): void =>
    zip.addBuffer(Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${xml}`), name)
  const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const package_ = 'http://schemas.openxmlformats.org/package/2006'
  const document = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  add(
    '[Content_Types].xml',
    `<Types xmlns="${package_}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
  )
  add(
    '_rels/.rels',
    `<Relationships xmlns="${package_}/relationships"><Relationship Id="r1" Type="${document}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  )
  add(
    'xl/workbook.xml',
    `<workbook xmlns="${namespace}" xmlns:r="${document}"><workbookPr${counts1904 === true ? ' date1904="1"' : ''}/><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
  )
  add(
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${package_}/relationships"><Relationship Id="r1" Type="${document}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${document}/styles" Target="styles.xml"/><Relationship Id="r3" Type="${document}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  )
  const numbers = Object.entries(codes).map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`)
  add(
    'xl/styles.xml',
    `<styleSheet xmlns="${namespace}"><numFmts>${numbers.join('')}</numFmts><cellXfs>${formats.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
  )
  if (strings !== undefined) add('xl/sharedStrings.xml', `<sst xmlns="${namespace}">${strings}</sst>`)
  add(
    'xl/worksheets/sheet1.xml',
    `<worksheet xmlns="${namespace}"><sheetData>${rows}</sheetData></worksheet>`,
  )
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
  return path
}

const xlsx = gdalFormats.find(({ name }) => name.startsWith('MS Office')) ?? assert.fail('no XLSX')
const header = (...names: string[]): string =>
  `<row r="1">${names.map((name, at) => `<c r="${'ABCDEFGH'[at]}1" t="inlineStr"><is><t>${name}</t></is></c>`).join('')}</row>`
const days = (text: string): number => Date.parse(text) / 86_400_000
const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n

describe('a workbook', () => {
  it('that counts days from 1904 has its dates, and its numbers as they are', async () => {
    const cell = (place: string, style: number, value: string): string =>
      `<c r="${place}" s="${style}"><v>${value}</v></c>`
    const path = await writeWorkbook({
      counts1904: true,
      codes: {
        164: 'dd\\.mm\\.yyyy\\ hh:mm:ss',
        165: '[$-407]d\\.\\ mmmm\\ yyyy;@',
        166: '[h]:mm',
        167: 'd/m/yy',
      },
      formats: [0, 14, 22, 164, 165, 21, 166, 167],
      rows: `${header('plain', 'date', 'moment', 'own', 'long', 'clock', 'elapsed', 'short')}
        <row r="2">${cell('A2', 0, '5')}${cell('B2', 1, '0')}${cell('C2', 2, '1.5')}${cell('D2', 3, '42466.25')}${cell('E2', 4, '42466')}${cell('F2', 5, '0.5')}${cell('G2', 6, '1.25')}${cell('H2', 7, '1')}</row>
        <row r="3">${cell('A3', 0, '42466')}${cell('B3', 1, '42466')}<c r="C3" s="2"><f>C2+1</f><v>2.5</v></c>${cell('D3', 3, '1')}${cell('E3', 4, '1')}${cell('F3', 5, '0.75')}${cell('G3', 6, '2')}${cell('H3', 7, '42466')}</row>`,
    })
    const { layer, rows } = await readLayer(xlsx, path)
    assert.deepEqual(
      layer.schema.attributes.map(({ type }) => type),
      ['int32', 'date', 'timestamp', 'timestamp', 'date', 'time', 'float64', 'date'],
    )
    assert.deepEqual(
      rows.map(({ values }) => values),
      [
        [
          5,
          days('1904-01-01'),
          micros('1904-01-02T12:00Z'),
          micros('2020-04-07T06:00Z'),
          days('2020-04-07'),
          43_200_000_000n,
          1.25,
          days('1904-01-02'),
        ],
        [
          42466,
          days('2020-04-07'),
          micros('1904-01-03T12:00Z'),
          micros('1904-01-02T00:00Z'),
          days('1904-01-02'),
          64_800_000_000n,
          2,
          days('2020-04-07'),
        ],
      ],
    )
  })

  it('has the text of its cells without their phonetic text', async () => {
    const path = await writeWorkbook({
      strings: `<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si><si><r><t>te</t></r><r><rPr><b/></rPr><t xml:space="preserve">xt 2</t></r></si><si><t>last</t><rPh sb="0" eb="1"/></si>`,
      rows: `${header('a', 'b')}<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c></row>
        <row r="3"><c r="A3" t="inlineStr"><is><t>大阪</t><rPh sb="0" eb="2"><t>オオサカ</t></rPh></is></c><c r="B3" t="s"><v>2</v></c></row>`,
    })
    const { rows } = await readLayer(xlsx, path)
    assert.deepEqual(
      rows.map(({ values }) => values),
      [
        ['東京', 'text 2'],
        ['大阪', 'last'],
      ],
    )
  })

  it('that counts from 1900 is read as it is', async () => {
    const path = await writeWorkbook({
      formats: [0, 14],
      rows: `${header('date', 'n')}<row r="2"><c r="A2" s="1"><v>43928</v></c><c r="B2"><v>1</v></c></row><row r="3"><c r="A3" s="1"><v>43929</v></c><c r="B3"><v>2</v></c></row>`,
    })
    const { rows } = await readLayer(xlsx, path)
    assert.deepEqual(
      rows.map(({ values }) => values[0]),
      [days('2020-04-07'), days('2020-04-08')],
    )
  })

  it('are scanned once as long as they are not written to', async (test) => {
    const rows = '<row r="1"><c r="A1"><v>1</v></c></row>'
    const path = await writeWorkbook({ rows })
    const signal = new AbortController().signal
    const copy = (folder: string): Promise<boolean> => copyPlainWorkbook(path, folder, 'book.xlsx', signal)
    assert.equal(await copy(temporaryFolder(test)), false)
    // A second scan would fail for want of the folder.
    assert.equal(await copy('/nonexistent'), false)
    assert.equal(await writeWorkbook({ rows, counts1904: true }), path)
    await assert.rejects(copy('/nonexistent'), { code: 'ENOENT' })
    assert.equal(await copy(temporaryFolder(test)), true)
  })
})
