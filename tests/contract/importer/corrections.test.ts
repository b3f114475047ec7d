import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer, ImporterClient, Json } from '../../support/importer-client.ts'
import {
  countFeatures,
  listOf,
  multipart,
  multipartType,
  readItems,
  startImporter,
} from '../../support/importer-client.ts'

const point = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }

/** Imports a table of 40 points of which some have no number for a latitude. */
async function imported(
  client: ImporterClient,
  wrong: readonly number[],
  task: object = {},
): Promise<number> {
  const rows = Array.from(
    { length: 40 },
    (_, row) => `n${row},${wrong.includes(row) ? 'north' : row},${row},00${row}`,
  )
  const id = (await client.call('POST', '')).json.import?.id as unknown as number
  await client.upload(id, [{ name: 'r.csv', content: `name,lat,lon,code\n${rows.join('\n')}\n` }])
  await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
  await client.call('POST', `/${id}/tasks/0/transforms`, point)
  await client.call('PUT', `/${id}/tasks/0`, { task: { rejectLimit: 10, ...task } })
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}/tasks/0`)
  assert.equal(done.json.task?.state, 'COMPLETE', done.text)
  assert.equal(done.json.task?.rejected, wrong.length)
  return id
}

function send(client: ImporterClient, id: number, content: string, name = 'corrected.csv'): Promise<Answer> {
  const body = multipart([{ name, content }])
  return client.call('POST', `/${id}/tasks/0/rejects`, body, { 'content-type': multipartType })
}

/** Every row read is either loaded, rejected or corrected. */
function sums(answer: Answer): unknown[] {
  const { rowsRead, rowsLoaded, rejected = 0, mended: corrected = 0 } = answer.json.task as Json
  assert.equal(Number(rowsRead), Number(rowsLoaded) + Number(rejected) + Number(corrected), answer.text)
  return [rowsRead, rowsLoaded, rejected, corrected]
}

describe('rejected rows that are mended and sent again', () => {
  it('become part of the layer, each once, and the sum stays right', async (test) => {
    const client = await startImporter(test)
    const id = await imported(client, [7, 9, 11])
    const listed = await client.call('GET', `/${id}/tasks/0/rejects?f=csv`)
    assert.match(listed.text, /north/)
    const sent = await send(client, id, '_row,name,lat,lon,code\n8,n7,7,7,007\n10,n9,south,9,009\n')
    assert.equal(sent.status, 200, sent.text)
    assert.equal(sent.json.task?.state, 'COMPLETE')
    assert.deepEqual(
      sent.json.task?.mending?.rows,
      { sent: 2, loaded: 1, rejected: 1, refused: 0 },
      sent.text,
    )
    assert.deepEqual(sums(sent), [40, 37, 2, 1])
    assert.equal(await countFeatures(client, 'default:r'), 38)
    const items = await readItems(client, 'default:r', 'limit=100')
    const [corrected] = listOf(items.features).filter((one) => String(one.properties?.name) === 'n7')
    assert.deepEqual(corrected?.geometry?.coordinates, [7, 7])
    assert.equal(corrected?.properties?.code, '007')
    const left = await client.call('GET', `/${id}/tasks/0/rejects`)
    const features = listOf(left.json.features)
    assert.deepEqual(
      features.map((one) => [one.id, one.properties?._value]),
      [
        [12, 'north'],
        [10, 'south'],
      ],
    )
    const again = await send(
      client,
      id,
      '_row,name,lat,lon,code\n8,n7,7,7,007\n10,n9,9,9,009\n99,x,1,1,1\n,y,1,1,1\n10,n9,9,9,009\n',
    )
    assert.deepEqual(
      again.json.task?.mending?.rows,
      { sent: 5, loaded: 1, rejected: 0, refused: 4 },
      again.text,
    )
    assert.match(again.text, /Row 8 was corrected and loaded before, with the rows submitted at 20/)
    assert.match(again.text, /Row 99 is none of the rejected rows/)
    assert.match(again.text, /Row 10 is sent twice/)
    assert.deepEqual(sums(again), [40, 37, 1, 2])
    const versions = await client.server.app.inject({
      url: '/rest/layers/default:r/versions',
      headers: client.server.admin,
    })
    assert.deepEqual(
      listOf(versions.json().versions).map((one) => [one.mode, one.rows]),
      [
        ['APPEND', 39],
        ['APPEND', 38],
        ['CREATE', 37],
      ],
    )
    const last = await send(client, id, '_row,name,lat,lon,code\n12,n11,11,11,0011\n')
    assert.deepEqual(sums(last), [40, 37, 0, 3])
    assert.equal(last.json.task?.rejects, undefined)
    const none = await send(client, id, '_row,name,lat,lon,code\n12,n11,11,11,0011\n')
    assert.equal(none.status, 409, none.text)
    assert.match(none.text, /no-rejects/)
  })
})
