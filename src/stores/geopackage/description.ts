import { invalid } from '../../core/errors/errors.ts'
import { findCrs } from '../../geo/crs-database.ts'
import type { OpenStoreOptions, StoreDescription } from '../description.ts'
import type { StoreConnection, VectorStore } from '../store.ts'
import type { CrsDefinition } from './crs-rows.ts'
import { createGeoPackageStore } from './geopackage-store.ts'

const type = 'GeoPackage'

/** Time for which a connection is retained for the next load into the same GeoPackage, in milliseconds. */
const keepMs = 250

/** OGC GeoPackage: an SQLite file. */
export const geoPackage = {
  type,
  names: ['geopackage', 'geopkg', 'gpkg'],
  defaults: {},
  secrets: [],
  can: {
    takesLoads: true,
    // SQLite allows one writing connection at a time.
    oneLoadAtATime: true,
    hasIndexes: true,
    // Only the latest load of a table can be recognized.
    outcomesLast: false,
    countsFast: true,
    findsTileRows: true,
    readsTilesTogether: true,
    comparesLoads: true,
  },
  file: { extension: 'gpkg', format: type, isSqlite: true, isIndexed: false },
  open,
} satisfies StoreDescription

function findDefinition(srs: string): CrsDefinition | undefined {
  const record = findCrs(srs)
  if (record === undefined) return undefined
  const { authority, code, name, wkt } = record
  return { organization: authority, code: Number(code), name, wkt }
}

function open(
  { parameters }: StoreConnection,
  {
    isKept = false,
    keepReadingMs = 0,
    refusesTraps = false,
    isGuarded = false,
    leavesWhole = false,
  }: OpenStoreOptions,
): VectorStore {
  const { path, read_only } = parameters
  if (path === undefined) throw invalid('store-path', 'A GeoPackage store needs the parameter "path"')
  const settings = { path, isReadOnly: read_only === 'true', refusesTraps, isGuarded }
  return createGeoPackageStore(settings, {
    findDefinition,
    keepMs: isKept ? keepMs : 0,
    keepReadingMs,
    leavesWhole,
  })
}
