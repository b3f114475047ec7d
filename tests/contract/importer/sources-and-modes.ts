import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { zipOf } from '../../support/archives.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { createDatabaseImport, schemaWith } from '../../support/database-import.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, readItems } from '../../support/importer-client.ts'
import { addPostgisStore } from '../../support/postgis-store.ts'
import { importRemote, startFetcher } from '../../support/remote-client.ts'
import { startWebServer } from '../../support/web-server.ts'

/** Rows by key: name and position. */
type Rows = ReadonlyMap<number, string>

const rowsOf = (ids: number[], nameOf: (id: number) => string): Rows =>
  new Map(ids.map((id) => [id, nameOf(id)]))
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)
const monday = rowsOf(range(1, 31), (id) => `näme ${id}`)
const tuesday = rowsOf(range(6, 36), (id) => (id % 7 === 0 ? `new ${id}` : `näme ${id}`))
const expected = {
  REPLACE: { counts: { added: 5, changed: 4, removed: 5, same: 21 }, rows: tuesday },
  APPEND: { counts: { added: 30, changed: null, removed: 0, same: 0 }, rows: undefined },
  UPSERT: {
    counts: { added: 5, changed: 4, removed: 0, same: 21 },
    rows: new Map([...monday, ...tuesday]) as Rows,
  },
} as const
type Mode = keyof typeof expected

function geoJson(rows: Rows): string {
  const features = [...rows].map(([no, name]) => ({
    type: 'Feature',
    properties: { no, name },
    geometry: { type: 'Point', coordinates: [no / 4, 50] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

interface Location {
  client: ImporterClient
  test: TestContext
  store: string
  /** The layer, which the file or table is called like. */
  name: string
}

const target = (store: string) => ({ targetStore: { dataStore: { name: store } } })
const idOf = (answer: { json: Json }): number => Number(answer.json.import?.id)

/** Ways to import the same rows; each returns the id of an import with one task. */
const sources: Record<string, (place: Location, rows: Rows) => Promise<number>> = {
  'an uploaded file': async ({ client, store, name }, rows) => {
    const id = idOf(await client.call('POST', '', { import: target(store) }))
    await client.upload(id, [{ name: `${name}.geojson`, content: geoJson(rows) }])
    return id
  },
  'an archive': async ({ client, store, name }, rows) => {
    const id = idOf(await client.call('POST', '', { import: target(store) }))
    const content = await zipOf({ [`deep/${name}.geojson`]: geoJson(rows) })
    await client.upload(id, [{ name: `${name}.zip`, content }])
    return id
  },
  'a file of the server': async ({ client, store, name }, rows) => {
    const folder = join(client.server.dataDir, 'incoming', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${name}.geojson`), geoJson(rows))
    const data = { type: 'directory', location: name }
    return idOf(await client.call('POST', '', { import: { ...target(store), data } }))
  },
  'remote data': async ({ client, test, store, name }, rows) => {
    const base = await startWebServer(test, (_request, reply) => void reply.end(geoJson(rows)))
    const id = Number((await importRemote(client, { location: `${base}/${name}.geojson` })).id)
    const put = { task: { target: { dataStore: { name: store } } } }
    assert.equal((await client.call('PUT', `/${id}/tasks/0`, put)).status, 200)
    return id
  },
  'a table of a database': async ({ client, store, name }, rows) => {
    const values = [...rows].map(([no, text]) => `(${no}, '${text}', 'SRID=4326;POINT(${no / 4} 50)')`)
    const parameters = await schemaWith(
      `create table ${name} (no int, name text, geom geometry(Point, 4326)); insert into ${name} values ${values.join()}`,
    )
    return idOf(await createDatabaseImport(client, parameters, { import: target(store) }))
  },
}

const taskOf = async (client: ImporterClient, id: number): Promise<Json> =>
  (await client.call('GET', `/${id}/tasks/0`)).json.task as Json

async function run(client: ImporterClient, id: number): Promise<void> {
  const answer = await client.call('POST', `/${id}`)
  const task = await taskOf(client, id)
  assert.deepEqual([answer.status, String(task.state)], [204, 'COMPLETE'], JSON.stringify(task))
}

/** Inspects the file, runs a dry run, and runs the import; checks that each result matches the rows. */
async function load(place: Location, source: string, mode: Mode): Promise<void> {
  const { client, name } = place
  const create = sources[source] ?? assert.fail()
  await run(client, await create(place, monday))
  const id = await create(place, tuesday)
  const path = `/${id}/tasks/0`
  await client.call('PUT', path, { task: { updateMode: mode, layer: { name } } })
  const rows = await client.call('GET', `${path}/rows?limit=100`)
  assert.equal(listOf(rows.json.features).length, tuesday.size, rows.text)
  const columns = await client.call('GET', `${path}/columns?wait=60`)
  const no = listOf<Json>(columns.json.columns).find((column) => String(column.name) === 'no')
  assert.deepEqual([Number(no?.distinct), Number(no?.max), no?.exact], [30, 35, true], columns.text)
  const proposed = await client.call('GET', `${path}/proposals?wait=60`)
  const [first] = listOf<{ keys: string[]; rows: Json }>(proposed.json.proposals)
  assert.deepEqual([first?.keys, first?.rows], [['no'], { data: 30, layer: 30, found: 25 }], proposed.text)
  await client.call('PUT', path, { task: { keys: ['no'] } })
  const { counts, rows: selected } = expected[mode]
  const dryRunEnded = await client.call('POST', `/${id}/dry-run`)
  const [reported] = listOf<{ changes: Json }>(dryRunEnded.json.dryRun?.tasks)
  const { matchedBy: _, ...changes } = reported?.changes ?? {}
  const isCounted = mode !== 'APPEND'
  assert.deepEqual(changes, isCounted ? counts : { ...counts, changed: changes['changed'] }, dryRunEnded.text)
  await run(client, id)
  const { features } = await readItems(client, `default:${name}`)
  const found = listOf<{ properties: { no: number; name: string } }>(features).map(
    ({ properties }) => properties,
  )
  const all = selected === undefined ? [...monday, ...tuesday] : [...selected]
  const sorted = (pairs: (readonly [number, string])[]) => pairs.map(([key, text]) => `${key} ${text}`).sort()
  assert.deepEqual(sorted(found.map((one) => [one.no, one.name])), sorted(all))
}

const catalogues: Record<string, () => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

async function makeStore(client: ImporterClient, type: string): Promise<string> {
  if (type === 'PostGIS') {
    await addPostgisStore(client, 'goal')
    return 'goal'
  }
  const made = await client.server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: client.server.admin,
    payload: { dataStore: { name: 'goal', type } },
  })
  assert.equal(made.statusCode, 201, made.payload)
  return 'goal'
}

const modes: Mode[] = ['REPLACE', 'APPEND', 'UPSERT']

/** Numbers of a catalogue, a type of store, a source and a mode. */
interface Combination {
  catalogue: number
  type: number
  source: number
  mode: number
}

/** Loads the same rows from the sources in the modes, into both stores, with both catalogues: those that are included. */
export function describeSourcesAndModes(isIncluded: (combination: Combination) => boolean): void {
  for (const [at, [catalogue, envOf]] of Object.entries(catalogues).entries())
    describe(`looks, dry runs and loads, with the catalogue in ${catalogue}`, () => {
      for (const [place, type] of ['GeoPackage', 'PostGIS'].entries()) {
        it(`tell the same of rows from anywhere, into ${type}`, async (test) => {
          const client = await startFetcher(test, await envOf())
          const store = await makeStore(client, type)
          for (const [row, source] of Object.keys(sources).entries()) {
            for (const [column, mode] of modes.entries()) {
              if (!isIncluded({ catalogue: at, type: place, source: row, mode: column })) continue
              await load({ client, test, store, name: `rows_${row}_${column}` }, source, mode)
            }
          }
        })
      }
    })
}
