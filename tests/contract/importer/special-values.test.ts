import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createDatabaseImport, importState, schemaWith } from '../../support/database-import.ts'
import { downloaded } from '../../support/downloaded.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf, listOf } from '../../support/importer-client.ts'
import { addPostgisStore, fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { ask } from '../../support/version-client.ts'

/** Rows 1 to 3 have special values in all columns that can hold them; row 4 is ordinary, row 5 null, row 6 at the ends of the calendar. */
const sourceSql = `
create table specials (n int primary key, day date, local timestamp, zoned timestamptz, amount numeric,
  money numeric(8,2), whole numeric(9,0), single real, double float8, geom geometry(Point, 4326));
insert into specials values
  (1, 'infinity', 'infinity', 'infinity', 'Infinity', 'NaN', 'NaN', 'Infinity', 'Infinity', 'SRID=4326;POINT(1 1)'),
  (2, '-infinity', '-infinity', '-infinity', '-Infinity', 'NaN', 'NaN', '-Infinity', '-Infinity', 'SRID=4326;POINT(2 1)'),
  (3, 'infinity', 'infinity', '-infinity', 'NaN', 'NaN', 'NaN', 'NaN', 'NaN', 'SRID=4326;POINT(3 1)'),
  (4, '2024-02-29', '2024-02-29 12:00', '2024-02-29 12:00Z', 12.5, 1.25, 7, 1.5, 2.5, 'SRID=4326;POINT(4 1)'),
  (5, null, null, null, null, null, null, null, null, 'SRID=4326;POINT(5 1)'),
  (6, '5874897-12-31', '294246-12-31', '4713-01-01 BC', 1e20, -1, -1, -0.0, -0.0, 'SRID=4326;POINT(6 1)');`
/** A GeoPackage has no such years. */
const nearSql = `${sourceSql} delete from specials where n = 6;`
const columns = 'n, day, local, zoned, amount, money, whole, single, double, geom'

interface Load {
  name?: string
  store?: string
  mode?: 'CREATE' | 'UPSERT' | 'APPEND'
}

/** Loads the table `specials` of a new schema that is made by `sql`. */
async function load(client: ImporterClient, sql: string, { name, store, mode }: Load): Promise<LoadedTask> {
  const parameters = await schemaWith(sql)
  const targetStore = store === undefined ? {} : { targetStore: { dataStore: { name: store } } }
  const created = await createDatabaseImport(client, parameters, { import: targetStore })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  const task = {
    layer: { name },
    updateMode: mode ?? 'CREATE',
    ...(mode === 'UPSERT' ? { keys: ['n'] } : {}),
  }
  const put = await client.call('PUT', `/${id}/tasks/0`, { task })
  assert.ok(put.status < 300, put.text)
  const looked = await Promise.all(
    ['rows', 'rows?f=csv', 'columns'].map((path) => client.call('GET', `/${id}/tasks/0/${path}`)),
  )
  await client.call('POST', `/${id}`)
  const state = await importState(client, id)
  assert.equal(String(state['state']), 'COMPLETE', JSON.stringify(state))
  const done = (await client.call('GET', `/${id}/tasks/0`)).json.task as Json
  return { done, looked, schema: String(parameters.schema) }
}

interface LoadedTask {
  done: Json
  looked: { status: number; text: string; json: Json }[]
  schema: string
}

const messagesOf = ({ done }: LoadedTask): string[] =>
  listOf(done['messages']).map(({ code, message }) => `${code}: ${message}`)

const lostMessage = (code: 'nan' | 'infinity', field: string, count: number, holder: string): string =>
  `${code}-is-null: Field "${field}": ${count} values are ${code === 'nan' ? 'NaN' : 'infinite'}, which ${holder} cannot hold, and became null`

/** Returns the rows that only one of two tables contains, in both directions. */
async function differences(one: string, other: string, of = columns): Promise<unknown[]> {
  const both = [`${one} except select ${of} from ${other}`, `${other} except select ${of} from ${one}`]
  const url = await fileDatabase()
  const found = await Promise.all(both.map((sql) => runSql(url, `select ${of} from ${sql}`)))
  return found.flat()
}

describe('infinite values and NaN of a database', () => {
  let server: TestApp
  let client: ImporterClient
  let store: { schema: string }
  let inTable: LoadedTask
  let inFile: LoadedTask
  before(async () => {
    server = await createTestApp()
    client = clientOf(server)
    store = await addPostgisStore(client, 'tables')
    inTable = await load(client, sourceSql, { name: 'in_table', store: 'tables' })
    inFile = await load(client, nearSql, { name: 'in_file' })
  })
  after(() => server.close())

  const items = async (layer: string, query = ''): Promise<Json[]> => {
    const { status, json, text } = await ask(
      server,
      'GET',
      `/ogc/collections/default:${layer}/items?${query}`,
    )
    assert.equal(status, 200, text)
    return listOf(json['features']).map(({ properties }) => properties as Json)
  }

  it('are in PostGIS as they were', async () => {
    assert.deepEqual(messagesOf(inTable), [])
    assert.deepEqual(await differences(`"${inTable.schema}".specials`, `${store.schema}.in_table`), [])
  })

  it('are null in a GeoPackage, which each column tells', () => {
    const [decimals, ...lost] = messagesOf(inFile)
    assert.match(String(decimals), /^decimals-as-text/)
    const expected = [
      ...['money', 'whole'].map((name) => lostMessage('nan', name, 3, 'a GeoPackage')),
      ...['single', 'double'].map((name) => lostMessage('nan', name, 1, 'a GeoPackage')),
      ...['day', 'local', 'zoned'].map((name) => lostMessage('infinity', name, 3, 'a GeoPackage')),
    ]
    assert.deepEqual(lost.toSorted(), expected.toSorted())
    assert.deepEqual([inFile.done['rowsLoaded'], inFile.done['rejected']], [5, 0])
  })

  it('are told by previews before they are loaded', () => {
    for (const { looked } of [inTable, inFile])
      for (const { status, text } of looked) assert.equal(status, 200, text)
    const [rows, csv, figures] = inTable.looked
    assert.equal(listOf(rows?.json['features'])[0]?.properties?.day, 'infinity')
    assert.match(String(csv?.text), /^1,infinity,infinity,infinity,Infinity,NaN,/m)
    const day = listOf(figures?.json['columns']).find(({ name }) => String(name) === 'day')
    assert.deepEqual([day?.min, day?.max], ['-infinity', 'infinity'])
  })

  it('are null in features of both stores, in any order and page', async () => {
    const special = {
      day: null,
      local: null,
      zoned: null,
      money: null,
      whole: null,
      single: null,
      double: null,
    }
    for (const layer of ['in_table', 'in_file']) {
      for (const row of (await items(layer)).slice(0, 3)) {
        const { n: _, amount: __, ...rest } = row
        assert.deepEqual(rest, special, layer)
      }
      for (const sort of ['day', '-day', 'zoned', 'single', '-money']) {
        const all = (await items(layer, `sortby=${sort}`)).map(({ n }) => n)
        const pages: unknown[] = []
        for (let url = `/ogc/collections/default:${layer}/items?sortby=${sort}&limit=2`; url !== ''; ) {
          const { json, text } = await ask(server, 'GET', url)
          pages.push(...listOf(json['features']).map(({ properties }) => properties?.n))
          assert.ok(pages.length <= all.length, text)
          const next = listOf(json['links']).find(({ rel }) => String(rel) === 'next')
          url =
            next === undefined ? '' : new URL(String(next.href)).pathname + new URL(String(next.href)).search
        }
        assert.deepEqual(pages, all, `${layer} ${sort}`)
      }
    }
  })

  it('pass filters as PostgreSQL orders them, but NaN passes none', async () => {
    const matching = async (filter: string): Promise<unknown[]> =>
      (await items('in_table', `filter=${encodeURIComponent(filter)}`)).map(({ n }) => n)
    assert.deepEqual(await matching('amount > 1'), [1, 4, 6])
    assert.deepEqual(await matching('money > 1'), [4])
    assert.deepEqual(await matching('double < 3'), [2, 4, 6])
    assert.deepEqual(await matching(`day > DATE('2000-01-01')`), [1, 3, 4, 6])
    assert.deepEqual(await matching(`zoned < TIMESTAMP('2000-01-01T00:00:00Z')`), [2, 3, 6])
  })

  it('break no other document', async () => {
    const paths = [
      ...['csv', 'jsonfg', 'gml', 'html', 'flatgeobuf'].map((f) => `/ogc/collections/$/items?f=${f}`),
      ...['', '/queryables', '/schema', '/tiles/WebMercatorQuad/0/0/0'].map(
        (end) => `/ogc/collections/$${end}`,
      ),
      ...['single', 'day', 'amount', 'zoned'].map((name) => `/rest/layers/$/classes?attribute=${name}`),
      '/rest/layers/$',
      '/rest/layers/$/versions',
      '/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=$',
      '/wfs?service=WFS&version=1.1.0&request=GetFeature&typeName=$&outputFormat=application/json',
    ]
    for (const layer of ['default:in_table', 'default:in_file'])
      for (const path of paths) {
        const { status, text } = await ask(server, 'GET', path.replace('$', layer))
        assert.ok(status === 200, `${path}: ${status} ${text}`)
        assert.doesNotMatch(text, /5881580|294247|275760-09/, path)
      }
  })

  it('are the same when they are loaded once more, and differ from null', async () => {
    const again = await load(client, sourceSql, { name: 'in_table', store: 'tables', mode: 'UPSERT' })
    assert.deepEqual(messagesOf(again), [])
    const changed = `${sourceSql} update specials set day = 'infinity', amount = 'NaN' where n = 5;`
    const other = await load(client, changed, { name: 'in_table', store: 'tables', mode: 'UPSERT' })
    assert.deepEqual(await differences(`"${other.schema}".specials`, `${store.schema}.in_table`), [])
    const { json, text } = await ask(
      server,
      'GET',
      '/rest/layers/default:in_table/versions/2/changes?against=3',
    )
    const { added, changed: changedRows, removed } = json['changes'] as Json
    assert.deepEqual([added, changedRows, removed], [0, 1, 0], text)
    assert.match(text, /"infinity"/)
    await load(client, sourceSql, { name: 'in_table', store: 'tables', mode: 'UPSERT' })
    const restored = await ask(server, 'POST', '/rest/layers/default:in_table/versions/3/restore', {})
    assert.ok(restored.status < 300, restored.text)
    assert.deepEqual(await differences(`"${other.schema}".specials`, `${store.schema}.in_table`), [])
    await load(client, sourceSql, { name: 'in_table', store: 'tables', mode: 'UPSERT' })
  })

  it('become null in a column that holds other types', async () => {
    const url = await fileDatabase()
    const target = `create table ${store.schema}.narrow (id serial primary key, n int, day text, amount numeric(12,3), money int, single numeric, double int, geom geometry(Point, 4326))`
    await runSql(url, target)
    const narrow = await load(client, nearSql.replaceAll('12.5, 1.25, 7, 1.5, 2.5', '12.5, 1, 7, 1.5, 2'), {
      name: 'narrow',
      store: 'tables',
      mode: 'APPEND',
    })
    const holder = 'the column of the table'
    const reported = messagesOf(narrow).filter((text) => text.includes('became null'))
    assert.deepEqual(
      reported.toSorted(),
      [
        lostMessage('nan', 'money', 3, holder),
        lostMessage('nan', 'double', 1, holder),
        lostMessage('infinity', 'double', 2, holder),
        lostMessage('infinity', 'amount', 2, holder),
      ].toSorted(),
    )
    const rows = await runSql(
      url,
      `select day, amount::text, single::text from ${store.schema}.narrow order by n`,
    )
    assert.deepEqual(rows, [
      { day: 'infinity', amount: null, single: 'Infinity' },
      { day: '-infinity', amount: null, single: '-Infinity' },
      { day: 'infinity', amount: 'NaN', single: 'NaN' },
      { day: '2024-02-29', amount: '12.500', single: '1.5' },
      { day: null, amount: null, single: null },
    ])
  })

  it('are in a download where its format has a place for them, and told where not', needsGdal, async () => {
    const fetchFile = async (f: string): Promise<{ body: string; losses: string }> => {
      const url = `/ogc/collections/default:in_table/download?f=${f}`
      const reply = await downloaded(server, url, server.admin)
      assert.equal(reply.statusCode, 200, reply.body)
      return { body: reply.body, losses: decodeURIComponent(String(reply.headers['terrane-losses'])) }
    }
    const csv = await fetchFile('csv')
    assert.match(csv.body, /^2,2,-infinity,-infinity,-infinity,-Infinity,NaN,NaN,-Infinity,-Infinity,/m)
    assert.doesNotMatch(csv.losses, /infinite/)
    const times = '"day (3)", "local (3)", "zoned (3)"'
    const reported: Record<string, string> = {
      gpkg: `${times}, "money (3)", "whole (3)", "single (1)", "double (1)"`,
      geojson: `${times}, "amount (3)", "money (3)", "whole (3)", "single (3)", "double (3)"`,
      shp: '"day (3)", "single (3)", "double (3)"',
      fgb: `${times}, "single (1)", "double (1)"`,
      parquet: times,
      kml: '"single (3)", "double (3)"',
    }
    for (const [f, names] of Object.entries(reported)) {
      const { body, losses } = await fetchFile(f)
      assert.ok(
        losses.includes(`infinite values, which are missing, and how many: ${names}`),
        `${f}: ${losses}`,
      )
      if (f === 'geojson') assert.equal(listOf((JSON.parse(body) as Json)['features']).length, 6)
    }
  })
})
