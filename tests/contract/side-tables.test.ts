import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { SideTable } from '../../src/render/sources/side-tables.ts'
import { SideTables } from '../../src/render/sources/side-tables.ts'
import { commitLoad } from '../../src/stores/commit-load.ts'
import { Readers } from '../../src/stores/reading/readers.ts'
import { createServedStore } from '../../src/stores/reading/served-store.ts'
import { openVectorStore } from '../../src/stores/registry.ts'
import type { Row } from '../support/batches.ts'
import { batchesOf, schemaOf, wkb } from '../support/batches.ts'

const never = new AbortController().signal
const folder = mkdtempSync(join(tmpdir(), 'terrane-sides-'))
const readers = new Readers({ ownFolder: join(folder, 'stores'), otherFolders: [folder] })
const sides = new SideTables({ openStore: (connection) => createServedStore(connection, readers) })

after(async () => {
  await sides.close()
  await readers.close()
  rmSync(folder, { recursive: true })
})

function* points(count: number): Generator<Row> {
  for (let at = 0; at < count; at += 1) {
    const [x, y] = [5 + (at % 300) / 300, 50 + Math.floor(at / 300) / 300]
    yield { geometry: wkb('Point', [x, y]), values: [`næme ${at}`, at] }
  }
}

/** A side table of so many points between 5 and 6 degrees east. */
async function sideOf(count: number, given: Partial<SideTable> = {}): Promise<SideTable> {
  const path = join(folder, String(count), 'points.gpkg')
  mkdirSync(dirname(path), { recursive: true })
  const schema = schemaOf({ name: 'text', number: 'int32' }, 'Point')
  const store = openVectorStore({ type: 'GeoPackage', parameters: { path } })
  const mode = 'CREATE' as const
  const request = { loadId: `${count}`, mode, table: 'rows', schema, indexes: [] }
  const hooks = { signal: never, onMessage: () => undefined, onReject: () => assert.fail('a row is refused') }
  await commitLoad(await store.stage(request, batchesOf(schema, points(count)), hooks), async () => undefined)
  await store.close()
  return { path, table: 'rows', name: 'rows', crs: 'EPSG:4326', rows: count, ...given }
}

async function layerAt(side: SideTable, tile: { z: number; x: number; y: number }) {
  const { bytes, counts } = await sides.tile(side, { tile }, never)
  return { layer: new VectorTile(new PbfReader(gunzipSync(bytes))).layers[side.name], counts }
}

describe('a table that belongs to no layer', () => {
  it('is shown as tiles and as GeoJSON', async () => {
    const side = await sideOf(30)
    const { layer, counts } = await layerAt(side, { z: 6, x: 32, y: 21 })
    assert.equal(layer?.length, 30)
    assert.equal(counts.drawn, 30)
    const names = Array.from({ length: 30 }, (_, at) => layer?.feature(at).properties.name)
    assert.deepEqual(names.sort(), [...points(30)].map(({ values }) => values[0]).sort())
    let text = ''
    for await (const { bytes } of sides.page(side, { limit: 2, offset: 1 }, never))
      text += new TextDecoder().decode(bytes)
    const features = JSON.parse(`[${text}]`)
    assert.deepEqual(
      features.map(({ properties }: { properties: object }) => properties),
      [
        { name: 'næme 1', number: 1 },
        { name: 'næme 2', number: 2 },
      ],
    )
    assert.deepEqual(features[0].geometry, { type: 'Point', coordinates: [5 + 1 / 300, 50] })
  })

  it('is thinned where it has many rows, and taken to be in the CRS that is named', async () => {
    const side = await sideOf(30_000)
    const { layer, counts } = await layerAt(side, { z: 0, x: 0, y: 0 })
    assert.ok((layer?.length ?? 0) > 0 && (layer?.length ?? 0) < 10_000)
    assert.ok(Number(counts.thinned) > 20_000)
    assert.ok(readdirSync(dirname(side.path)).some((name) => name.endsWith('.overview')))
    const elsewhere = await sides.tile({ ...side, crs: 'EPSG:3857' }, { tile: { z: 22, x: 0, y: 0 } }, never)
    assert.equal(elsewhere.bytes.length, 0)
    await sides.remove(side.path)
    assert.deepEqual(readdirSync(dirname(side.path)), [])
  })

  it('in a CRS from which no way leads has no tiles', async () => {
    const side = await sideOf(3, { crs: { wkt: 'LOCAL_CS["somewhere"]' } })
    await assert.rejects(sides.tile(side, { tile: { z: 0, x: 0, y: 0 } }, never), { code: 'no-tiles' })
  })
})
