import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { csv } from '../../../src/formats/csv/csv.ts'
import { mutation, readDamaged } from '../../support/mutations.ts'
import { readLayer } from '../../support/read-layer.ts'
import { temporaryFiles } from '../../support/temporary-files.ts'

const write = temporaryFiles()
const fixtures = join(import.meta.dirname, '../../fixtures/csv')

const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  fc.string({ unit: fc.constantFrom(...'ab,;|\t" \n\r1.') }),
  fc.integer().map(String),
)

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

describe('damaged CSV', () => {
  for (const name of ['valid.csv', 'spectrum/quotes_and_newlines.csv', 'spectrum/newlines_crlf.csv']) {
    it(`accounts for every row of ${name}, or says what is wrong`, async () => {
      const source = readFileSync(join(fixtures, name))
      let read = 0
      await fc.assert(
        fc.asyncProperty(mutation, async (mutations) => {
          const bytes = mutations.reduce<Buffer>((before, mutate) => mutate(before), source)
          if ((await readDamaged(csv, write('damaged.csv', bytes))) === 'read') read += 1
        }),
        { numRuns: 150 },
      )
      assert.ok(read > 0)
    })
  }
})

describe('any CSV', () => {
  it('keeps every quoted cell as it is where others have no quotes', async () => {
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 })
    const style = fc.tuple(fc.constantFrom(',', ';', '\t', '|'), fc.constantFrom('\n', '\r\n'))
    await fc.assert(
      fc.asyncProperty(table, style, async (rows, [delimiter, end]) => {
        const lines = [['x', 'y', 'z'], ...rows].map((row) => [...row.map(quote), 'plain'].join(delimiter))
        const result = await readLayer(csv, write('any.csv', lines.join(end)))
        assert.deepEqual(
          result.rows.map((row) => row.values.map((value) => value ?? '')),
          rows.map((row) => [...row, 'plain']),
        )
      }),
      { numRuns: 150 },
    )
  })

  it('reads the same wherever a chunk ends', async () => {
    const text = 'ä,"b ""1"""\r\n"c\nd",2\r\n  3 , 4\n5,6\r\n'
    const expected = (await readLayer(csv, write('whole.csv', `x,y\n${text}`))).rows
    await fc.assert(
      fc.asyncProperty(fc.nat(Buffer.byteLength(text)), async (cut) => {
        const filler = '\n'.repeat((1 << 20) - 4 - cut)
        assert.deepEqual((await readLayer(csv, write('cut.csv', `x,y\n${filler}${text}`))).rows, expected)
      }),
      { numRuns: 60 },
    )
  })
})
