import type { Format } from '../../formats/worker.ts'
import type { StoreDescription } from '../description.ts'
import { fileSource } from './file-source.ts'
import { FileStore } from './file-store.ts'

/** Returns the store type of the files of a format, which are served directly. */
export function servedFiles(format: Format): StoreDescription {
  const { name, extensions } = format
  return {
    type: name,
    names: [],
    defaults: {},
    secrets: [],
    can: {
      takesLoads: false,
      oneLoadAtATime: false,
      hasIndexes: false,
      outcomesLast: false,
      countsFast: true,
      findsTileRows: true,
      readsTilesTogether: false,
      comparesLoads: false,
    },
    file: { extension: extensions[0] ?? '', format: name, isSqlite: false, isIndexed: true },
    open: (connection) => new FileStore(fileSource(connection, format)),
  }
}
