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
import { addPostgisStore } from '../../support/postgis-store.ts'

const point = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
const toMercator = { type: 'ReprojectTransform', target: 'EPSG:3857' }
/** Longer than names of PostgreSQL may be, and different from others at its end alone. */
const long = (end: string): string => `${'漢字'.repeat(12)}${end}`

interface Made {
  id: number
  task: Json
}

/** Imports a table of points; rows whose latitude is not a number are rejected. */
async function imported(
  client: ImporterClient,
  table: { head: string; rows: readonly string[] },
  task: object = {},
  store?: string,
): Promise<Made> {
  const target = store === undefined ? {} : { targetStore: { dataStore: { name: store } } }
  const id = (await client.call('POST', '', { import: target })).json.import?.id as unknown as number
  await client.upload(id, [{ name: 'r.csv', content: `${table.head}\n${table.rows.join('\n')}\n` }])
  const chain = { type: 'vector', transforms: [point] }
  const change = { layer: { srs: 'EPSG:4326' }, transformChain: chain, rejectLimit: 10, ...task }
  const put = await client.call('PUT', `/${id}/tasks/0`, { task: change })
  assert.equal(put.status, 200, put.text)
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}/tasks/0`)
  assert.equal(done.json.task?.state, 'COMPLETE', done.text)
  return { id, task: done.json.task as Json }
}

function send(
  client: ImporterClient,
  id: number,
  content: string | Uint8Array,
  {
    name = 'corrected.csv',
    query = '',
    headers = {},
  }: { name?: string; query?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const body = multipart([{ name, content }])
  return client.call('POST', `/${id}/tasks/0/rejects${query}`, body, {
    'content-type': multipartType,
    ...headers,
  })
}

function submissionOf(answer: Answer): Json {
  assert.equal(answer.status, 200, answer.text)
  return answer.json.task?.mending as Json
}

const stores = ['GeoPackage', 'PostGIS'] as const

async function startWith(test: Parameters<typeof startImporter>[0], type: (typeof stores)[number]) {
  const client = await startImporter(test)
  if (type === 'GeoPackage') return { client }
  await addPostgisStore(client, 'tables')
  return { client, store: 'tables' }
}

for (const type of stores) {
  describe(`corrected rows, in ${type}`, () => {
    it('go by the keys of an UPSERT, which deletes nothing', async (test) => {
      const { client, store } = await startWith(test, type)
      const head = 'id,kind,lat,lon'
      await imported(client, { head, rows: ['1,oak,1,1', '2,ash,2,2', '9,gone,9,9'] }, {}, store)
      const expected = { updateMode: 'UPSERT', keys: ['id'], deleteMissing: true }
      const { id } = await imported(
        client,
        { head, rows: ['1,lime,1,1', '2,elm,north,2', '3,fir,east,3'] },
        expected,
        store,
      )
      // Key 2 came, in a row that was rejected: it is not missing.
      assert.equal(await countFeatures(client, 'default:r'), 2)
      const sent = await send(client, id, '_row,id,kind,lat,lon\n2,1,beech,5,5\n3,3,fir,3,3\n')
      assert.deepEqual(submissionOf(sent).rows, { sent: 2, loaded: 2, rejected: 0, refused: 0 }, sent.text)
      const items = listOf((await readItems(client, 'default:r')).features)
      assert.deepEqual(items.map((one) => `${one.properties?.id} ${one.properties?.kind}`).sort(), [
        '1 beech',
        '2 ash',
        '3 fir',
      ])
      assert.equal(sent.json.task?.mended, 2)
    })

    it('are stopped by the limits of the task, tell the figure, and are let through by who sends them', async (test) => {
      const { client, store } = await startWith(test, type)
      const head = 'id,kind,lat,lon'
      await imported(client, { head, rows: ['1,oak,1,1', '2,ash,2,2', '9,gone,9,9'] }, {}, store)
      const stopIf = {
        changed: { rows: 0 },
        values: { kind: { in: ['lime', 'elm', 'fir'] } },
        fewer: 1,
        columns: 'any',
      }
      const expected = { updateMode: 'UPSERT', keys: ['id'], stopIf }
      const { id } = await imported(client, { head, rows: ['3,lime,3,3', '2,elm,north,2'] }, expected, store)
      const body = '_row,id,kind,lat,lon\n2,2,beech,5,5\n'
      const before = await readItems(client, 'default:r')
      const stopped = submissionOf(await send(client, id, body))
      assert.deepEqual([stopped.state, stopped.errorCode], ['ERROR', 'stopped'])
      assert.deepEqual(
        listOf<{ rule: string; measured: object }>(stopped.stopped).map(({ rule, measured }) => [
          rule,
          measured,
        ]),
        [
          ['changed', { rows: 1, percent: 25 }],
          ['values', { kind: { rows: 1, value: 'beech' } }],
        ],
      )
      assert.deepEqual((await readItems(client, 'default:r')).features, before.features)
      const some = submissionOf(await send(client, id, body, { query: '?accept=changed' }))
      assert.deepEqual(
        [some.state, listOf<{ rule: string }>(some.stopped).map(({ rule }) => rule)],
        ['ERROR', ['values']],
      )
      const wrong = await send(client, id, body, { query: '?accept=size' })
      assert.deepEqual([wrong.status, wrong.json.code], [400, 'unknown-rule'])
      const through = submissionOf(await send(client, id, body, { query: '?accept=changed,values' }))
      assert.deepEqual(
        [through.state, through.accepted],
        ['COMPLETE', ['changed', 'values']],
        JSON.stringify(through),
      )
      const items = listOf((await readItems(client, 'default:r')).features)
      assert.deepEqual(items.map((one) => `${one.properties?.id} ${one.properties?.kind}`).sort(), [
        '1 oak',
        '2 beech',
        '3 lime',
        '9 gone',
      ])
    })

    it('go into the columns that the first load made, whatever they are called', async (test) => {
      const { client, store } = await startWith(test, type)
      const head = `Name,NAME,${long('a')},${long('b')},fid,lat,lon,_row`
      const { id } = await imported(
        client,
        { head, rows: ['u,v,w,x,5,1,1,7', 'U,V,W,X,6,north,2,8'] },
        {},
        store,
      )
      const file = await client.call('GET', `/${id}/tasks/0/rejects?format=source`)
      assert.match(file.text, /^__row,__code,__field,__value,__reason,Name,/)
      const sent = await send(client, id, file.text.replaceAll('north', '52'))
      assert.deepEqual(submissionOf(sent).rows, { sent: 1, loaded: 1, rejected: 0, refused: 0 }, sent.text)
      const items = listOf((await readItems(client, 'default:r')).features)
      const [first, second] = items.map((one) =>
        Object.values(one.properties as unknown as object).map(String),
      )
      assert.equal(first?.length, second?.length)
      for (const value of ['U', 'V', 'W', 'X']) {
        const place = second?.indexOf(value) ?? -1
        assert.equal(first?.[place], value.toLowerCase(), `${value}: ${JSON.stringify(items)}`)
      }
    })

    it('are given with the values of their source where the store refused them at the end', async (test) => {
      const { client, store } = await startWith(test, type)
      const head = 'id, Kind ,Kind,lat,lon'
      await imported(client, { head, rows: ['1,a,b,1,1'] }, {}, store)
      const later = Array.from({ length: 12_000 }, (_, at) => `${at + 10},x,y,1,1`)
      const wrong = ['2,first,one,4,5', '2,"a ""b""",two,1.5,6', '3,p,q,1,1,surplus,"and, more"']
      const chain = { type: 'vector', transforms: [point, toMercator] }
      const change = { updateMode: 'UPSERT', keys: ['id'], transformChain: chain }
      const { id } = await imported(client, { head, rows: [...wrong, ...later] }, change, store)
      const { text } = await client.call('GET', `/${id}/tasks/0/rejects?format=source`)
      assert.match(text, /\r\n[12],row-not-stored,[^\r]*,2,(first,one,4,5|"a ""b""",two,1.5,6)\r\n/, text)
      assert.match(text, /3,row-not-read,,"3,p,q,1,1,surplus,""and, more""",/)
    })

    it('are refused where the layer was loaded anew, brought back or deleted meanwhile', async (test) => {
      const { client, store } = await startWith(test, type)
      const table = { head: 'id,lat,lon', rows: ['1,1,1', '2,north,2'] }
      const { id } = await imported(client, table, {}, store)
      const corrected = '_row,id,lat,lon\n2,2,2,2\n'
      await imported(client, { head: 'id,lat,lon', rows: ['3,3,3'] }, { updateMode: 'REPLACE' }, store)
      const replaced = await send(client, id, corrected)
      assert.deepEqual([replaced.status, replaced.json.code], [409, 'layer-replaced'], replaced.text)
      const { server } = client
      const layer = '/rest/layers/default:r'
      await server.app.inject({
        method: 'POST',
        url: `${layer}/versions/1/restore`,
        headers: server.admin,
        payload: {},
      })
      const restored = await send(client, id, corrected)
      assert.deepEqual([restored.status, restored.json.code], [409, 'layer-replaced'], restored.text)
      await server.app.inject({ method: 'DELETE', url: `${layer}?recurse=true`, headers: server.admin })
      const gone = await send(client, id, corrected)
      assert.deepEqual([gone.status, gone.json.code], [409, 'layer-gone'], gone.text)
      const { json } = await client.call('GET', `/${id}/tasks/0`)
      assert.deepEqual([json.task?.rejected, json.task?.mending], [1, undefined])
    })

    it('stay rejected with their new reason where not one can be loaded', async (test) => {
      const { client, store } = await startWith(test, type)
      const { id } = await imported(client, { head: 'id,lat,lon', rows: ['1,1,1', '2,north,2'] }, {}, store)
      const sent = await send(client, id, '_row,id,lat,lon\n2,two,far north,2\n')
      const correcting = submissionOf(sent)
      assert.deepEqual([correcting.state, correcting.errorCode], ['ERROR', 'nothing-mended'], sent.text)
      assert.deepEqual(correcting.rows, { sent: 1, loaded: 0, rejected: 1, refused: 0 })
      const { json } = await client.call('GET', `/${id}/tasks/0/rejects`)
      assert.equal(json.features?.[0]?.properties?._value, 'two')
      assert.equal(await countFeatures(client, 'default:r'), 1)
      const last = await send(client, id, '_row,id,lat,lon\n2,2,2,2\n')
      assert.equal(last.json.task?.mended, 1, last.text)
    })
  })
}

describe('mended rows that are sent', () => {
  const table = { head: 'id,lat,lon', rows: ['1,1,1', '2,north,2', '3,east,3'] }

  it('may come in another format and CRS, as a body without a form', async (test) => {
    const client = await startImporter(test)
    const { id } = await imported(client, table)
    const feature = { type: 'Feature', geometry: null, properties: { _row: 2, id: 2, lat: 2, lon: '2' } }
    const body = Buffer.from(JSON.stringify({ type: 'FeatureCollection', features: [feature] }))
    const sent = await client.call('POST', `/${id}/tasks/0/rejects`, body, {
      'content-type': 'application/geo+json',
    })
    assert.equal(submissionOf(sent).state, 'COMPLETE', sent.text)
    const named = await client.call(
      'POST',
      `/${id}/tasks/0/rejects?name=x.tsv`,
      Buffer.from('_ROW\tLON\tID\tLAT\n3\t3\t3\t3\n'),
      { 'content-type': 'application/octet-stream' },
    )
    assert.equal(submissionOf(named).state, 'COMPLETE', named.text)
    assert.equal(await countFeatures(client, 'default:r'), 3)
  })

  it('are refused with a reason where the file is none of the task', async (test) => {
    const client = await startImporter(test)
    const { id } = await imported(client, table)
    const geojson =
      '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{"id":2}}]}'
    for (const [name, content, code] of [
      ['empty.csv', '', 'unread-file'],
      ['x.bin', Buffer.alloc(300, 7), 'unread-file'],
      ['x.geojson', geojson, 'no-row-numbers'],
      ['head.csv', 'id,lat,lon\n2,2,2\n', 'no-row-numbers'],
    ] as const) {
      const sent = await send(client, id, content, { name })
      assert.deepEqual([sent.status, sent.json.code], [400, code], `${name}: ${sent.text}`)
    }
    const strange = await send(client, id, '_row,a,b\n2,2,2\n')
    assert.equal(submissionOf(strange).errorCode, 'no-columns-match', strange.text)
    const odd = ['-2', '2.5', '1e3', 'x', '9'.repeat(30), '0', '']
    const refused = await send(
      client,
      id,
      `_row,id,lat,lon\n${odd.map((row) => `${row},2,2,2`).join('\n')}\n`,
    )
    assert.deepEqual(
      submissionOf(refused).rows,
      { sent: 7, loaded: 0, rejected: 0, refused: 7 },
      refused.text,
    )
    const head = await send(client, id, '_row,id,lat,lon\n')
    assert.deepEqual(submissionOf(head).rows, { sent: 0, loaded: 0, rejected: 0, refused: 0 }, head.text)
    const { task } = (await client.call('GET', `/${id}/tasks/0`)).json
    assert.deepEqual([task?.rowsRead, task?.rowsLoaded, task?.rejected, task?.mended], [3, 1, 2, undefined])
  })

  it('are taken once by an Idempotency-Key, and not over a change that was not seen', async (test) => {
    const client = await startImporter(test)
    const { id } = await imported(client, table)
    const corrected = '_row,id,lat,lon\n2,2,2,2\n'
    const seen = await client.call('GET', `/${id}/tasks/0`)
    const etag = String(seen.headers.etag)
    const other = await send(client, id, corrected, { headers: { 'if-match': '"other"' } })
    assert.equal(other.status, 412, other.text)
    const headers = { 'idempotency-key': 'once', 'if-match': etag }
    const first = await send(client, id, corrected, { headers })
    assert.equal(submissionOf(first).number, 1, first.text)
    const second = await send(client, id, corrected, { headers })
    assert.deepEqual([second.status, submissionOf(second).number], [200, 1])
    assert.equal(await countFeatures(client, 'default:r'), 2)
    const late = await send(client, id, corrected, { headers: { 'if-match': etag } })
    assert.equal(late.status, 412, late.text)
  })

  it('are refused while the import works, and after it is gone', async (test) => {
    const client = await startImporter(test)
    const { id } = await imported(client, table)
    const corrected = '_row,id,lat,lon\n2,2,2,2\n3,3,3,3\n'
    const begun = await send(client, id, corrected, { query: '?async=true' })
    assert.equal(begun.status, 202, begun.text)
    const busy = await send(client, id, corrected)
    assert.ok([200, 409].includes(busy.status), busy.text)
    if (busy.status === 409) assert.match(String(busy.json.code), /import-busy|no-rejects/)
    await client.call('DELETE', `/${id}`)
    const gone = await send(client, id, corrected)
    assert.equal(gone.status, 404, gone.text)
  })
})
