import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StoreDescription } from '../../src/stores/description.ts'
import { fileSource } from '../../src/stores/files/file-source.ts'
import { buildIndex } from '../../src/stores/files/index/build-index.ts'
import { findServedFormat } from '../../src/stores/files/served-formats.ts'
import type { StoreConnection } from '../../src/stores/store.ts'
import type { StoreUnderTest } from '../contract/store-session.ts'
import { loadRows } from '../contract/store-session.ts'
import { makePostgisStore } from './postgis-store.ts'
import { servedSamples } from './served-samples.ts'
import { traceFile } from './store-traces.ts'

/**
 * Functions that create an empty store in a database, one entry per type of database. A file store needs
 * none.
 */
const starts: Record<string, () => Promise<StoreUnderTest>> = { postgis: makePostgisStore }

/** A fresh store of any type in the registry. */
export async function startStore(description: StoreDescription): Promise<StoreUnderTest> {
  const { server, type } = description
  if (server === undefined) return startFile(description)
  const start = starts[server.database]
  if (start === undefined) throw new Error(`No function starts a store of type ${type} for tests`)
  return start()
}

/** Opens a store on a file that does not exist yet, in a new folder. */
export function startFile(description: StoreDescription): StoreUnderTest {
  const { type, file, can, open } = description
  const folder = mkdtempSync(join(tmpdir(), 'terrane-store-'))
  const path = join(folder, `layer.${file?.extension ?? ''}`)
  const connection: StoreConnection = { type, parameters: { path }, indexFolder: join(folder, 'indexes') }
  const store = open(connection, {})
  return {
    store,
    lacks: can.takesLoads ? [] : servedSample(type).lacks,
    reopen: () => open(connection, {}),
    execute: async (sql) => {
      const db = new DatabaseSync(path, { defensive: false })
      db.exec(sql)
      db.close()
    },
    trace: async () => traceFile(path),
    fill: async (schema, rows) => {
      if (can.takesLoads) await loadRows(store, { schema, rows })
      else servedSample(type).write(path, schema, rows)
      const format = findServedFormat(type)
      if (format !== undefined) {
        await buildIndex(fileSource(connection, format), { signal: new AbortController().signal })
      }
    },
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

function servedSample(type: string) {
  const sample = servedSamples[type]
  if (sample === undefined) throw new Error(`No function writes a file of type ${type} for tests`)
  return sample
}
