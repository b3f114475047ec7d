import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestApp } from './app.ts'
import { clientOf } from './importer-client.ts'
import { ask } from './version-client.ts'
import { addVersionStores } from './version-stores.ts'

const run = promisify(execFile)
const fixtures = join(import.meta.dirname, '..', 'fixtures', 'cql2')

/** The layers of the OGC's test data. */
export const cql2Collections = [
  'ne_110m_admin_0_countries',
  'ne_110m_populated_places_simple',
  'ne_110m_rivers_lake_centerlines',
] as const

/** They are layers of each of these stores, called `<store>_<collection>`. */
export const cql2Stores = ['file', 'table'] as const

/** A filter of the abstract tests, and how many items it leaves. */
export interface Predicate {
  class: string
  collection: string
  items: number
  filter: string
}

/** The filters of the abstract tests of CQL2. */
export const cql2Predicates: readonly Predicate[] = readFileSync(join(fixtures, 'predicates.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [name = '', collection = '', items = '', filter = ''] = line.split('\t')
    return { class: name, collection, items: Number(items), filter }
  })

/** Unpacks the OGC's test data of CQL2 into a folder. */
export async function unpackCql2(folder: string): Promise<void> {
  await run('/usr/bin/python3', ['-m', 'zipfile', '-e', join(fixtures, 'cql2.zip'), folder])
}

/** Loads the OGC's test data into both kinds of stores. */
export async function loadCql2(server: TestApp, folder: string): Promise<void> {
  await addVersionStores(server)
  const client = clientOf(server)
  const content = readFileSync(join(folder, 'ne110m4cql2.gpkg'))
  for (const store of cql2Stores) {
    const target = {
      targetWorkspace: { workspace: { name: 'default' } },
      targetStore: { dataStore: { name: store } },
    }
    const id = Number((await client.call('POST', '', { import: target })).json.import?.id)
    await client.upload(id, [{ name: 'ne110m4cql2.gpkg', content }])
    for (const task of cql2Collections.keys()) {
      const { json } = await client.call('GET', `/${id}/tasks/${task}`)
      const layer = { name: `${store}_${String(json.task?.layer?.name)}` }
      assert.equal((await client.call('PUT', `/${id}/tasks/${task}`, { task: { layer } })).status, 200)
    }
    await client.call('POST', `/${id}`)
    const done = await client.call('GET', `/${id}`)
    assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
  }
}

/** Returns the response to a filter, limited to one item. */
export function askFilter(
  server: TestApp,
  layer: string,
  filter: string,
  parameters: Record<string, string> = {},
): ReturnType<typeof ask> {
  const query = new URLSearchParams({ limit: '1', filter, ...parameters })
  return ask(server, 'GET', `/ogc/collections/default:${layer}/items?${query}`)
}
