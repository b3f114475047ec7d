import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { seededRandom } from '../../../bench/random.ts'
import type { Tile } from '../../../src/stores/reading/tile-request.ts'
import { writeTile, writeTiles } from '../../../src/stores/reading/write-tile.ts'
import { stores } from '../../../src/stores/registry.ts'
import type { VectorStore } from '../../../src/stores/store.ts'
import { tileReadingOf } from '../../../src/stores/tile-reading.ts'
import { findLevels } from '../../../src/tiles/generalize/layer-generalization.ts'
import { writeOverview } from '../../../src/tiles/generalize/overview.ts'
import { positionEnvelopesOf } from '../../../src/tiles/generalize/position-envelopes.ts'
import type { Row } from '../../support/batches.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import { startStore } from '../../support/store-starts.ts'
import { decodeTile } from '../../support/tiles.ts'
import { never, withStore } from '../store-session.ts'

/** Limit of bytes read for a tile in these tests. */
const mostBytes = 40_000
const schema = schemaOf({ text: 'text' }, 'Polygon')
const tile = { z: 2, x: 2, y: 1 }
const source = { table: 'layer', crs: 'EPSG:4326', name: 'rows' }
const request = { set: 'WebMercatorQuad', tile } as const

/**
 * Returns polygons of 10 to 90 vertices, all of different sizes, some with a text; all within one tile of
 * zoom 2.
 */
function sampleRows(): Row[] {
  const random = seededRandom(5)
  return Array.from({ length: 400 }, () => {
    const [x, y, radius] = [10 + random() * 70, 5 + random() * 50, 0.4 + random() * 3]
    const corners = 10 + Math.floor(random() * 80)
    const ring = Array.from({ length: corners + 1 }, (_, at) => {
      const angle = ((at % corners) / corners) * 2 * Math.PI
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
    })
    return { geometry: wkb('Polygon', [ring]), values: [random() < 0.5 ? null : 'x'.repeat(random() * 300)] }
  })
}

/** The ids of the largest rows that may be read, and how many are left out. */
async function expectedRows(store: VectorStore, rows: Row[]): Promise<{ ids: number[]; overLimit: number }> {
  const known: { id: string; size: number }[] = []
  const sizeOf = await positionEnvelopesOf('EPSG:4326')
  for await (const { ids, envelopes } of tileReadingOf(store).readEnvelopes({ table: 'layer' }, never)) {
    const { size } = sizeOf(envelopes)
    ids.forEach((id, at) => {
      known.push({ id, size: size[at] as number })
    })
  }
  const lengths = rows.map(
    ({ geometry, values: [text] }) => (geometry?.length ?? 0) + String(text ?? '').length,
  )
  const order = known.map((_, at) => at).sort((a, b) => (known[b]?.size ?? 0) - (known[a]?.size ?? 0))
  let total = 0
  const kept = order.filter((at) => {
    total += lengths[at] ?? 0
    return total <= mostBytes
  })
  return {
    ids: kept.map((at) => Number(known[at]?.id)).sort((a, b) => a - b),
    overLimit: order.length - kept.length,
  }
}

/** Returns the file of the overview that serves the lowest zoom levels. */
async function overviewOf(
  store: VectorStore,
  folder: string,
): Promise<{ path: string; cells: readonly number[] }> {
  const ids: string[] = []
  const sides: number[] = []
  for await (const page of tileReadingOf(store).readEnvelopes({ table: 'layer' }, never)) {
    ids.push(...page.ids)
    sides.push(...page.envelopes)
  }
  const envelopes = Float64Array.from(sides)
  const places = (await positionEnvelopesOf('EPSG:4326'))(envelopes)
  const levels = findLevels(places, { features: 100 })
  const path = join(folder, 'layer.overview')
  await writeFile(
    path,
    writeOverview({ ids: (row) => ids[row] ?? '', envelopes, positions: places, levels }, 3),
  )
  return { path, cells: levels.thinning.cells }
}

describe('a tile of more than may be read for it', () => {
  const shown = new Map<string, unknown>()
  for (const description of Object.values(stores).filter(({ can }) => can.takesLoads)) {
    it(
      `shows the largest features, the same ones however it is made: ${description.type}`,
      withStore(
        () => startStore(description),
        async ({ store, fill }) => {
          const rows = sampleRows()
          await fill(schema, rows)
          const whole = await writeTile(store, source, request, never)
          assert.deepEqual([whole.counts.drawn, whole.counts.overLimit], [400, 0])
          const { ids, overLimit } = await expectedRows(store, rows)
          const made = await writeTile(store, source, request, never, mostBytes)
          const shownIds = (bytes: Uint8Array) => decodeTile(gunzipSync(bytes)).map(({ id }) => id)
          assert.deepEqual(shownIds(made.bytes), ids)
          assert.deepEqual([made.counts.drawn, made.counts.overLimit], [ids.length, overLimit])
          assert.ok(overLimit > 100 && ids.length > 20, `${ids.length} of 400`)
          shown.set(description.type, [Buffer.from(made.bytes).toString('base64'), made.counts])
          const folder = await mkdtemp(join(tmpdir(), 'terrane-limits-'))
          try {
            await expectSameOtherWays(store, made, await overviewOf(store, folder))
          } finally {
            await rm(folder, { recursive: true })
          }
        },
      ),
    )
  }

  it('has the same bytes from each store', () => {
    const [first, ...others] = shown.values()
    assert.ok(others.length > 0)
    for (const other of others) assert.deepEqual(other, first)
  })
})

/** With others, with an overview and without, where the zoom is thinned. */
async function expectSameOtherWays(
  store: VectorStore,
  made: Tile,
  { path, cells }: { path: string; cells: readonly number[] },
): Promise<void> {
  const plain = ({ bytes, counts }: Pick<Tile, 'bytes' | 'counts'>) => ({ bytes, counts })
  const requests = [request, { ...request, tile: { z: 2, x: 0, y: 0 } }]
  const [first] = await writeTiles(store, source, requests, never, mostBytes)
  assert.deepEqual(first && plain(first), plain(made))
  const cell = cells[tile.z] as number
  const slow = await writeTile(store, { ...source, thinning: { cell } }, request, never, mostBytes)
  const overview = { path, level: tile.z }
  const quick = await writeTile(store, { ...source, thinning: { cell, overview } }, request, never, mostBytes)
  assert.deepEqual(plain(quick), plain(slow))
  assert.ok(slow.counts.overLimit > 0, JSON.stringify(slow.counts))
}
