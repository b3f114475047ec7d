import { flatgeobuf } from '../formats/flatgeobuf/flatgeobuf.ts'
import { shapefile } from '../formats/shapefile/shapefile.ts'
import { findCrs } from '../geo/crs-database.ts'
import { invalid } from '../lib/errors.ts'
import { openFileStore } from './files/open-file-store.ts'
import type { CrsDefinition } from './geopackage/crs-rows.ts'
import { createGeoPackageStore } from './geopackage/geopackage-store.ts'
import { createPostgisStore } from './postgis/postgis-store.ts'
import type { StoreConnection, StoreType, VectorStore } from './store.ts'

/** What opens each type of store: one line for each. */
const openers: Partial<Record<StoreType, (connection: StoreConnection) => VectorStore>> = {
  GeoPackage: openGeoPackage,
  PostGIS: ({ parameters }) => createPostgisStore(parameters),
  Shapefile: (connection) => openFileStore(connection, shapefile),
  FlatGeobuf: (connection) => openFileStore(connection, flatgeobuf),
}

function findDefinition(srs: string): CrsDefinition | undefined {
  const record = findCrs(srs)
  if (record === undefined) return undefined
  const { authority, code, name, wkt } = record
  return { organization: authority, code: Number(code), name, wkt }
}

function openGeoPackage({ parameters }: StoreConnection): VectorStore {
  const { path, read_only } = parameters
  if (path === undefined) throw invalid('store-path', 'A GeoPackage store needs the parameter "path"')
  return createGeoPackageStore({ path, isReadOnly: read_only === 'true' }, { findDefinition })
}

/** Opens a store of any type; the connection itself is tried by `check` or at first use. */
export function openVectorStore(connection: StoreConnection): VectorStore {
  const open = openers[connection.type]
  if (open !== undefined) return open(connection)
  throw invalid('unknown-store-type', `Stores of type "${connection.type}" are not known`)
}
