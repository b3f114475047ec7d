import { invalid } from '../../core/errors/errors.ts'
import type { StoreDescription } from '../description.ts'
import type { StoreConnection, VectorStore } from '../store.ts'
import { RowFileStore } from './row-file-store.ts'

const type = 'RowFile'

/** Small tables in one file, held in memory while they are worked with. */
export const rowFile: StoreDescription = {
  type,
  names: ['rowfile'],
  defaults: {},
  secrets: [],
  can: {
    takesLoads: true,
    // The file is written anew by each load.
    oneLoadAtATime: true,
    hasIndexes: false,
    // Each table keeps the tokens of its loads.
    outcomesLast: true,
    countsFast: true,
    findsTileRows: false,
    readsTilesTogether: false,
    comparesLoads: false,
  },
  file: { extension: 'rows', format: type, isSqlite: false, isIndexed: false },
  open,
}

function open({ parameters }: StoreConnection): VectorStore {
  const { path, read_only } = parameters
  if (path === undefined) throw invalid('store-path', `A ${type} store needs the parameter "path"`)
  return new RowFileStore(type, { path, isReadOnly: read_only === 'true' })
}
