import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { downloaded } from '../../support/downloaded.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { ask, restore } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

const rows = 'pop,area,name,X,Y\n1,2.5,Bonn,7.1,50.7\n2,3.5,Ulm,10,48.4\n'
const titles = { pop: 'Population', area: 'Area & "more"', name: 'Population' }

/** A GeoPackage whose columns `pop`, `area` and `name` have titles, two of them the same. */
function titledFile(t: TestContext): Buffer {
  const folder = temporaryFolder(t)
  const [csv, path] = [join(folder, 'places.csv'), join(folder, 'places.gpkg')]
  writeFileSync(csv, rows)
  execFileSync('ogr2ogr', [
    '-f',
    'GPKG',
    '-oo',
    'X_POSSIBLE_NAMES=X',
    '-oo',
    'Y_POSSIBLE_NAMES=Y',
    '-oo',
    'KEEP_GEOM_COLUMNS=NO',
    '-oo',
    'AUTODETECT_TYPE=YES',
    '-a_srs',
    'EPSG:4326',
    '-nln',
    'places',
    path,
    csv,
  ])
  const db = new DatabaseSync(path)
  db.exec(`CREATE TABLE gpkg_data_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, title TEXT,
    description TEXT, mime_type TEXT, constraint_name TEXT, PRIMARY KEY (table_name, column_name), UNIQUE (table_name, name))`)
  const add = db.prepare(
    `INSERT INTO gpkg_data_columns (table_name, column_name, title) VALUES ('places', ?, ?)`,
  )
  for (const [column, title] of Object.entries(titles)) add.run(column, title)
  db.close()
  return readFileSync(path)
}

describe('titles of columns', needsGdal, () => {
  let server: TestApp
  let client: ImporterClient
  before(async () => {
    server = await createTestApp()
    client = clientOf(server)
    await addVersionStores(server)
  })
  after(() => server.close())

  async function load(name: string, store: string, file: string | Buffer, more: object = {}): Promise<Json> {
    const created = await client.call('POST', '', {
      import: {
        targetWorkspace: { workspace: { name: 'default' } },
        targetStore: { dataStore: { name: store } },
      },
    })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: `${name}.${typeof file === 'string' ? 'csv' : 'gpkg'}`, content: file }])
    const changed = await client.call('PUT', `/${id}/tasks/0`, {
      task: { layer: { name, srs: 'EPSG:4326' }, ...more },
    })
    assert.equal(changed.status, 200, changed.text)
    await client.call('POST', `/${id}`)
    const { json, text } = await client.call('GET', `/${id}/tasks/0`)
    assert.equal(String(json.task?.['state']), 'COMPLETE', text)
    return json.task as Json
  }

  async function titlesIn(url: string): Promise<Record<string, unknown>> {
    const { json, text } = await ask(server, 'GET', url)
    const isSent = url.includes('type=')
    const properties = isSent ? json['properties']?.['properties']?.['properties'] : json['properties']
    assert.ok(properties !== undefined, text)
    return Object.fromEntries(
      Object.keys(titles).map((name) => {
        const property = properties[name]
        return [name, (property?.['anyOf']?.[0] ?? property)?.['title']]
      }),
    )
  }

  async function requireTitles(layer: string, expected: Record<string, string> = titles): Promise<void> {
    const path = `/ogc/collections/default:${layer}`
    for (const part of ['schema', 'queryables', 'sortables', 'schema?type=create'])
      assert.deepEqual(await titlesIn(`${path}/${part}`), expected, part)
  }

  for (const store of ['file', 'table']) {
    it(`reach schema, queryables and sortables, and outlive further loads, in the store "${store}"`, async (t) => {
      const name = `titled_${store}`
      await load(name, store, titledFile(t))
      await requireTitles(name)
      await load(name, store, rows, { updateMode: 'APPEND' })
      await requireTitles(name)
      await load(name, store, rows, { updateMode: 'REPLACE' })
      await requireTitles(name)
      const restored = await restore(server, `default:${name}`, 1)
      assert.equal(restored.status, 200, restored.text)
      await requireTitles(name)
    })

    it(`stand in a downloaded GeoPackage and come back from it, in the store "${store}"`, async (t) => {
      const name = `sent_${store}`
      await load(name, store, titledFile(t))
      const reply = await downloaded(server, `/ogc/collections/default:${name}/download?f=gpkg`, server.admin)
      assert.equal(reply.statusCode, 200, reply.body.slice(0, 500))
      const path = join(temporaryFolder(t), 'sent.gpkg')
      writeFileSync(path, reply.rawPayload)
      const db = new DatabaseSync(path)
      t.after(() => db.close())
      assert.deepEqual(
        db
          .prepare('SELECT column_name, title FROM gpkg_data_columns')
          .all()
          .map((row) => [row['column_name'], row['title']]),
        Object.entries(titles),
      )
      assert.deepEqual(
        db
          .prepare(
            'SELECT table_name, extension_name FROM gpkg_extensions WHERE extension_name = ? ORDER BY table_name',
          )
          .all('gpkg_schema')
          .map((row) => row['table_name']),
        ['gpkg_data_column_constraints', 'gpkg_data_columns'],
      )
      const read = execFileSync('ogr2ogr', ['-f', 'CSV', '/vsistdout/', path], { encoding: 'utf8' })
      assert.match(read, /^pop,area,name\n"?1"?,2.5,Bonn\n"?2"?,3.5,Ulm\n$/)
      await load(`${name}_again`, store, reply.rawPayload)
      await requireTitles(`${name}_again`)
    })
  }

  it('stay with a column that is renamed', async (t) => {
    const layer = {
      name: 'renamed',
      srs: 'EPSG:4326',
      attributes: [
        { name: 'people', source: 'pop' },
        { name: 'area', source: 'area' },
      ],
    }
    await load('renamed', 'file', titledFile(t), { layer })
    const { json } = await ask(server, 'GET', '/ogc/collections/default:renamed/schema')
    assert.equal(String(json['properties']?.['people']?.['title']), 'Population')
  })
})
