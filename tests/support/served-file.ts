import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { IndexMaker } from '../../src/stores/files/index/index-maker.ts'
import { IndexedStore } from '../../src/stores/reading/indexed-store.ts'
import { Readers } from '../../src/stores/reading/readers.ts'
import { createServedStore } from '../../src/stores/reading/served-store.ts'
import type { StoreConnection, StoreType, VectorStore } from '../../src/stores/store.ts'
import { temporaryFolder } from './temporary-files.ts'

/** A store over a file that is served as it is, whose index is made when it is needed; closed after the test. */
export function openServedFile(test: Pick<TestContext, 'after'>, type: StoreType, path: string): VectorStore {
  const maker = new IndexMaker()
  const indexFolder = join(temporaryFolder(test), 'indexes')
  const connection: StoreConnection = { type, parameters: { path }, indexFolder }
  const readers = new Readers({ ownFolder: indexFolder })
  test.after(() => Promise.all([maker.close(), readers.close()]))
  return new IndexedStore(createServedStore(connection, readers), connection, maker)
}
