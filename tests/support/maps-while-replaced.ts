import assert from 'node:assert/strict'
import { it } from 'node:test'
import sharp from 'sharp'
import type { TestApp } from './app.ts'
import { createTestApp } from './app.ts'
import { createCatalogDatabase } from './catalog-database.ts'
import { fileDatabase, storeParameters } from './postgis-store.ts'
import type { Cleanup } from './terrane-process.ts'
import type { Points } from './versioned-layers.ts'
import { importPoints } from './versioned-layers.ts'

/** Of each generation: rings, and what is drawn above them by another reading of the table. */
const outer = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#ff00ff']
const inner = ['#800000', '#008000', '#000080', '#808000', '#800080']

function pointsOf(generation: number): Points {
  return Array.from({ length: 400 }, (_, at) => [
    `${generation}`,
    -170 + (at % 20) * 17,
    -57 + Math.floor(at / 20) * 6,
  ])
}

function circles(id: string, radius: number, colours: readonly string[]): object {
  const pairs = colours.flatMap((colour, generation) => [`${generation}`, colour])
  const paint = { 'circle-radius': radius, 'circle-color': ['match', ['get', 'name'], ...pairs, '#ffffff'] }
  return { id, type: 'circle', source: 'a', 'source-layer': 'a', paint }
}

const style = {
  version: 8,
  sources: { a: { type: 'vector', url: 'a' } },
  layers: [circles('outer', 9, outer), circles('inner', 4, inner)],
}

async function serve(t: Cleanup, env: Record<string, string>): Promise<TestApp> {
  const server = await createTestApp({ env })
  t.after(() => server.close())
  const put = async (method: 'POST' | 'PUT', url: string, payload: object): Promise<void> => {
    const { statusCode, body } = await server.app.inject({ method, url, headers: server.admin, payload })
    assert.ok(statusCode < 300, `${url}: ${body}`)
  }
  for (const [name, type, connectionParameters] of [
    ['file', 'GeoPackage', { database: `${server.dataDir}/stores/own.gpkg` }],
    ['table', 'PostGIS', storeParameters(await fileDatabase(), 'public')],
  ] as const) {
    await put('POST', '/rest/workspaces/default/datastores', {
      dataStore: { name, type, connectionParameters },
    })
    await importPoints(server, { name, store: name, points: pointsOf(0) })
  }
  const document = JSON.stringify(style)
  await put('POST', '/rest/styles', { style: { name: 'rings', format: 'maplibre', document } })
  for (const name of ['file', 'table'])
    await put('PUT', `/rest/layers/default:${name}`, { layer: { defaultStyle: { name: 'rings' } } })
  return server
}

/** The generations whose colours are to be seen in a picture. */
async function generationsIn(picture: Buffer): Promise<{ outer: Set<number>; inner: Set<number> }> {
  const rgb = await sharp(picture).removeAlpha().raw().toBuffer()
  const found = { outer: new Set<number>(), inner: new Set<number>() }
  for (let at = 0; at < rgb.length; at += 3) {
    const colour = `#${rgb.toString('hex', at, at + 3)}`
    if (outer.includes(colour)) found.outer.add(outer.indexOf(colour))
    if (inner.includes(colour)) found.inner.add(inner.indexOf(colour))
  }
  return found
}

export interface ReplacedMaps {
  catalogue: 'SQLite' | 'PostgreSQL'
  clients: number
  /** Replacements of each layer. At most four. */
  generations: number
}

/** Declares a test that asks for maps of two layers while both are replaced. */
export function testMapsDuringReplacements({ catalogue, clients, generations }: ReplacedMaps): void {
  it('are of one version each, however many ask', async (t) => {
    const env: Record<string, string> =
      catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }
    const server = await serve(t, env)
    const complete = new Map([
      ['file', 0],
      ['table', 0],
    ])
    let isOver = false
    let seen = 0
    let refused = 0
    const ask = async (client: number): Promise<void> => {
      for (let round = client; !isOver; round += 1) {
        const name = round % 2 === 0 ? 'file' : 'table'
        const before = complete.get(name) ?? 0
        const west = -170 + ((client * 37 + round * 17) % 5) * 51
        const box = `${west},-40,${west + 70},40`
        const filter = round % 7 === 0 ? '&cql_filter=INCLUDE' : ''
        const url = `/wms?service=WMS&version=1.1.1&request=GetMap&layers=default:${name}&styles=&srs=EPSG:4326&bbox=${box}&width=280&height=320&format=image/png${filter}`
        const reply = await server.app.inject({ url, headers: server.admin })
        // Who waits behind too many is told so.
        if (reply.statusCode === 503) {
          refused += 1
          continue
        }
        assert.equal(reply.statusCode, 200, reply.body)
        const found = await generationsIn(reply.rawPayload)
        assert.deepEqual([...found.outer], [...found.inner], `${name} mixes versions`)
        assert.equal(found.outer.size, 1, `${name} mixes ${[...found.outer].join()}`)
        const [generation = -1] = found.outer
        assert.ok(generation >= before, `${name} is of ${generation}, when ${before} was complete`)
        seen += 1
      }
    }
    const replace = async (name: string): Promise<void> => {
      for (let generation = 1; generation <= generations && !isOver; generation += 1) {
        await importPoints(server, { name, store: name, mode: 'REPLACE', points: pointsOf(generation) })
        complete.set(name, generation)
      }
    }
    const end = (): void => {
      isOver = true
    }
    const replacing = Promise.all(['file', 'table'].map(replace)).finally(end)
    const asking = Array.from({ length: clients }, (_, client) => ask(client))
    await Promise.all([replacing, ...asking]).finally(end)
    t.diagnostic(`${seen} maps, ${refused} refused`)
    assert.ok(seen >= 30)
  })
}
