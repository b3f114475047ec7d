import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const rows = 1500
const rounds = 4
const readersOfEach = 1

const pointsOf = (generation: string, count: number): Points =>
  Array.from({ length: count }, (_, at) => [`${generation}${at}`, (at % 50) * 7 - 175, (at % 40) * 3 - 60])

describe('layers of one GeoPackage that are written to and read at the same time', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp({ env: { TERRANE_LOADS: '3' } })
    await addVersionStores(server)
  })
  after(() => server.close())

  const load = (name: string, mode: 'CREATE' | 'APPEND'): Promise<void> =>
    importPoints(server, { name, store: 'file', mode, points: pointsOf(mode === 'CREATE' ? 'a' : 'b', rows) })

  async function restoreVersion(name: string): Promise<void> {
    const versions = await versionsOf(server, `default:${name}`)
    const [latest, first] = [versions[0]?.version ?? 0, versions.at(-1)?.version ?? 0]
    for (let round = 0; round < rounds; round += 1) {
      const back = await restore(server, `default:${name}`, round % 2 === 0 ? first : latest)
      assert.equal(back.status, 200, back.text)
    }
  }

  async function edit(name: string): Promise<void> {
    const path = `/ogc/collections/default:${name}/items`
    for (let round = 0; round < rounds * 3; round += 1) {
      const feature = {
        type: 'Feature',
        properties: { name: `e${round}` },
        geometry: { type: 'Point', coordinates: [round, round] },
      }
      const added = await ask(server, 'POST', path, feature, { 'content-type': 'application/geo+json' })
      assert.equal(added.status, 201, added.text)
    }
  }

  async function comeAndGo(name: string): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await load(`${name}_${round}`, 'CREATE')
      const url = `/rest/layers/default:${name}_${round}?recurse=true`
      assert.equal((await ask(server, 'DELETE', url)).status, 200)
    }
  }

  it('have no version of which nobody can tell where it comes from', async () => {
    const names = ['still', 'back', 'forth', 'edited']
    for (const name of names) {
      await load(name, 'CREATE')
      await load(name, 'APPEND')
    }
    let isOver = false
    const read = async (name: string, at: number): Promise<void> => {
      const collection = `/ogc/collections/default:${name}/items?limit=${at % 2 === 0 ? 10 : 10_000}`
      while (!isOver) {
        const { status, text } = await ask(server, 'GET', collection)
        assert.equal(status, 200, text)
        await server.app.inject({ url: `/tiles/default:${name}/0/0/0.mvt`, headers: server.admin })
      }
    }
    const reading = names.flatMap((name) => Array.from({ length: readersOfEach }, (_, at) => read(name, at)))
    try {
      await Promise.all([restoreVersion('back'), restoreVersion('forth'), edit('edited'), comeAndGo('guest')])
    } finally {
      isOver = true
      await Promise.all(reading)
    }
    for (const name of names) {
      await ask(server, 'GET', `/ogc/collections/default:${name}/items?limit=1`)
      const causes = (await versionsOf(server, `default:${name}`)).map(({ cause }) => cause)
      assert.ok(!causes.includes('outside'), `${name}: ${causes.join()}`)
    }
    assert.equal((await versionsOf(server, 'default:still')).length, 2)
  })
})
