import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { clientOf } from '../../support/importer-client.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { ask } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

/** A GeoPackage of points whose FID column is called `gid` and counts the names. */
function exported(t: TestContext, names: readonly string[]): Buffer {
  const folder = temporaryFolder(t)
  const features = names.map((name) => ({
    type: 'Feature',
    properties: { name },
    geometry: { type: 'Point', coordinates: [name.length, 1] },
  }))
  writeFileSync(join(folder, 'a.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
  const path = join(folder, 'a.gpkg')
  execFileSync('ogr2ogr', ['-f', 'GPKG', '-lco', 'FID=gid', path, join(folder, 'a.geojson')])
  return readFileSync(path)
}

describe('changes between versions of data with an identity column', needsGdal, () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await addVersionStores(server)
  })
  after(() => server.close())

  for (const store of ['file', 'table']) {
    it(`leave the numbers out that another export has given anew, in store ${store}`, async (t) => {
      const client = clientOf(server)
      const name = `numbered_${store}`
      const load = async (names: string[], more: object): Promise<void> => {
        const created = await client.call('POST', '', {
          import: {
            targetWorkspace: { workspace: { name: 'default' } },
            targetStore: { dataStore: { name: store } },
          },
        })
        const id = Number(created.json.import?.id)
        await client.upload(id, [{ name: `${name}.gpkg`, content: exported(t, names) }])
        await client.call('PUT', `/${id}/tasks/0`, { task: { layer: { name }, ...more } })
        await client.call('POST', `/${id}`)
        const { json, text } = await client.call('GET', `/${id}/tasks/0`)
        assert.equal(String(json.task?.['state']), 'COMPLETE', text)
      }
      const changes = async (): Promise<unknown> => {
        const { json, status, text } = await ask(
          server,
          'GET',
          `/rest/layers/default:${name}/versions/1/changes?against=2`,
        )
        assert.equal(status, 200, text)
        return json['changes']
      }
      await load(['oak', 'beech', 'elm'], {})
      await load(['beech', 'elm', 'oak', 'ash'], { updateMode: 'REPLACE' })
      assert.deepEqual(await changes(), { added: 1, changed: null, removed: 0, same: 3, matchedBy: [] })
    })
  }
})
