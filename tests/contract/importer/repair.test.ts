import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { listOf, readItems, startImporter } from '../../support/importer-client.ts'

const wkt = [
  'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))',
  'POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))',
  'POLYGON ((0 0, 1 1, 2 2, 0 0))',
]
const csv = `id,wkt\n${wkt.map((one, index) => `${index + 1},"${one}"`).join('\n')}\n`

async function uploaded(client: ImporterClient): Promise<void> {
  await client.call('POST', '')
  await client.upload(0, [{ name: 'areas.csv', content: csv }])
  await client.call('PUT', '/0/tasks/0/layer', { layer: { srs: 'EPSG:4326' } })
}

async function loaded(client: ImporterClient) {
  assert.equal((await client.call('POST', '/0')).status, 204)
  const { json } = await client.call('GET', '/0/tasks/0')
  assert.equal(json.task?.state, 'COMPLETE', JSON.stringify(json))
  const { features } = await readItems(client, 'default:areas')
  const geometries = listOf<{ geometry: { type: string; coordinates: unknown[] } }>(features).map(
    ({ geometry }) => geometry,
  )
  const messages = listOf<{ code: string; message: string; level: string }>(json.task?.messages)
  return { task: json.task, geometries, messages }
}

describe('invalid polygons', () => {
  it('are loaded as they are and counted in a message', async (test) => {
    const client = await startImporter(test)
    await uploaded(client)
    const { geometries, messages, task } = await loaded(client)
    assert.deepEqual(
      geometries.map(({ type }) => type),
      ['Polygon', 'Polygon', 'Polygon'],
    )
    const [message] = messages.filter(({ code }) => code === 'invalid-polygons')
    assert.equal(message?.level, 'warning')
    assert.match(message?.message ?? '', /^2 invalid polygons .*row 2: Self-intersection at 2 2.*row 3/)
    assert.equal(task?.rejected ?? 0, 0)
  })

  it('are repaired where the task says so, and what has no area is left and counted', async (test) => {
    const client = await startImporter(test)
    await uploaded(client)
    const put = await client.call('PUT', '/0/tasks/0', { task: { repair: true } })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.json.task?.repair, true)
    assert.equal(put.headers['terrane-ignored'], undefined)
    const { geometries, messages } = await loaded(client)
    assert.deepEqual(
      geometries.map(({ type, coordinates }) => [type, coordinates.length]),
      [
        ['MultiPolygon', 1],
        ['MultiPolygon', 2],
        ['MultiPolygon', 1],
      ],
    )
    const found = messages.filter(({ code }) => code.includes('polygons'))
    assert.deepEqual(
      found.map(({ code, message }) => [code, message.slice(0, 1)]),
      [
        ['polygons-repaired', '1'],
        ['invalid-polygons', '1'],
      ],
    )
  })

  it('are counted in nothing where all are valid', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/countries.geojson')
    await client.call('POST', '', { import: { data: { type: 'file', file: 'countries.geojson' } } })
    await client.call('POST', '/0')
    const { json } = await client.call('GET', '/0/tasks/0')
    assert.equal(json.task?.state, 'COMPLETE')
    assert.doesNotMatch(JSON.stringify(json.task?.messages ?? []), /polygons/)
  })
})
