import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readLayer } from '../../../tests/support/read-layer.ts'
import { type WriterRow, writeShapefile } from '../../../tests/support/shapefile-writer.ts'
import { shapefile } from './shapefile.ts'

const folder = mkdtempSync(join(tmpdir(), 'blocks-'))
after(() => rmSync(folder, { recursive: true }))

/** More than a batch, which is more than a block. */
const rowCount = 2500
const fields = [
  { name: 'name', type: 'C', width: 12 },
  { name: 'people', type: 'N', width: 9 },
  { name: 'big', type: 'N', width: 15 },
  { name: 'height', type: 'N', width: 24, decimals: 15 },
  { name: 'seen', type: 'D', width: 8 },
]

function plainRow(row: number): WriterRow {
  const name = Buffer.from(row % 3 === 0 ? `Évora ${row}` : `Bergen ${row}`)
  const height = `${row}.567000000000007`.padStart(24)
  return {
    shape: { parts: [[row, -row]] },
    values: [name, row, 3_000_000_000 + row, height, `2024${String((row % 12) + 1).padStart(2, '0')}01`],
  }
}

async function read(name: string, changed: ReadonlyMap<number, WriterRow>, cpg = 'UTF-8') {
  const path = join(folder, `${name}.shp`)
  const rows = Array.from({ length: rowCount }, (_, index) => changed.get(index + 1) ?? plainRow(index + 1))
  writeShapefile(path, { shapeType: 1, fields, rows, cpg })
  return readLayer(shapefile, path)
}

function expected(row: number, text = row % 3 === 0 ? `Évora ${row}` : `Bergen ${row}`) {
  const seen = Date.UTC(2024, row % 12, 1) / 86_400_000
  return [text, row, BigInt(3_000_000_000 + row), Number(`${row}.567000000000007`), seen]
}

describe('blocks of rows', () => {
  it('have the values of each row', async () => {
    const { rows, rejects } = await read('plain', new Map())
    assert.deepEqual(rejects, [])
    for (const [index, { values, geometry }] of rows.entries()) {
      assert.deepEqual(values, expected(index + 1))
      assert.equal(geometry, `POINT (${index + 1} ${-index - 1})`)
    }
    assert.equal(rows.length, rowCount)
  })

  it('lose only the row with an unreadable value or shape, or a deleted row', async () => {
    const change = (row: number, index: number, value: string | Uint8Array): [number, WriterRow] => {
      const plain = plainRow(row)
      return [row, { ...plain, values: plain.values.with(index, value) }]
    }
    const { rows, rejects } = await read(
      'odd',
      new Map([
        change(1, 1, 'x'),
        change(255, 3, '1.2.3'),
        change(256, 4, '20241301'),
        change(257, 2, '1,5'),
        [700, { ...plainRow(700), isDeleted: true }],
        [701, { ...plainRow(701), shape: null }],
        [702, { ...plainRow(702), shape: { parts: [[Number.NaN, 1]] } }],
        change(2048, 0, Uint8Array.of(0x41, 0xff)),
        change(rowCount, 1, 'x'),
      ]),
    )
    const rejected = [1, 255, 256, 257, 702, 2048, rowCount]
    assert.deepEqual(
      rejects.map(({ row }) => row),
      rejected,
    )
    const left = Array.from({ length: rowCount }, (_, index) => index + 1).filter(
      (row) => row !== 700 && !rejected.includes(row),
    )
    assert.deepEqual(
      rows.map(({ values, geometry }) => [geometry, values]),
      left.map((row) => [row === 701 ? null : `POINT (${row} ${-row})`, expected(row)]),
    )
  })

  it('do not take the end of a text and the start of the next for one character', async () => {
    const text = (row: number, name: Uint8Array): [number, WriterRow] => {
      const plain = plainRow(row)
      return [row, { ...plain, values: plain.values.with(0, name) }]
    }
    const halves = new Map([text(10, Uint8Array.of(0x41, 0xc3)), text(11, Uint8Array.of(0xa9, 0x42))])
    const { rejects } = await read('halves', halves)
    assert.deepEqual(
      rejects.map(({ row }) => row),
      [10, 11],
    )
  })

  it('decode texts of other encodings, and texts up to a NUL', async () => {
    const text = (row: number, name: Uint8Array): [number, WriterRow] => {
      const plain = plainRow(row)
      return [row, { ...plain, values: plain.values.with(0, name) }]
    }
    const names = Array.from({ length: rowCount }, (_, index) =>
      text(index + 1, Uint8Array.of(0xc9, 0x76, 0x80, ...(index % 5 === 0 ? [0, 0x78] : []))),
    )
    const { rows } = await read('encoded', new Map(names), 'windows-1252')
    for (const [index, { values }] of rows.entries()) assert.deepEqual(values, expected(index + 1, 'Év€'))
    assert.equal(rows.length, rowCount)
  })
})
