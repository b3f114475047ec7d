import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Answer, ImporterClient } from '../../support/importer-client.ts'
import { countFeatures, listOf, readItems, startImporter } from '../../support/importer-client.ts'

async function uploaded(client: ImporterClient, name: string, content: string | Uint8Array): Promise<number> {
  const id = (await client.call('POST', '')).json.import?.id as unknown as number
  const answer = await client.upload(id, [{ name, content }])
  assert.equal(answer.status, 201, answer.text)
  return id
}

async function run(client: ImporterClient, id: number): Promise<Answer> {
  const ran = await client.call('POST', `/${id}`)
  assert.equal(ran.status, 204, ran.text)
  return client.call('GET', `/${id}?expand=3`)
}

describe('a run', () => {
  it('accounts for every row, keeps the rejected ones and holds to rejectLimit', async (test) => {
    const client = await startImporter(test)
    const rows = Array.from({ length: 40 }, (_, row) => `n${row},${row === 7 ? 'north' : row},${row}`)
    const id = await uploaded(client, 'r.csv', `name,lat,lon\n${rows.join('\n')}\n`)
    await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
    const point = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
    await client.call('POST', `/${id}/tasks/0/transforms`, point)
    await client.call('PUT', `/${id}/tasks/0`, { task: { rejectLimit: 0 } })
    const refused = await run(client, id)
    assert.equal(refused.json.import?.state, 'COMPLETE_ERROR')
    assert.match(String(refused.json.import?.message), /1 of 1 tasks failed/)
    assert.match(String(refused.json.import?.tasks?.[0]?.errorMessage), /1 of 40 rows were rejected/)
    await client.call('PUT', `/${id}/tasks/0`, { task: { rejectLimit: 1 } })
    const done = await run(client, id)
    const task = done.json.import?.tasks?.[0]
    assert.equal(task?.state, 'COMPLETE', done.text)
    assert.deepEqual([task?.rowsRead, task?.rowsLoaded, task?.rejected], [40, 39, 1])
    assert.equal(task?.errorMessage, undefined)
    assert.equal(
      listOf<{ rejected: number }>((await client.call('GET', `/${id}/tasks`)).json.tasks)[0]?.rejected,
      1,
    )
    assert.equal(await countFeatures(client, 'default:r'), 39)
    const rejects = await client.call('GET', `/${id}/tasks/0/rejects`)
    assert.equal(rejects.json.features?.[0]?.properties?.name, 'n7')
    assert.equal(rejects.json.features?.[0]?.properties?._row, 8)
    const table = await client.call('GET', `/${id}/tasks/0/rejects`, undefined, { accept: 'text/csv' })
    assert.match(table.text, /^_row,_field,_value,_reason,/)
    assert.match(table.text, /north/)
  })

  it('of a file that is left in place serves it; REPLACE and APPEND leave that file alone', async (test) => {
    const client = await startImporter(test)
    for (const ext of ['shp', 'shx', 'dbf', 'prj']) client.provide(`shapefile/utf.${ext}`)
    const file = join(client.server.dataDir, 'incoming', 'utf.shp')
    const before = readFileSync(file)
    const body = { import: { data: { type: 'file', file: 'utf.shp' } } }
    await client.call('POST', '?exec=true', body)
    const direct = await client.call('GET', '/0?expand=2')
    assert.equal(direct.json.import?.state, 'COMPLETE', direct.text)
    const count = await countFeatures(client, 'default:utf')
    for (const [updateMode, expected] of [
      ['APPEND', 2 * count],
      ['REPLACE', count],
    ] as const) {
      const id = (await client.call('POST', '', body)).json.import?.id as unknown as number
      await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode } })
      const done = await run(client, id)
      assert.equal(done.json.import?.state, 'COMPLETE', done.text)
      assert.equal(await countFeatures(client, 'default:utf'), expected)
    }
    assert.deepEqual(readFileSync(file), before)
    const store = await client.server.app.inject({
      url: '/rest/workspaces/default/datastores/utf',
      headers: client.server.admin,
    })
    assert.equal(store.json().dataStore.type, 'GeoPackage')
    const stores = await client.server.app.inject({
      url: '/rest/workspaces/default/datastores',
      headers: client.server.admin,
    })
    assert.equal(stores.json().dataStores.dataStore.length, 1)
  })

  it('with REPLACE and APPEND copies a GeoPackage that is left in place, with its other layers', async (test) => {
    const client = await startImporter(test)
    const file = join(client.server.dataDir, 'incoming', 'two.gpkg')
    execFileSync('ogr2ogr', [file, 'tests/fixtures/geojson/valid.geojson', '-nln', 'a'])
    execFileSync('ogr2ogr', ['-update', file, 'tests/fixtures/geojson/valid.geojson', '-nln', 'b'])
    const before = readFileSync(file)
    const body = { import: { data: { type: 'file', file: 'two.gpkg' } } }
    await client.call('POST', '?exec=true', body)
    const count = await countFeatures(client, 'default:a')
    const id = (await client.call('POST', '', body)).json.import?.id as unknown as number
    await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: 'APPEND' } })
    await client.call('PUT', `/${id}/tasks/1`, { task: { updateMode: 'REPLACE' } })
    const done = await run(client, id)
    assert.equal(done.json.import?.state, 'COMPLETE', done.text)
    assert.equal(await countFeatures(client, 'default:a'), 2 * count)
    assert.equal(await countFeatures(client, 'default:b'), count)
    assert.deepEqual(readFileSync(file), before)
    assert.deepEqual(readdirSync(join(client.server.dataDir, 'incoming')), ['two.gpkg'])
  })

  it('with APPEND that fails leaves the file and its layer as they were', async (test) => {
    const client = await startImporter(test)
    for (const ext of ['shp', 'shx', 'dbf', 'prj']) client.provide(`shapefile/utf.${ext}`)
    await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'utf.shp' } } })
    const count = await countFeatures(client, 'default:utf')
    const id = await uploaded(client, 'utf.csv', 'wkt,a\n"LINESTRING(0 0,1 1)",1\n"LINESTRING(0 0,1 1)",2\n')
    await client.call('PUT', `/${id}/tasks/0`, {
      task: { updateMode: 'APPEND', layer: { srs: 'EPSG:4326' } },
    })
    const failed = await run(client, id)
    assert.equal(failed.json.import?.tasks?.[0]?.state, 'ERROR', failed.text)
    assert.equal(await countFeatures(client, 'default:utf'), count)
    assert.deepEqual(readdirSync(join(client.server.dataDir, 'stores', 'default')), [])
  })

  it('with APPEND to nothing is an ERROR that says so, and a retry clears it', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson')
    await client.call('POST', '', { import: { data: { type: 'file', file: 'valid.geojson' } } })
    await client.call('PUT', '/0/tasks/0', { task: { updateMode: 'APPEND' } })
    const failed = await run(client, 0)
    assert.equal(failed.json.import?.tasks?.[0]?.state, 'ERROR')
    assert.match(String(failed.json.import?.tasks?.[0]?.errorMessage), /to append to/)
    await client.call('PUT', '/0/tasks/0', { task: { updateMode: 'CREATE' } })
    const done = await run(client, 0)
    assert.equal(done.json.import?.state, 'COMPLETE')
    assert.equal(done.json.import?.message, undefined)
  })

  it('reprojects to the CRS of the layer that it adds to', async (test) => {
    const client = await startImporter(test)
    const point = (coordinates: number[], code: string) =>
      JSON.stringify({
        type: 'FeatureCollection',
        crs: { type: 'name', properties: { name: `urn:ogc:def:crs:EPSG::${code}` } },
        features: [{ type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates } }],
      })
    await run(client, await uploaded(client, 'p.geojson', point([1, 2], '4326')))
    const id = await uploaded(client, 'p.geojson', point([111319.49079327357, 222684.20850554455], '3857'))
    await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: 'APPEND' } })
    const done = await run(client, id)
    assert.equal(done.json.import?.state, 'COMPLETE', done.text)
    assert.match(JSON.stringify(done.json.import?.tasks), /reprojected from EPSG:3857 to EPSG:4326/)
    const items = await readItems(client, 'default:p')
    const [, added] = listOf<{ geometry: { coordinates: number[] } }>(items.features)
    assert.ok(Math.abs((added?.geometry.coordinates[0] ?? 0) - 1) < 1e-8)
    assert.ok(Math.abs((added?.geometry.coordinates[1] ?? 0) - 2) < 1e-8)
  })

  it('tells its progress and its news', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson')
    await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'valid.geojson' } } })
    const { json } = await client.call('GET', '/0/tasks/0/progress')
    assert.equal(json.state, 'COMPLETE')
    assert.equal(json.progress, json.total)
    assert.equal(json.phase, 'done')
    const news = client.server.importer.progress.newsSince(0, 0).map(({ news: one }) => one)
    assert.deepEqual(
      news.filter((one) => one.type === 'import').map((one) => one.state),
      ['PENDING', 'RUNNING', 'COMPLETE'],
    )
  })
})
