import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Format } from '../../formats/format.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import type { FeatureQuery } from '../store.ts'
import { createFileStore } from './file-store.ts'

const schema: Schema = {
  attributes: [{ name: 'day', type: 'date' }],
  geometry: { name: 'geom', type: 'Point', hasZ: false, hasM: false, crs: { srs: 'EPSG:4326' } },
}

/** Ten points on the diagonal, a day each, in batches of four. */
const diagonal: Format = {
  name: 'Diagonal',
  kind: 'vector',
  extensions: ['diagonal'],
  canServeDirectly: true,
  detect: () => true,
  describe: () => Promise.resolve([{ name: 'points', schema, featureCount: 10, messages: [] }]),
  read: async function* () {
    for (let from = 0; from < 10; from += 4) {
      const builder = new BatchBuilder(schema)
      for (let at = from; at < Math.min(10, from + 4); at += 1) {
        const [day] = builder.columns
        if (day?.kind === 'fixed') day.append(at)
        builder.geometry?.header(1, false, false)
        builder.geometry?.coordinate(at, at)
        builder.geometry?.endGeometry()
        builder.endRow(at + 1)
      }
      yield builder.finish()
    }
  },
}

const store = createFileStore({
  type: 'Shapefile',
  format: diagonal,
  file: () => Promise.resolve({ path: 'points.diagonal', sidecars: {} }),
})
const signal = new AbortController().signal

async function idsOf(query: Partial<FeatureQuery>): Promise<string[]> {
  const ids: string[] = []
  const pages = store.readFeatures({ table: 'points', limit: 100, offset: 0, ...query }, signal)
  for await (const page of pages) ids.push(...page.ids)
  return ids
}

describe('a file served as it is', () => {
  it('pages over batches without losing or repeating a row', async () => {
    assert.deepEqual(await idsOf({ limit: 3, offset: 3 }), ['4', '5', '6'])
    assert.deepEqual(await idsOf({ limit: 5, offset: 8 }), ['9', '10'])
    assert.deepEqual(await idsOf({ offset: 10 }), [])
  })

  it('finds what touches one of the boxes', async () => {
    const bboxes = [
      { minX: 0, minY: 0, maxX: 1, maxY: 1 },
      { minX: 8.5, minY: 0, maxX: 20, maxY: 20 },
    ]
    assert.deepEqual(await idsOf({ bboxes }), ['1', '2', '10'])
    assert.equal(await store.count({ table: 'points', bboxes }, signal), 3)
  })

  it('finds days within an interval, both ends included', async () => {
    const time = { attribute: 'day', from: '1970-01-03T00:00:00.000Z', to: '1970-01-04T23:59:59.999Z' }
    assert.deepEqual(await idsOf({ time }), ['3', '4'])
  })

  it('finds one row by its number', async () => {
    assert.deepEqual(await idsOf({ featureId: '7' }), ['7'])
    assert.deepEqual(await idsOf({ featureId: '11' }), [])
  })

  it('names a layer that is not there', async () => {
    await assert.rejects(idsOf({ table: 'lines' }), /has no layer "lines"/)
  })
})
