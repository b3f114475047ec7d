import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { FilePart, ImporterClient, Json } from './importer-client.ts'
import { countFeatures, startImporter } from './importer-client.ts'
import { storeParameters } from './postgis-store.ts'
import { testCluster } from './postgres.ts'

/** A server with an empty store `target` in the default workspace. */
export async function startWithTarget(
  t: TestContext,
  type: 'GeoPackage' | 'PostGIS' = 'GeoPackage',
): Promise<ImporterClient> {
  const client = await startImporter(t)
  const database = type === 'PostGIS' ? await (await testCluster()).createDatabase() : undefined
  const parameters =
    database === undefined
      ? {}
      : { connectionParameters: { dbtype: 'postgis', ...storeParameters(database) } }
  const reply = await client.server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: client.server.admin,
    payload: { dataStore: { name: 'target', type, ...parameters } },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return client
}

export interface Loaded {
  id: number
  /** The state of the first task after the upload. */
  uploadedAs: string
  /** The status of the request that ran the import. */
  runStatus: number
  /** The import in the end, its tasks in full. */
  import: Json
  task: Json
  /** All messages of the first task, one per line. */
  messages: string
}

export interface LoadOptions {
  /** For data that name no CRS; left out, they stay NO_CRS. */
  srs?: string
  /** Body of the PUT request to the first task before the run. */
  task?: object
}

/** An import without data into the store `target`; gives its id. */
export async function newImport(client: ImporterClient): Promise<number> {
  const created = await client.call('POST', '', {
    import: { targetStore: { dataStore: { name: 'target' } } },
  })
  assert.equal(created.status, 201, created.text)
  return Number(created.json.import?.id)
}

/** Uploads files in one form, runs the import and returns its result. */
export async function loadFiles(
  client: ImporterClient,
  files: FilePart[],
  options: LoadOptions = {},
): Promise<Loaded> {
  const id = await newImport(client)
  const uploaded = await client.upload(id, files)
  assert.equal(uploaded.status, 201, uploaded.text)
  const uploadedAs = String((uploaded.json.task ?? uploaded.json.tasks?.[0])?.state)
  if (options.srs !== undefined) {
    const put = await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: options.srs } })
    assert.equal(put.status, 200, put.text)
  }
  if (options.task !== undefined) {
    const put = await client.call('PUT', `/${id}/tasks/0`, { task: options.task })
    assert.equal(put.status, 200, put.text)
  }
  const { status: runStatus } = await client.call('POST', `/${id}`)
  const { json } = await client.call('GET', `/${id}?expand=3`)
  const made = json.import as Json
  const tasks = made.tasks as unknown as Json[]
  for (const task of tasks) assertCounted(task)
  const task = tasks[0] as Json
  const messages = ((task.messages ?? []) as unknown as { message: string }[])
    .map(({ message }) => message)
    .join('\n')
  return { id, uploadedAs, runStatus, import: made, task, messages }
}

/** A task that is COMPLETE accounts for every row. */
function assertCounted(task: Json): void {
  if (String(task.state) !== 'COMPLETE') return
  const [read, loaded, rejected] = [task.rowsRead, task.rowsLoaded, task.rejected].map(Number)
  assert.equal(read, (loaded ?? 0) + (rejected ?? 0), `${read} rows were read: ${JSON.stringify(task)}`)
}

/** The names of the layers that are published. */
export async function publishedLayers(client: ImporterClient): Promise<string[]> {
  const reply = await client.server.app.inject({
    method: 'GET',
    url: '/ogc/collections',
    headers: client.server.admin,
  })
  assert.equal(reply.statusCode, 200, reply.body)
  const { collections } = JSON.parse(reply.body) as { collections: { id: string }[] }
  return collections.map(({ id }) => id).sort()
}

/** Fails unless nothing is published, the target contains no table, and the server responds. */
export async function assertNothingPublished(client: ImporterClient): Promise<void> {
  assert.deepEqual(await publishedLayers(client), [])
  const files = readdirSync(join(client.server.dataDir, 'stores'), { recursive: true }).map(String)
  assert.deepEqual(
    files.filter((name) => /\.load-/.test(name)),
    [],
    'a side file is left over',
  )
  for (const name of files.filter((one) => one.endsWith('.gpkg'))) {
    const db = new DatabaseSync(join(client.server.dataDir, 'stores', name), { readOnly: true })
    assert.deepEqual(db.prepare('select table_name from gpkg_contents').all(), [], 'a table is left over')
    db.close()
  }
}

/** Returns the features of a layer as the text of one GeoJSON page, so that no digit is lost. */
export async function itemsText(client: ImporterClient, layer: string): Promise<string> {
  const reply = await client.server.app.inject({
    method: 'GET',
    url: `/ogc/collections/${encodeURIComponent(layer)}/items?limit=1000`,
    headers: client.server.admin,
  })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.body
}

export async function assertCount(client: ImporterClient, layer: string, count: number): Promise<void> {
  assert.equal(await countFeatures(client, layer), count, layer)
}

/** Files that lie in the uploads of an import. */
export function uploadedFiles(client: ImporterClient, id: number): string[] {
  try {
    return readdirSync(join(client.server.dataDir, 'uploads', String(id)), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export function fixture(path: string): Buffer {
  return readFileSync(join(import.meta.dirname, '..', 'fixtures', path))
}

const shapefile = 'shapefile/ne_110m_admin_1_states_provinces_shp'

/**
 * Returns the files of a Shapefile of 51 polygons with the name `base`, some of them changed; null leaves a
 * file out.
 */
export function shapefileParts(
  changes: Record<string, string | Uint8Array | null> = {},
  base = 'states',
): FilePart[] {
  return ['shp', 'shx', 'dbf', 'prj'].flatMap((extension) => {
    const content = extension in changes ? changes[extension] : fixture(`${shapefile}.${extension}`)
    return content === null || content === undefined ? [] : [{ name: `${base}.${extension}`, content }]
  })
}

export function shapefilePart(extension: string): Buffer {
  return fixture(`${shapefile}.${extension}`)
}

/** A file's first part. */
export function cut(bytes: Uint8Array, share = 0.6): Buffer {
  return Buffer.from(bytes.subarray(0, Math.floor(bytes.length * share)))
}

/** Returns a copy of a file with 200 random bytes from this share of its length on. */
export function garble(bytes: Uint8Array, share: number): Buffer {
  const copy = Buffer.from(bytes)
  const start = Math.floor(copy.length * share)
  for (let at = start; at < Math.min(copy.length, start + 200); at += 1) copy[at] = (at * 37) & 255
  return copy
}

export interface TestFeature {
  type: 'Feature'
  geometry: object | null
  properties: Record<string, unknown>
}

export function feature(
  properties: Record<string, unknown>,
  geometry: object | null = { type: 'Point', coordinates: [1, 2] },
): TestFeature {
  return { type: 'Feature', geometry, properties }
}

export function collection(...features: TestFeature[]): string {
  return JSON.stringify({ type: 'FeatureCollection', features })
}
