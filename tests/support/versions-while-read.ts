import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TestApp } from './app.ts'
import { createTestApp } from './app.ts'
import { fileDatabase } from './postgis-store.ts'
import { runSql } from './postgres.ts'
import { ask, restore, versionsOf } from './version-client.ts'
import { addVersionStores } from './version-stores.ts'
import type { Points } from './versioned-layers.ts'
import { importPoints } from './versioned-layers.ts'

const rows = 2500
const readers = 3

/** Far from one another, so that a tile shows all of them. */
const pointsOf = (generation: string, count: number): Points =>
  Array.from({ length: count }, (_, at) => [
    `${generation}${at}`,
    (at % 50) * 7 - 175,
    Math.floor(at / 50) * 3 - 75,
  ])

/** Counts the rows of each generation. */
function tally(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => name[0])
  return [...counts]
    .map(([letter, all]) => `${all.length} ${letter}`)
    .sort()
    .join(', ')
}

type RestoredLayer = readonly [store: 'file' | 'table', mode: 'REPLACE' | 'APPEND', hasView: boolean]

/** Declares tests that read layers of these kinds while versions of them are restored so often. */
export function testReadersDuringRestores(layers: readonly RestoredLayer[], restores: number): void {
  let server: TestApp
  before(async () => {
    server = await createTestApp({ env: { TERRANE_LOADS: '2' } })
    await addVersionStores(server)
  })
  after(() => server.close())

  async function items(layer: string): Promise<string> {
    const { status, json, text } = await ask(
      server,
      'GET',
      `/ogc/collections/default:${layer}/items?limit=10000`,
    )
    assert.equal(status, 200, text)
    const { features, numberMatched } = json as unknown as {
      features: { properties: { name: string } }[]
      numberMatched: number
    }
    assert.equal(numberMatched, features.length)
    return tally(features.map(({ properties }) => properties.name))
  }

  async function tile(layer: string): Promise<string> {
    const reply = await server.app.inject({ url: `/tiles/default:${layer}/0/0/0.mvt`, headers: server.admin })
    assert.equal(reply.statusCode, 200, reply.body)
    const shown = new VectorTile(new PbfReader(reply.rawPayload)).layers[layer]
    const names = Array.from({ length: shown?.length ?? 0 }, (_, at) =>
      String(shown?.feature(at).properties.name),
    )
    return tally(names)
  }

  for (const [store, mode, hasView] of layers) {
    it(`see one version or the other whole, of ${mode} in store ${store}${hasView ? ' with a view' : ''}`, async () => {
      const name = `read_${store}_${mode.toLowerCase()}${hasView ? '_view' : ''}`
      await importPoints(server, { name, store, points: pointsOf('a', rows) })
      if (hasView)
        await runSql(
          await fileDatabase(),
          `create view public.${name}_seen as select name from public.${name}`,
        )
      await importPoints(server, { name, store, mode, points: pointsOf('b', rows / 2) })
      const versions = await versionsOf(server, `default:${name}`)
      const [latest, first] = [versions[0]?.version ?? 0, versions.at(-1)?.version ?? 0]
      const whole = `${rows} a`
      const other = mode === 'REPLACE' ? `${rows / 2} b` : `${rows / 2} b, ${rows} a`
      const drawn = new Set([await tile(name)])
      assert.equal(await items(name), other)
      const seen = { items: new Map<string, number>(), tiles: new Map<string, number>() }
      let isOver = false
      const read = async (what: 'items' | 'tiles'): Promise<void> => {
        while (!isOver) {
          const found = await (what === 'items' ? items : tile)(name)
          seen[what].set(found, (seen[what].get(found) ?? 0) + 1)
        }
      }
      const reading = Array.from({ length: readers }, (_, at) => read(at % 2 === 0 ? 'items' : 'tiles'))
      try {
        for (let round = 0; round < restores; round += 1) {
          const back = await restore(server, `default:${name}`, round % 2 === 0 ? first : latest)
          assert.equal(back.status, 200, back.text)
          // What is asked after the answer is the version that it tells.
          assert.equal(await items(name), round % 2 === 0 ? whole : other)
          drawn.add(await tile(name))
        }
      } finally {
        isOver = true
        await Promise.all(reading)
      }
      for (const found of seen.items.keys()) assert.ok([whole, other].includes(found), `a page of ${found}`)
      for (const found of seen.tiles.keys())
        assert.ok(drawn.has(found), `a tile of ${found}, not ${[...drawn].join(' or ')}`)
      assert.equal(drawn.size, 2)
      const causes = (await versionsOf(server, `default:${name}`)).map(({ cause }) => cause)
      assert.ok(!causes.slice(0, restores).some((cause) => cause !== 'restore'), causes.join())
    })
  }
}
