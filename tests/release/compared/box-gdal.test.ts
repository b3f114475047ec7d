import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Envelope } from '../../../src/geo/envelope.ts'
import { openVectorStore } from '../../../src/stores/registry.ts'
import type { StoreType, VectorStore } from '../../../src/stores/store.ts'
import { openServedFile, untilIndexed } from '../../support/served-file.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const run = promisify(execFile)
const sample = join(import.meta.dirname, '../../../sample/natural-earth')

/** Some that hold a coast, a corner, a whole country, nothing, half the world; edges on whole degrees. */
const boxes: Envelope[] = [
  [2, 46, 3, 47],
  [-180, -90, 180, 90],
  [-180, -90, 0, 90],
  [10, 40, 20, 50],
  [-100, 30, -99, 31],
  [-30, 0, -20, 10],
  [28.5, -29.5, 28.6, -29.4],
  [-125, 24, -66, 50],
].map(([minX = 0, minY = 0, maxX = 0, maxY = 0]) => ({ minX, minY, maxX, maxY }))

async function idsOf(store: VectorStore, table: string, box: Envelope): Promise<number[]> {
  const { signal } = new AbortController()
  const ids: number[] = []
  const query = { table, bboxes: [box] }
  for await (const page of store.readFeatures({ ...query, limit: 10_000, offset: 0 }, signal))
    ids.push(...page.ids.map(Number))
  assert.equal(await store.count(query, signal), ids.length)
  return ids
}

async function idsOfGdal(path: string, box: Envelope): Promise<number[]> {
  const spat = [box.minX, box.minY, box.maxX, box.maxY].map(String)
  const { stdout } = await run('ogrinfo', ['-ro', '-q', '-al', '-geom=NO', '-spat', ...spat, path], {
    maxBuffer: 1 << 26,
  })
  return Array.from(stdout.matchAll(/^OGRFeature\(.*\):(\d+)$/gm), ([, id]) => Number(id))
}

const targets: { type: StoreType; driver: string; ending: string; firstId: number }[] = [
  { type: 'GeoPackage', driver: 'GPKG', ending: 'gpkg', firstId: 0 },
  { type: 'FlatGeobuf', driver: 'FlatGeobuf', ending: 'fgb', firstId: 1 },
  { type: 'Shapefile', driver: 'ESRI Shapefile', ending: 'shp', firstId: 1 },
]

describe('boxes over real data', () => {
  for (const { type, driver, ending, firstId } of targets) {
    for (const file of ['countries.geojson', 'states.shp', 'boundary_lines.shp']) {
      it(`find in ${type} what GDAL finds, ${file}`, async (t) => {
        const table = basename(file).replace(/\..*/, '')
        const path = join(temporaryFolder(t), `${table}.${ending}`)
        await run('ogr2ogr', [
          '-f',
          driver,
          '-nln',
          table,
          '-nlt',
          'PROMOTE_TO_MULTI',
          path,
          join(sample, file),
        ])
        const store =
          type === 'GeoPackage'
            ? openVectorStore({ type, parameters: { path, read_only: 'true' } })
            : openServedFile(t, type, path)
        t.after(() => store.close())
        await untilIndexed(store, table)
        const found = await Promise.all(boxes.map((box) => idsOf(store, table, box)))
        const expected = await Promise.all(boxes.map((box) => idsOfGdal(path, box)))
        const inOrder = expected.map((ids) => ids.map((id) => id + firstId).sort((a, b) => a - b))
        assert.deepEqual(found, inOrder)
      })
    }
  }
})
