import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../src/core/process/process.ts'
import { parseCql2Text } from '../../src/filters/cql2-text.ts'
import { filterIn } from '../../src/stores/reading/filter-in-crs.ts'
import { toRequestFilter } from '../../src/stores/reading/request-filter.ts'
import type { VectorStore } from '../../src/stores/store.ts'
import type { TestApp } from './app.ts'
import { createTestApp } from './app.ts'
import { someFilters } from './arbitrary-filters.ts'
import { fesOfCql2 } from './fes-of-cql2.ts'
import { clientOf } from './importer-client.ts'
import { fileDatabase } from './postgis-store.ts'
import { runSql } from './postgres.ts'
import { openServedFile, untilIndexed } from './served-file.ts'
import { temporaryFolder } from './temporary-files.ts'
import { ask } from './version-client.ts'
import { addVersionStores } from './version-stores.ts'

const rows = 600

/** Every type that a filter compares, values that are empty, and names that hostile patterns are about. */
const sourceSql = `
create schema source;
create table source.samples as
select n,
  case when n % 11 = 0 then null
       else (array['Ulm','ulm','Bäckerei','BACKEREI','Straße','50% off','a_b','O''Brien','','日本','𝕬bc','z'])[1 + n * 7 % 12] end as name,
  case when n % 13 = 0 then null else (n * 37) % 100 - 50 end as i,
  case when n % 17 = 0 then null else 9007199254740990 + n % 7 end::bigint as big,
  case when n % 7 = 0 then null else (n * 31 % 97) / 8.0 end::float8 as f,
  case when n % 5 = 0 then null else (n % 10) / 10.0 end::real as s,
  case when n % 9 = 0 then null else date '2024-02-27' + n % 6 end as d,
  case when n % 8 = 0 then null else timestamptz '2024-02-28 22:00:00Z' + n % 40 * interval '1 hour' end as t,
  case when n % 6 = 0 then null else n % 2 = 0 end as b,
  case when n % 19 = 0 then null
       else ST_SetSRID(ST_MakeEnvelope(n % 20, n / 30, n % 20 + 1 + n % 3 * 0.5, n / 30 + 1), 4326) end as geom
from generate_series(1, ${rows}) n`

type Cleanups = Parameters<typeof openServedFile>[0]

/** The same rows in a table, in layers of a table and of a GeoPackage, and in a FlatGeobuf file. */
export interface FilterSamples {
  server: TestApp
  /** Database with the table `source.samples`. */
  url: string
  served: VectorStore
}

/** Starts a server with the samples, or with other rows of `source.samples`. The caller must close it. */
export async function serveFilterSamples(cleanups: Cleanups, source = sourceSql): Promise<FilterSamples> {
  const server = await createTestApp()
  await addVersionStores(server)
  const url = await fileDatabase()
  await runSql(url, source)
  const folder = temporaryFolder(cleanups)
  const file = join(folder, 'samples.gpkg')
  const { hostname, port, pathname, username, password } = new URL(url)
  const database = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password} active_schema=source`
  await runProgram('ogr2ogr', ['-f', 'GPKG', file, database, 'samples'])
  const flat = join(folder, 'samples.fgb')
  await runProgram('ogr2ogr', ['-f', 'FlatGeobuf', flat, file, 'samples', '-lco', 'SPATIAL_INDEX=NO'])
  for (const store of ['file', 'table']) await load(server, store, file)
  const served = openServedFile(cleanups, 'FlatGeobuf', flat)
  await untilIndexed(served, 'samples')
  return { server, url, served }
}

async function load(server: TestApp, store: string, file: string): Promise<void> {
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

export async function findItems({ server }: FilterSamples, layer: string, query: Record<string, string>) {
  const text = new URLSearchParams({ limit: '10000', ...query })
  return ask(server, 'GET', `/ogc/collections/default:${layer}/items?${text}`)
}

export async function findRows(
  samples: FilterSamples,
  layer: string,
  query: Record<string, string>,
): Promise<number[]> {
  const { status, json, text } = await findItems(samples, layer, query)
  assert.equal(status, 200, text + JSON.stringify(query))
  const { features, numberMatched } = json as unknown as {
    features: { properties: { n: number } }[]
    numberMatched: number
  }
  assert.equal(numberMatched, features.length)
  return features.map(({ properties }) => properties.n)
}

/** Returns the ids that WFS finds by a filter of Filter Encoding, or by one of GeoServer's. */
export async function findByFes(
  { server }: FilterSamples,
  layer: string,
  filter: string,
  parameter: 'filter' | 'cql_filter' = 'filter',
): Promise<number[]> {
  const [version, names] = filter.includes('/ogc"') ? ['1.1.0', 'typeName'] : ['2.0.0', 'typeNames']
  const query = new URLSearchParams({
    service: 'WFS',
    version,
    request: 'GetFeature',
    [names]: `default:${layer}`,
    outputFormat: 'application/json',
    [parameter]: filter,
  })
  const { statusCode, body, json } = await server.app.inject({ url: `/wfs?${query}`, headers: server.admin })
  assert.equal(statusCode, 200, `${filter} ${body}`)
  const { features } = json<{ features: { properties: { n: number } }[] }>()
  return features.map(({ properties }) => properties.n).toSorted((a, b) => a - b)
}

export async function findInFile({ served }: FilterSamples, cql: string): Promise<number[]> {
  const table = await served.findTable('samples')
  assert.ok(table)
  const srs = 'EPSG:4326'
  const filter = await filterIn(toRequestFilter(parseCql2Text(cql), table.schema, srs), srs)
  const query = { table: 'samples', limit: 10_000, offset: 0, filter }
  const { signal } = new AbortController()
  const numbers: number[] = []
  for await (const { batch } of served.readFeatures(query, signal)) {
    const [column] = batch.columns
    if (column?.kind !== 'fixed') throw new Error('The first column holds the numbers')
    numbers.push(...Array.from({ length: batch.rowCount }, (_, row) => Number(column.values[row])))
  }
  assert.equal(await served.count(query, signal), numbers.length)
  return numbers
}

/** Compares what so many filters find in each store with what SQL finds in PostGIS. */
export async function compareWithSql(samples: FilterSamples, count: number): Promise<void> {
  let matches = 0
  for (const { text, json, sql } of someFilters(count)) {
    const expected = await runSql(samples.url, `select n from source.samples where ${sql} order by n`)
    const numbers = expected.map((row) => Number(row['n']))
    matches += numbers.length
    assert.deepEqual(await findRows(samples, 'of_table', { filter: text }), numbers, `PostGIS: ${text}`)
    assert.deepEqual(await findRows(samples, 'of_file', { filter: text }), numbers, `GeoPackage: ${text}`)
    // FlatGeobuf holds no row without geometry.
    const inFile = numbers.filter((n) => n % 19 !== 0)
    assert.deepEqual(await findInFile(samples, text), inFile, `file: ${text}`)
    const inJson = { filter: JSON.stringify(json), 'filter-lang': 'cql2-json' }
    assert.deepEqual(await findRows(samples, 'of_table', inJson), numbers, `JSON: ${JSON.stringify(json)}`)
  }
  assert.ok(matches > count * 5, `${matches} rows are too few to prove anything`)
}

/** Compares what so many filters find by Filter Encoding 2.0 and 1.1 and by `cql_filter` with what SQL finds. */
export async function compareEncodings(samples: FilterSamples, count: number): Promise<void> {
  let output = 0
  for (const { text, json, sql } of someFilters(count, 23)) {
    const expected = await runSql(samples.url, `select n from source.samples where ${sql} order by n`)
    const numbers = expected.map((row) => Number(row['n']))
    assert.deepEqual(await findByFes(samples, 'of_file', text, 'cql_filter'), numbers, text)
    for (const version of ['2.0', '1.1'] as const) {
      const fes = fesOfCql2(json, version)
      if (fes === undefined) continue
      output += 1
      for (const layer of ['of_table', 'of_file'])
        assert.deepEqual(await findByFes(samples, layer, fes), numbers, `${layer}: ${fes} ${text}`)
    }
  }
  assert.ok(output > count, `${output} filters can be said`)
}
