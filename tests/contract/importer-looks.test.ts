import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient, Json } from '../support/importer-client.ts'
import { listOf, readItems, startImporter } from '../support/importer-client.ts'
import { testCluster } from '../support/postgres.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({
    TERRANE_DATABASE_URL: await (await testCluster()).createDatabase(),
  }),
}
const most = ['csv', 'flatgeobuf', 'geojson', 'geopackage', 'geoparquet', 'gpx', 'kml', 'shapefile']
const folders: Record<keyof typeof shapes, string[]> = {
  'SQLite and GeoPackage': most,
  'PostgreSQL and PostGIS': ['flatgeobuf', 'geopackage', 'kml'],
}
const target = { targetStore: { dataStore: { name: 'default' } } }

async function importOf(client: ImporterClient, folder: string): Promise<{ id: number; tasks: Json[] }> {
  client.provide(folder)
  const created = await client.call('POST', '', {
    import: { ...target, data: { type: 'directory', location: folder } },
  })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  return { id, tasks: listOf((await client.call('GET', `/${id}/tasks?expand=2`)).json.tasks) }
}

/** Properties and places, without the names of columns: stores have rules of their own for those. */
function contentOf({ features }: Json): { values: unknown[]; geometry: Json }[] {
  return listOf(features).map(({ properties, geometry }) => ({
    values: Object.values(properties ?? {}),
    geometry: geometry as Json,
  }))
}

function isNear(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number')
    return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one))
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isNear(value, other[at]))
  return one === other
}

async function compareWithLayer(client: ImporterClient, looked: Json, name: string): Promise<void> {
  const [before, after] = [contentOf(looked), contentOf(await readItems(client, name, 'limit=10000'))]
  assert.equal(before.length, after.length, name)
  for (const [at, row] of before.entries()) {
    const loaded = after[at]
    assert.ok(isNear(row.values, loaded?.values), `${name} ${JSON.stringify([row.values, loaded?.values])}`)
    if (row.geometry === null) assert.equal(loaded?.geometry, null)
    else {
      const isMulti = row.geometry.type !== loaded?.geometry?.type
      const coordinates = isMulti ? [row.geometry.coordinates] : row.geometry.coordinates
      assert.ok(isNear(coordinates, loaded?.geometry?.coordinates), `${name} row ${at}`)
    }
  }
}

async function start(test: TestContext, shape: keyof typeof shapes): Promise<ImporterClient> {
  return startImporter(test, { env: await shapes[shape]() })
}

for (const shape of Object.keys(shapes) as (keyof typeof shapes)[]) {
  describe(`a look at rows before they are loaded, with ${shape}`, () => {
    it('shows the rows that the layer has afterwards, in every format', async (test) => {
      const client = await start(test, shape)
      for (const folder of folders[shape]) {
        const { id, tasks } = await importOf(client, folder)
        const looks = new Map<number, Json>()
        for (const { id: taskId, state } of tasks) {
          const path = `/${id}/tasks/${taskId}`
          if (String(state) === 'NO_CRS') {
            await client.call('PUT', path, { task: { layer: { srs: 'EPSG:4326' } } })
          }
          const rows = await client.call('GET', `${path}/rows?limit=10000`)
          assert.equal(rows.status, 200, `${folder} ${rows.text}`)
          looks.set(Number(taskId), rows.json)
        }
        await client.call('POST', `/${id}`)
        for (const { id: taskId } of tasks) {
          const { task } = (await client.call('GET', `/${id}/tasks/${taskId}`)).json
          assert.equal(String(task?.state), 'COMPLETE', `${folder} ${JSON.stringify(task)}`)
          const looked = looks.get(Number(taskId)) as Json
          assert.equal(Number(looked.rejected), Number(task?.rejected ?? 0))
          await compareWithLayer(client, looked, `default:${task?.layer?.name}`)
        }
      }
    })
  })
}
