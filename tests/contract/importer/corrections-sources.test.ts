import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createDatabaseImport, databaseParameters } from '../../support/database-import.ts'
import { encodeFeature, sized, writeFlatGeobuf } from '../../support/flatgeobuf-writer.ts'
import type { Answer, ImporterClient } from '../../support/importer-client.ts'
import {
  countFeatures,
  listOf,
  multipart,
  multipartType,
  startImporter,
} from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql, testCluster } from '../../support/postgres.ts'

const point = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }

function send(
  client: ImporterClient,
  task: string,
  content: string,
  name: string,
  query = '',
): Promise<Answer> {
  const body = multipart([{ name, content }])
  return client.call('POST', `${task}/rejects${query}`, body, { 'content-type': multipartType })
}

/** Points on a diagonal of which two cannot be read. */
function damagedPoints(): Buffer {
  const features = Array.from({ length: 60 }, (_, at) => ({ geometry: { xy: [at, at] } }))
  const size = sized(encodeFeature({ geometry: { xy: [1, 1] } })).length
  const bytes = writeFlatGeobuf({ geometryType: 1, crs: { org: 'EPSG', code: 4326 }, features })
  for (const number of [7, 30]) {
    const at = bytes.length - (features.length - number + 1) * size
    bytes.fill(0xff, at + 4, at + 8)
  }
  return bytes
}

describe('mended rows of other sources than files that are loaded', () => {
  it('go into a file of the server where the layer is served from a file, which stays as it is', async (test) => {
    const client = await startImporter(test)
    const file = join(client.server.dataDir, 'incoming', 'few.fgb')
    mkdirSync(join(client.server.dataDir, 'incoming'), { recursive: true })
    writeFileSync(file, damagedPoints())
    const before = readFileSync(file)
    await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'few.fgb' } } })
    assert.equal(await countFeatures(client, 'default:few'), 58)
    const given = await client.call('GET', '/0/tasks/0/rejects?format=source')
    assert.equal(given.status, 200)
    assert.equal(given.headers['terrane-format'], 'FlatGeobuf')
    const feature = (row: number) =>
      `{"type":"Feature","geometry":{"type":"Point","coordinates":[${row},${row}]},"properties":{"_row":${row}}}`
    const content = `{"type":"FeatureCollection","features":[${feature(7)},${feature(30)}]}`
    const sent = await send(client, '/0/tasks/0', content, 'm.geojson')
    assert.equal(sent.json.task?.mending?.state, 'COMPLETE', sent.text)
    assert.deepEqual(
      [sent.json.task?.rowsRead, sent.json.task?.rowsLoaded, sent.json.task?.mended],
      [60, 58, 2],
    )
    assert.equal(await countFeatures(client, 'default:few'), 60)
    assert.deepEqual(readFileSync(file), before)
  })

  it('of a table of a database are given as CSV, and go in by the way of the table', async (test) => {
    const client = await startImporter(test)
    const url = await fileDatabase()
    await runSql(
      url,
      `create table readings (id int primary key, day date, amount text);
      insert into readings values (1, '2024-02-29', '12'), (2, '2024-03-01', 'n/a'), (3, '2024-03-02', '14')`,
    )
    await createDatabaseImport(client, databaseParameters(url), { tables: ['readings'] })
    const remap = { type: 'AttributeRemapTransform', field: 'amount', target: 'java.lang.Integer' }
    await client.call('POST', '/0/tasks/0/transforms', remap)
    await client.call('PUT', '/0/tasks/0', { task: { layer: { srs: 'EPSG:4326' } } })
    await client.call('POST', '/0')
    const given = await client.call('GET', '/0/tasks/0/rejects?format=source')
    assert.match(
      given.text,
      /^_row,_code,_field,_value,_reason,id,day,amount\r\n2,row-not-transformed,amount,n\/a,[^\r]*,2,2024-03-01,n\/a\r\n$/,
    )
    assert.equal(
      decodeURI(String(given.headers['terrane-format-note'])),
      'The source is a table of a database',
    )
    const sent = await send(client, '/0/tasks/0', given.text.replaceAll('n/a', '13'), 'm.csv')
    assert.equal(sent.json.task?.mending?.state, 'COMPLETE', sent.text)
    assert.equal(await countFeatures(client, 'default:readings'), 3)
  })
})

describe('many mended rows', () => {
  it('can be cancelled while they are loaded, with a catalogue in PostgreSQL', async (test) => {
    const databaseUrl = await (await testCluster()).createDatabase()
    const client = await startImporter(test, { env: { TERRANE_DATABASE_URL: databaseUrl } })
    const rows = Array.from({ length: 30_000 }, (_, at) => `n${at + 1},${at === 0 ? 1 : 'north'},2`)
    await client.call('POST', '', { import: {} })
    await client.upload(0, [{ name: 'r.csv', content: `name,lat,lon\n${rows.join('\n')}\n` }])
    const chain = { type: 'vector', transforms: [point] }
    const change = { rejectLimit: '100%', layer: { srs: 'EPSG:4326' }, transformChain: chain }
    await client.call('PUT', '/0/tasks/0', { task: change })
    await client.call('POST', '/0')
    const corrected = rows.slice(1).map((row, at) => `${at + 2},${row.replace('north', '5')}`)
    const begun = await send(
      client,
      '/0/tasks/0',
      `_row,name,lat,lon\n${corrected.join('\n')}\n`,
      'm.csv',
      '?async=true',
    )
    assert.deepEqual([begun.status, begun.json.task?.state], [202, 'RUNNING'], begun.text)
    assert.equal((await client.call('DELETE', '/0/tasks/0/run')).status, 204)
    const { task } = (await client.call('GET', '/0/tasks/0')).json
    assert.equal(task?.state, 'COMPLETE')
    const isLoaded = String(task?.mending?.state) === 'COMPLETE'
    assert.deepEqual(
      [task?.mending?.state, task?.rejected ?? 0, task?.mended ?? 0],
      isLoaded ? ['COMPLETE', 0, 29_999] : ['CANCELED', 29_999, 0],
    )
    assert.equal(await countFeatures(client, 'default:r'), isLoaded ? 30_000 : 1)
    const left = listOf((await client.call('GET', '/0/tasks/0/rejects')).json.features)
    assert.equal(left.length, isLoaded ? 0 : 29_999)
  })
})
