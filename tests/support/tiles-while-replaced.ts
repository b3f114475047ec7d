import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import { it } from 'node:test'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TestApp } from './app.ts'
import { createTestApp } from './app.ts'
import { createCatalogDatabase } from './catalog-database.ts'
import { fileDatabase, storeParameters } from './postgis-store.ts'
import type { Points } from './versioned-layers.ts'
import { importPoints, recordOf } from './versioned-layers.ts'

const tiles = ['0/0/0', '1/0/0', '1/1/0', '2/1/1', '2/2/1', '3/3/3', '3/4/3']
const layers = ['file', 'table']

/** Points that say of which generation they are. */
function pointsOf(generation: number): Points {
  return Array.from({ length: 400 }, (_, at) => [
    `${generation}`,
    -170 + (at % 20) * 17,
    5 + Math.floor(at / 20) * 3,
  ])
}

/** State of a layer: generations begun and completed, and the one of each observed version. */
interface LayerGenerations {
  begun: number
  complete: number
  byVersion: Map<string, number>
}

async function serving(t: TestContext, env: Record<string, string>): Promise<TestApp> {
  const server = await createTestApp({ env })
  t.after(() => server.close())
  const connectionParameters = storeParameters(await fileDatabase(), 'public')
  for (const [name, type, parameters] of [
    ['file', 'GeoPackage', { database: `${server.dataDir}/stores/own.gpkg` }],
    ['table', 'PostGIS', connectionParameters],
  ] as const) {
    const dataStore = { name, type, connectionParameters: parameters }
    const url = '/rest/workspaces/default/datastores'
    const { statusCode, body } = await server.app.inject({
      method: 'POST',
      url,
      headers: server.admin,
      payload: { dataStore },
    })
    assert.equal(statusCode, 201, body)
  }
  return server
}

/** One request for a tile of one layer or both; whatever it must not be is thrown. */
async function askOnce(
  server: TestApp,
  reported: Map<string, LayerGenerations>,
  bodies: Map<string, string>,
  { names, tile, ids }: { names: string[]; tile: string; ids: Map<string, number> },
): Promise<'kept' | 'unkept'> {
  const before = new Map(names.map((name) => [name, reported.get(name)?.complete ?? 0]))
  const url = `/tiles/${names.map((name) => `default:${name}`).join(',')}/${tile}.mvt`
  const { statusCode, headers, rawPayload, body } = await server.app.inject({ url, headers: server.admin })
  assert.equal(statusCode, 200, body)
  const tag = headers.etag === undefined ? undefined : String(headers.etag)
  const decoded = new VectorTile(new PbfReader(rawPayload))
  for (const name of names) {
    const layer = decoded.layers[name]
    assert.ok(layer !== undefined, `${url} lacks ${name}`)
    const found = new Set(
      Array.from({ length: layer.length }, (_, at) => Number(layer.feature(at).properties.name)),
    )
    assert.equal(found.size, 1, `${url} mixes ${[...found]} of ${name}`)
    const [generation = -1] = found
    const known = reported.get(name)
    assert.ok(known)
    assert.ok(
      generation >= (before.get(name) ?? 0),
      `${url} is of ${generation}, ${before.get(name)} was complete`,
    )
    assert.ok(generation <= known.begun)
    const version = tag?.match(new RegExp(`[-]${ids.get(name)}\\.(\\d+)`))?.[1]
    if (version === undefined) continue
    assert.equal(known.byVersion.get(version) ?? generation, generation, `version ${version} of ${name}`)
    known.byVersion.set(version, generation)
  }
  if (tag === undefined) return 'unkept'
  const digest = createHash('sha256').update(rawPayload).digest('hex')
  assert.equal(bodies.get(`${tag} ${url}`) ?? digest, digest, `${url} with ${tag} has other bytes`)
  bodies.set(`${tag} ${url}`, digest)
  return 'kept'
}

export interface ReplacedTiles {
  catalogue: 'SQLite' | 'PostgreSQL'
  clients: number
  /** Replacements of each layer. */
  generations: number
}

/** Declares a test that asks for tiles of two layers while both are replaced. */
export function testTilesDuringReplacements({ catalogue, clients, generations }: ReplacedTiles): void {
  it('are of one version each, of that of their ETag, and never older than what was complete', async (t) => {
    const url: Record<string, string> =
      catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }
    const server = await serving(t, url)
    const reported = new Map<string, LayerGenerations>()
    const ids = new Map<string, number>()
    for (const name of layers) {
      reported.set(name, { begun: 0, complete: 0, byVersion: new Map() })
      await importPoints(server, { name, store: name, points: pointsOf(0) })
      ids.set(name, (await recordOf(server, name)).id)
    }
    const bodies = new Map<string, string>()
    const counts = { kept: 0, unkept: 0 }
    let isOver = false
    const replaceAll = async (name: string): Promise<void> => {
      const known = reported.get(name)
      assert.ok(known)
      for (let generation = 1; generation <= generations && !isOver; generation += 1) {
        known.begun = generation
        await importPoints(server, { name, store: name, mode: 'REPLACE', points: pointsOf(generation) })
        known.complete = generation
      }
    }
    const ask = async (client: number): Promise<void> => {
      for (let round = client; !isOver; round += 1) {
        const names = [['file'], ['table'], ['file', 'table']][round % 3] ?? []
        const tile = tiles[(client * 31 + round * 7) % tiles.length] ?? ''
        counts[await askOnce(server, reported, bodies, { names, tile, ids })] += 1
      }
    }
    const replacing = Promise.all(layers.map(replaceAll)).finally(() => {
      isOver = true
    })
    const asking = Array.from({ length: clients }, (_, client) => ask(client))
    await Promise.all([replacing, ...asking]).finally(() => {
      isOver = true
    })
    for (const name of layers) {
      const last = await askOnce(server, reported, bodies, { names: [name], tile: '0/0/0', ids })
      assert.equal(reported.get(name)?.complete, generations)
      t.diagnostic(`${name}: ${last}, versions ${[...(reported.get(name)?.byVersion ?? [])].join(' ')}`)
    }
    t.diagnostic(JSON.stringify(counts))
    assert.ok(counts.kept > clients / 3 && counts.unkept > 0, 'both kinds of answers were seen')
  })
}
