import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import type { SortKey } from '../../../src/stores/order.ts'
import { PageRows, withNextRow } from '../../../src/stores/reading/page-rows.ts'
import type { FeatureQuery, VectorStore } from '../../../src/stores/store.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { clientOf } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { openServedFile, untilIndexed } from '../../support/served-file.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { ask } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

const rows = 300

/** Every type that rows are ordered by, with many equal and empty values. */
const sourceSql = `
create schema source;
create table source.samples as
select n,
  case when n % 11 = 0 then null
       else (array['Ulm','ulm','Bäckerei','BACKEREI','Straße','50% off','a_b','O''Brien','','日本','𝕬bc','z','｡'])[1 + n * 7 % 13] end as "Straßenname",
  case when n % 13 = 0 then null else (n * 37) % 10 - 5 end as i,
  case when n % 17 = 0 then null else 9007199254740990 + n % 7 end::bigint as big,
  case when n % 7 = 0 then null else (n * 31 % 97) / 8.0 end::float8 as f,
  case when n % 5 = 0 then null else (n % 10) / 10.0 end::real as s,
  case when n % 9 = 0 then null else date '2024-02-27' + n % 6 end as d,
  case when n % 8 = 0 then null else timestamptz '1969-12-31 22:00:00.5Z' + n % 40 * interval '1 hour' end as "limit",
  case when n % 6 = 0 then null else n % 2 = 0 end as "日本",
  ST_SetSRID(ST_MakePoint(n % 20, n / 30), 4326) as geom
from generate_series(1, ${rows}) n`

const columns = ['Straßenname', 'i', 'big', 'f', 's', 'd', 'limit', '日本']

function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Each column up and down, then some together. */
function someOrders(): SortKey[][] {
  const below = numbersFrom(5)
  const single = columns.flatMap((attribute) => [
    [{ attribute, isDescending: false }],
    [{ attribute, isDescending: true }],
  ])
  const several = Array.from({ length: 16 }, () => {
    const names = columns.toSorted(() => below(3) - 1).slice(0, 2 + below(2))
    return names.map((attribute) => ({ attribute, isDescending: below(2) === 0 }))
  })
  return [[], ...single, ...several]
}

const written = (sort: SortKey[]): string =>
  sort
    .map(({ attribute, isDescending }) => `${isDescending ? '-' : ''}"${attribute.replaceAll('"', '""')}"`)
    .join(',')

function orderSql(sort: SortKey[]): string {
  const keys = sort.map(({ attribute, isDescending }) => {
    const collate = attribute === 'Straßenname' ? ' collate "C"' : ''
    return `"${attribute}"${collate}${isDescending ? ' desc' : ''}, `
  })
  return `${keys.join('')}n`
}

interface Page {
  features: { properties: { n: number } }[]
  numberMatched: number
  links: { rel: string; href: string }[]
}

describe('features in an order', needsGdal, () => {
  let server: TestApp
  let served: VectorStore
  let url: string
  const cleanups: (() => unknown)[] = []
  const t = { after: (cleanup: unknown) => void cleanups.push(cleanup as () => unknown) }

  before(async () => {
    server = await createTestApp()
    await addVersionStores(server)
    url = await fileDatabase()
    await runSql(url, sourceSql)
    const folder = temporaryFolder(t)
    const file = join(folder, 'samples.gpkg')
    const { hostname, port, pathname, username, password } = new URL(url)
    const source = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password} active_schema=source`
    await runProgram('ogr2ogr', ['-f', 'GPKG', file, source, 'samples'])
    const flat = join(folder, 'samples.fgb')
    await runProgram('ogr2ogr', ['-f', 'FlatGeobuf', flat, file, 'samples', '-lco', 'SPATIAL_INDEX=NO'])
    for (const store of ['file', 'table']) await load(store, file)
    served = openServedFile(t, 'FlatGeobuf', flat)
    await untilIndexed(served, 'samples')
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  async function load(store: string, file: string): Promise<void> {
    const client = clientOf(server)
    const target = {
      targetWorkspace: { workspace: { name: 'default' } },
      targetStore: { dataStore: { name: store } },
    }
    const created = await client.call('POST', '', { import: target })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: `of_${store}.gpkg`, content: readFileSync(file) }])
    const named = await client.call('PUT', `/${id}/tasks/0`, { task: { layer: { name: `of_${store}` } } })
    assert.equal(named.status, 200, named.text)
    await client.call('POST', `/${id}`)
    const done = await client.call('GET', `/${id}`)
    assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
  }

  const itemsOf = (layer: string): string => `/ogc/collections/default:${layer}/items`

  async function page(address: string): Promise<Page> {
    const { status, json, text } = await ask(server, 'GET', address)
    assert.equal(status, 200, `${address} ${text}`)
    return json as unknown as Page
  }

  /** The numbers of all features, page by page along links of a kind. */
  async function walk(start: string, rel = 'next'): Promise<number[][]> {
    const pages: number[][] = []
    for (let next: string | undefined = start; next !== undefined; ) {
      const { features, links } = await page(next)
      pages.push(features.map(({ properties }) => properties.n))
      const link = links.find((one) => one.rel === rel)?.href
      next = link === undefined ? undefined : link.slice(link.indexOf('/ogc'))
      assert.ok(pages.length < 1000, 'The pages have no end')
    }
    return pages
  }

  async function numbersOfFile(query: FeatureQuery): Promise<{ numbers: number[]; rows: PageRows }> {
    const pages = new PageRows(query)
    const numbers: number[] = []
    for await (const { batch } of pages.pages(
      served.readFeatures(withNextRow(query), new AbortController().signal),
    )) {
      const column = batch.columns[batch.schema.attributes.findIndex(({ name }) => name === 'n')]
      if (column?.kind !== 'fixed') throw new Error('A column holds the numbers')
      numbers.push(...Array.from(column.values.subarray(0, batch.rowCount)))
    }
    return { numbers, rows: pages }
  }

  async function walkFile(sort: SortKey[], limit: number): Promise<number[]> {
    const all: number[] = []
    let query: FeatureQuery | undefined = { table: 'samples', limit, offset: 0, sort }
    while (query !== undefined) {
      const { numbers, rows: read } = await numbersOfFile(query)
      all.push(...numbers)
      const { ends } = read
      const row = ends?.last
      query =
        ends?.hasMore === true && row !== undefined
          ? { ...query, from: { row, isBackward: false } }
          : undefined
    }
    return all
  }

  it('is that of PostgreSQL in each store, on one page and on many, there and back', async () => {
    for (const sort of someOrders()) {
      const found = await runSql(url, `select n from source.samples order by ${orderSql(sort)}`)
      const expected = found.map((row) => Number(row['n']))
      const query = sort.length === 0 ? '' : `&sortby=${encodeURIComponent(written(sort))}`
      for (const layer of ['of_table', 'of_file']) {
        const [whole] = await walk(`${itemsOf(layer)}?limit=1000${query}`)
        assert.deepEqual(whole, expected, `${layer} ${written(sort)}`)
        const pages = await walk(`${itemsOf(layer)}?limit=67${query}`)
        assert.deepEqual(pages.flat(), expected, `pages of ${layer} ${written(sort)}`)
        assert.deepEqual(
          pages.map(({ length }) => length),
          [67, 67, 67, 67, 32],
        )
      }
      assert.deepEqual(await walkFile(sort, 1000), expected, `file ${written(sort)}`)
      assert.deepEqual(await walkFile(sort, 83), expected, `pages of the file ${written(sort)}`)
    }
  })

  it('leads back as it came', async () => {
    for (const sort of someOrders().slice(14, 24))
      for (const layer of ['of_table', 'of_file']) {
        const query = `limit=61&sortby=${encodeURIComponent(written(sort))}`
        const forward = await walk(`${itemsOf(layer)}?${query}`)
        let address = `${itemsOf(layer)}?${query}`
        for (let step = 1; step < forward.length; step += 1) {
          const { links } = await page(address)
          const next = links.find(({ rel }) => rel === 'next')?.href ?? ''
          address = next.slice(next.indexOf('/ogc'))
        }
        const backward = await walk(address, 'prev')
        assert.deepEqual(backward.reverse(), forward, `${layer} ${written(sort)}`)
      }
  })

  it('shows what is chosen, and nothing else', async () => {
    for (const layer of ['of_table', 'of_file']) {
      const shown = async (query: string): Promise<[string[], boolean]> => {
        const { features } = await page(`${itemsOf(layer)}?limit=3&sortby=-f&${query}`)
        const [first] = features as unknown as { properties: object; geometry: object | null }[]
        return [Object.keys(first?.properties ?? {}), first?.geometry !== null]
      }
      const all = ['n', ...columns]
      assert.deepEqual(await shown(''), [all, true])
      assert.deepEqual(await shown(`properties=n,${encodeURIComponent('日本')}`), [['n', '日本'], false])
      assert.deepEqual(await shown('properties=geometry'), [[], true])
      assert.deepEqual(await shown('properties=i,geometry,n'), [['n', 'i'], true])
      assert.deepEqual(await shown('exclude-properties=n,geometry'), [columns, false])
      assert.deepEqual(await shown('exclude-properties=limit'), [
        all.filter((name) => name !== 'limit'),
        true,
      ])
      const csv = await ask(server, 'GET', `${itemsOf(layer)}?f=csv&limit=1&properties=i,n&sortby=n`)
      assert.equal(csv.text, 'id,n,i\r\n1,1,2\r\n')
    }
  })

  it('keeps those that have the values of parameters', async () => {
    for (const [query, sql] of [
      ['i=3', 'i = 3'],
      ['i=-5.0', 'i = -5'],
      [`${encodeURIComponent('日本')}=true`, '"日本"'],
      [`${encodeURIComponent('Straßenname')}=${encodeURIComponent("O'Brien")}`, `"Straßenname" = 'O''Brien'`],
      ['d=2024-02-29', "d = '2024-02-29'"],
      ['s=0.3&i=1', 's = 0.3::real and i = 1'],
      ['s=0.5&filter=f%3E2', 's = 0.5::real and f > 2'],
      ['big=9007199254740991', 'big = 9007199254740991'],
    ] as const) {
      const found = await runSql(url, `select n from source.samples where ${sql} order by n`)
      for (const layer of ['of_table', 'of_file'])
        assert.deepEqual(
          (await walk(`${itemsOf(layer)}?limit=20&${query}`)).flat(),
          found.map((row) => Number(row['n'])),
          `${layer} ${query}`,
        )
    }
    const { json } = await ask(server, 'GET', '/ogc/api')
    const { paths } = json as unknown as {
      paths: Record<string, { get: { parameters: { name?: string }[] } }>
    }
    const reported = paths['/collections/default:of_table/items']?.get.parameters.map(({ name }) => name)
    assert.ok(reported?.includes('日本') === true && !reported.includes('limit'), JSON.stringify(reported))
  })

  it('refuses what it does not know, each by its name', async () => {
    const { links } = await page(`${itemsOf('of_table')}?limit=5&sortby=i`)
    const next =
      new URL(links.find(({ rel }) => rel === 'next')?.href ?? '').searchParams.get('position') ?? ''
    const flipped = next.slice(0, -1) + (next.endsWith('A') ? 'B' : 'A')
    for (const [query, code] of [
      ['sortby=nobody', 'unknown-property'],
      ['sortby=geom', 'unknown-property'],
      ['sortby=i,-i', 'invalid-parameter'],
      ['sortby=', 'invalid-parameter'],
      ['sortby=i,', 'invalid-parameter'],
      ['properties=i,nobody', 'unknown-property'],
      ['properties=', 'invalid-parameter'],
      ['properties=i&exclude-properties=n', 'invalid-parameter'],
      ['nobody=1', 'unknown-parameter'],
      ['i=1&i=2', 'invalid-parameter'],
      ['i=many', 'invalid-parameter'],
      ['d=yesterday', 'invalid-filter'],
      ['position=x', 'invalid-position'],
      ['position=', 'invalid-position'],
      [`position=${flipped}&sortby=i`, 'invalid-position'],
      [`position=${next}`, 'invalid-position'],
      [`position=${next}&sortby=-i`, 'invalid-position'],
      [`position=${next}&sortby=i&offset=1`, 'invalid-parameter'],
    ] as const)
      for (const layer of ['of_table', 'of_file']) {
        const { status, json } = await ask(server, 'GET', `${itemsOf(layer)}?${query}`)
        assert.deepEqual([status, json['code']], [400, code], query)
      }
    const other = await ask(server, 'GET', `${itemsOf('of_file')}?position=${next}&sortby=i`)
    assert.equal(other.json['code'], 'invalid-position')
    const sortables = await ask(server, 'GET', '/ogc/collections/default:of_file/sortables')
    assert.deepEqual(Object.keys(sortables.json['properties'] as object), ['n', ...columns])
  })
})
