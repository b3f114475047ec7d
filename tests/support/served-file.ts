import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Failure } from '../../src/core/errors/errors.ts'
import { IndexMaker } from '../../src/stores/files/index/index-maker.ts'
import { IndexedStore } from '../../src/stores/reading/indexed-store.ts'
import { Readers } from '../../src/stores/reading/readers.ts'
import { createServedStore } from '../../src/stores/reading/served-store.ts'
import type { StoreConnection, StoreType, VectorStore } from '../../src/stores/store.ts'
import { temporaryFolder } from './temporary-files.ts'
import { until } from './until.ts'

/**
 * Opens a store on a file that is served without import, whose index is created on demand; closed after the
 * test.
 */
export function openServedFile(test: Pick<TestContext, 'after'>, type: StoreType, path: string): VectorStore {
  const maker = new IndexMaker()
  const indexFolder = join(temporaryFolder(test), 'indexes')
  const connection: StoreConnection = { type, parameters: { path }, indexFolder }
  const readers = new Readers({ ownFolder: indexFolder })
  test.after(() => Promise.all([maker.close(), readers.close()]))
  return new IndexedStore(createServedStore(connection, readers), connection, maker)
}

/** Waits until a layer that is served from its file can be read: an index takes longer on a busy machine than a request waits. */
export function untilIndexed(store: VectorStore, table: string): Promise<void> {
  return until(async () => {
    try {
      await store.count({ table }, new AbortController().signal)
      return true
    } catch (error) {
      if (error instanceof Failure && error.code === 'layer-not-indexed') return false
      throw error
    }
  })
}
