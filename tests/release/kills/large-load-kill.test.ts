import assert from 'node:assert/strict'
import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { MortalServer } from '../../support/kills/mortal-server.ts'
import { endImport } from '../../support/kills/session.ts'
import { temporaryData } from '../../support/terrane-process.ts'

/** Memory of a loading connection; anything beyond that goes to the log before the commit. */
const heldBytes = 16 << 20

/** Points with long texts. */
function pointsCsv(count: number, textLength: number): string {
  const rows = Array.from(
    { length: count },
    (_, at) => `${at},${'x'.repeat(textLength)},${at % 90},${at % 45}`,
  )
  return ['gid,name,lon,lat', ...rows].join('\n')
}

describe('a server that is killed before a large load commits', () => {
  it('leaves every layer of the GeoPackage at its version', async (t) => {
    const dataDir = temporaryData(t)
    const incoming = join(dataDir, 'incoming')
    mkdirSync(incoming, { recursive: true })
    writeFileSync(join(incoming, 'places.csv'), pointsCsv(20, 10))
    writeFileSync(join(incoming, 'more.csv'), pointsCsv(16_000, 2000))
    const server = new MortalServer(t, dataDir, {})
    await server.start()
    const call = async (status: number, method: string, path: string, body?: unknown) => {
      const answer = await server.now.call(method, path, body)
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`)
      return answer
    }
    const prepare = async (file: string, name: string, updateMode: string): Promise<number> => {
      const created = await call(201, 'POST', '/rest/imports', { import: { data: { type: 'file', file } } })
      const id = Number(created.json.import?.id)
      const transforms = [{ type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }]
      const task = {
        updateMode,
        layer: { name, nativeName: name, srs: 'EPSG:4326' },
        transformChain: { type: 'vector', transforms },
      }
      await call(200, 'PUT', `/rest/imports/${id}/tasks/0`, { task })
      return id
    }
    const versionsOf = async (name: string): Promise<string[]> => {
      await call(200, 'GET', `/ogc/collections/default:${name}/items?limit=1`)
      const { json } = await call(200, 'GET', `/rest/layers/default:${name}/versions`)
      return (json as unknown as { versions: { cause: string }[] }).versions.map(({ cause }) => cause)
    }
    for (const name of ['places', 'beside']) {
      const id = await prepare('places.csv', name, 'CREATE')
      await call(204, 'POST', `/rest/imports/${id}`)
      await endImport(server.now, id, name)
      assert.deepEqual(await versionsOf(name), ['import'])
    }
    const id = await prepare('more.csv', 'places', 'APPEND')
    assert.ok(await server.dieAt('load.noted', () => server.now.call('POST', `/rest/imports/${id}`)))
    const logs = globSync(join(dataDir, 'stores', '**', '*.gpkg-wal')).map((log) => statSync(log).size)
    assert.ok(Math.max(...logs) > heldBytes, `logs of ${logs.join(' and ')} bytes`)
    await server.start()
    await endImport(server.now, id, 'the large load')
    assert.deepEqual(await versionsOf('places'), ['import', 'import'])
    assert.deepEqual(await versionsOf('beside'), ['import'])
    await server.stop()
  })
})
