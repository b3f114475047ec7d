import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { FormatError } from '../format.ts'
import { geopackage } from './geopackage.ts'

const signal = new AbortController().signal
const stations = join(import.meta.dirname, '../../../tests/fixtures/geopackage/stations.gpkg')

describe('a damaged GeoPackage', () => {
  it('neither fails otherwise nor hangs on files that were damaged', async () => {
    const whole = readFileSync(stations)
    const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
    const path = join(folder, 'x.gpkg')
    const change = fc.record({
      at: fc.nat(whole.length - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    })
    const damage = fc.record({
      changes: fc.array(change, { minLength: 1, maxLength: 40 }),
      length: fc.oneof({ weight: 4, arbitrary: fc.constant(whole.length) }, fc.nat(whole.length)),
    })
    await fc.assert(
      fc.asyncProperty(damage, async ({ changes, length }) => {
        const bytes = Buffer.from(whole)
        for (const { at, bytes: by } of changes) bytes.set(by.subarray(0, bytes.length - at), at)
        writeFileSync(path, bytes.subarray(0, length))
        try {
          const layers = await geopackage.describe({ path, sidecars: {} }, { signal })
          for (const layer of layers) {
            let rows = 0
            for await (const batch of geopackage.read({ path, sidecars: {} }, layer, { signal }))
              rows += batch.rowCount + batch.rejects.length
            assert.ok(rows < 100_000)
          }
        } catch (error) {
          assert.ok(error instanceof FormatError, String(error))
        }
      }),
      { numRuns: 300 },
    )
    rmSync(folder, { recursive: true })
  })
})
