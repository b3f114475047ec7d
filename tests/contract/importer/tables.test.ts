import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const csv = 'name,Breite,Länge\nRom,41.9,12.5\nBern,46.95,7.45\n'
const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

/** The same table in other formats, by GDAL. */
async function inFormats(test: TestContext): Promise<{ name: string; content: Buffer }[]> {
  const folder = await temporaryFolder(test)
  writeFileSync(join(folder, 'places.csv'), csv)
  return ['XLSX', 'ODS', 'GPKG', 'SQLite', 'ESRI Shapefile'].map((driver) => {
    const ending = { GPKG: 'gpkg', SQLite: 'sqlite', 'ESRI Shapefile': 'dbf' }[driver] ?? driver.toLowerCase()
    const path = join(folder, `places.${ending}`)
    const types = [
      '-oo',
      'AUTODETECT_TYPE=YES',
      '-nlt',
      'NONE',
      '-nln',
      'places',
      ...(driver === 'SQLite' ? ['-dsco', 'METADATA=NO'] : []),
    ]
    execFileSync('ogr2ogr', ['-f', driver, path, join(folder, 'places.csv'), ...types], { stdio: 'pipe' })
    return { name: `places.${ending}`, content: readFileSync(path) }
  })
}

const taskOf = async (client: ImporterClient, id: number): Promise<Json> =>
  (await client.call('GET', `/${id}/tasks/0`)).json.task as Json

const reported = (task: Json): Json[] =>
  listOf(task.messages).filter(({ code }) => String(code) === 'without-geometry')

for (const [shape, envOf] of Object.entries(shapes)) {
  describe(`a table without geometry, with ${shape}`, needsGdal, () => {
    it('never becomes a layer in silence, and its coordinates are proposed, in every format', async (test) => {
      const client = await startImporter(test, { env: await envOf() })
      const files = [{ name: 'places.csv', content: Buffer.from(csv) }, ...(await inFormats(test))]
      for (const file of files) {
        const id = Number((await client.call('POST', '')).json.import?.id)
        assert.equal((await client.upload(id, [file])).status, 201, file.name)
        const waiting = await taskOf(client, id)
        assert.equal(String(waiting.state), 'NO_CRS', `${file.name} ${JSON.stringify(waiting)}`)
        const [proposal] = listOf<Json>(waiting.proposals)
        assert.match(String(proposal?.evidence), /12\.5 and 41\.9/, `${file.name} ${JSON.stringify(waiting)}`)
        await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
        const ready = await taskOf(client, id)
        assert.deepEqual([ready.state, reported(ready).length], ['READY', 1], file.name)
        assert.match(
          String(reported(ready)[0]?.message),
          /is a table without one\. Columns .* creates points/,
        )
        const dryRunEnded = await client.call('POST', `/${id}/dry-run`)
        assert.match(dryRunEnded.text, /"without-geometry"/, file.name)
        assert.equal((await client.call('POST', `/${id}`)).status, 204)
        const done = await taskOf(client, id)
        assert.deepEqual(
          [done.state, reported(done).length],
          ['COMPLETE', 1],
          `${file.name} ${JSON.stringify(done)}`,
        )
      }
    })

    it('says nothing of rows that a transformation gives a geometry, and all the same of rows added without', async (test) => {
      const client = await startImporter(test, { env: await envOf() })
      const points = Number((await client.call('POST', '')).json.import?.id)
      await client.upload(points, [{ name: 'spots.csv', content: csv }])
      const [proposal] = listOf<Json>((await taskOf(client, points)).proposals)
      await client.call('POST', `/${points}/tasks/0/transforms`, proposal?.transform)
      await client.call('PUT', `/${points}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
      await client.call('POST', `/${points}`)
      const done = await taskOf(client, points)
      assert.deepEqual([done.state, reported(done)], ['COMPLETE', []])
      for (const updateMode of ['APPEND', 'UPSERT']) {
        const id = Number((await client.call('POST', '')).json.import?.id)
        await client.upload(id, [{ name: 'spots.csv', content: csv }])
        const task = { updateMode, keys: ['name'], layer: { name: 'spots', srs: 'EPSG:4326' } }
        await client.call('PUT', `/${id}/tasks/0`, { task })
        await client.call('POST', `/${id}`)
        const added = await taskOf(client, id)
        assert.match(
          String(reported(added)[0]?.message),
          /its rows are loaded without one/,
          JSON.stringify(added),
        )
      }
    })
  })
}

describe('a table of a database', () => {
  it('without geometry has its coordinates proposed, and tells when it becomes a table', async (test) => {
    const url = await (await testCluster()).createDatabase()
    await runSql(url, 'create table spots (id int primary key, lat float8, lon numeric(9, 6))')
    await runSql(url, 'insert into spots values (1, null, null), (2, 41.9, 12.5)')
    const client = await startImporter(test)
    const { hostname, port, username, password, pathname } = new URL(url)
    const made = await client.server.app.inject({
      method: 'POST',
      url: '/rest/database-imports',
      headers: client.server.admin,
      payload: {
        import: {
          data: {
            type: 'database',
            parameters: {
              dbtype: 'postgis',
              host: hostname,
              port: Number(port),
              user: username,
              passwd: password,
              database: pathname.slice(1),
            },
          },
        },
      },
    })
    assert.equal(made.statusCode, 201, made.payload)
    const id = Number(made.json().import.id)
    const waiting = await taskOf(client, id)
    const [proposal] = listOf<Json>(waiting.proposals)
    assert.match(String(proposal?.evidence), /begin with 12\.500000 and 41\.9/)
    await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
    assert.equal(reported(await taskOf(client, id)).length, 1)
    await client.call('POST', `/${id}`)
    const done = await taskOf(client, id)
    assert.deepEqual([done.state, reported(done).length], ['COMPLETE', 1])
  })
})
