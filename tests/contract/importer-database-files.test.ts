import assert from 'node:assert/strict'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { createDatabaseImport, importState } from '../support/database-import.ts'
import type { ImporterClient, Json } from '../support/importer-client.ts'
import { listOf, startImporter } from '../support/importer-client.ts'

describe('imports of a database that is a file', () => {
  function provide(client: ImporterClient, fixture: string, name: string): string {
    const path = join(client.server.dataDir, 'incoming', name)
    mkdirSync(join(client.server.dataDir, 'incoming'), { recursive: true })
    cpSync(join('tests/fixtures', fixture), path)
    return path
  }

  async function importFile(t: TestContext, dbtype: string, fixture: string, name: string) {
    const client = await startImporter(t)
    const path = provide(client, fixture, name)
    const created = await createDatabaseImport(client, { dbtype, database: path })
    assert.equal(created.status, 201, created.text)
    return { client, path, created: created.json.import as Json }
  }

  it('are described by dbtype and path, and load into the default store', async (t) => {
    const { client, path, created } = await importFile(t, 'geopkg', 'geopackage/stations.gpkg', 'data.gpkg')
    const { parameters, format } = created.data as Json
    assert.equal(format, 'GeoPackage')
    assert.deepEqual(
      Object.entries(parameters as object).filter(([, value]) => value !== null),
      [
        ['database', path],
        ['dbtype', 'geopkg'],
      ],
    )
    await client.call('POST', '/0')
    const { state, tasks } = await importState(client)
    assert.equal(state, 'COMPLETE')
    assert.equal(listOf(tasks)[0]?.target?.dataStore?.name, 'default')
  })
})
