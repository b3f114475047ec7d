import { findCrs } from '../geo/crs-database.ts'
import { invalid } from '../lib/errors.ts'
import { openFileStore } from './files/open-file-store.ts'
import { findServedFormat } from './files/served-formats.ts'
import type { CrsDefinition } from './geopackage/crs-rows.ts'
import { createGeoPackageStore } from './geopackage/geopackage-store.ts'
import { createPostgisStore } from './postgis/postgis-store.ts'
import type { StoreConnection, StoreType, VectorStore } from './store.ts'

export interface OpenOptions {
  /** Loads will follow one another: what one has opened stays open a moment for the next. */
  isKept?: boolean
  /** What reads stays open for this long without a question. */
  keepReadingMs?: number
  /** Refuses databases of which SQLite may never be done. */
  refusesTraps?: boolean
  /** Believes nothing that stands in a database. */
  isGuarded?: boolean
}

/** What opens each type of store beside files that are served as they are: one line for each. */
const openers: Partial<
  Record<StoreType, (connection: StoreConnection, options: OpenOptions) => VectorStore>
> = {
  GeoPackage: openGeoPackage,
  PostGIS: ({ parameters, reach }) => createPostgisStore(parameters, reach),
}

/** Within this time loads into one GeoPackage follow one another. */
const keepMs = 250

function findDefinition(srs: string): CrsDefinition | undefined {
  const record = findCrs(srs)
  if (record === undefined) return undefined
  const { authority, code, name, wkt } = record
  return { organization: authority, code: Number(code), name, wkt }
}

function openGeoPackage(
  { parameters }: StoreConnection,
  { isKept = false, keepReadingMs = 0, refusesTraps = false, isGuarded = false }: OpenOptions,
): VectorStore {
  const { path, read_only } = parameters
  if (path === undefined) throw invalid('store-path', 'A GeoPackage store needs the parameter "path"')
  const settings = { path, isReadOnly: read_only === 'true', refusesTraps, isGuarded }
  return createGeoPackageStore(settings, { findDefinition, keepMs: isKept ? keepMs : 0, keepReadingMs })
}

/** Opens a store of any type; the connection itself is tried by `check` or at first use. */
export function openVectorStore(connection: StoreConnection, options: OpenOptions = {}): VectorStore {
  const served = findServedFormat(connection.type)
  if (served !== undefined) return openFileStore(connection, served)
  const open = openers[connection.type]
  if (open !== undefined) return open(connection, options)
  throw invalid('unknown-store-type', `Stores of type "${connection.type}" are not known`)
}
