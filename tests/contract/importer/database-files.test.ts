import assert from 'node:assert/strict'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { createDatabaseImport, importState } from '../../support/database-import.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, listOf, readItems, startImporter } from '../../support/importer-client.ts'

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

  it('are SQLite files too, each table a task', async (t) => {
    const client = await startImporter(t)
    const database = join(client.server.dataDir, 'incoming', 'plain.sqlite')
    mkdirSync(join(client.server.dataDir, 'incoming'), { recursive: true })
    const made = new DatabaseSync(database)
    made.exec(
      "create table people (key integer primary key, name text); insert into people values (7, 'x'), (9, 'y'); create table empty (n int)",
    )
    made.close()
    const { json } = await createDatabaseImport(
      client,
      { dbtype: 'sqlite', database },
      { tables: ['people'] },
    )
    assert.deepEqual(json.import?.data?.tables, ['people'], JSON.stringify(json))
    await client.call('PUT', '/0/tasks/0/layer', { layer: { srs: 'EPSG:4326' } })
    await client.call('POST', '/0')
    assert.equal(await countFeatures(client, 'default:people'), 2)
    const { features } = await readItems(client, 'default:people')
    assert.deepEqual(
      listOf(features).map(({ properties }) => [properties?.key, properties?.name]),
      [
        [7, 'x'],
        [9, 'y'],
      ],
    )
    const other = await createDatabaseImport(client, { dbtype: 'geopkg', database })
    assert.match(String(other.json.import?.message), /is not a database of the format GeoPackage/)
  })
})
