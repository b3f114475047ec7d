import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { GeometryField } from '../../geo/schema.ts'
import { identityAttribute } from '../../geo/schema.ts'
import type { DataFile, Format, FormatMessage, LayerDescription, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import { withDataColumns } from './data-columns.ts'
import type { ForeignDatabase } from './open-database.ts'
import { asFormatError, openForeignDatabase } from './open-database.ts'
import { readByQuery, readPages } from './read-rows.ts'
import { quoteName } from './sql-names.ts'
import { surveyGeometry } from './survey.ts'
import type { GeoPackageTable } from './tables.ts'
import { findTable, hasCatalogue, listTables, withIdentity } from './tables.ts'

const magic = 'SQLite format 3\0'
/** `application_id` of GeoPackage 1.2 and later, 1.0 and 1.1 (section 1.1.1.1.1). */
const applicationIds = ['GPKG', 'GP10', 'GP11']
/** Geometries are surveyed in files up to this size; in larger ones the declared type is used. */
const maxSurveyedBytes = 64 << 20
/** Rows are counted beforehand in files up to this size. */
const maxCountedBytes = 1 << 30

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end))
}

function detect(file: DataFile, head: Uint8Array): boolean {
  if (ascii(head, 0, 16) !== magic) return false
  if (applicationIds.includes(ascii(head, 68, 72))) return true
  return (
    /\.gpkg$/i.test(file.path) ||
    Buffer.from(head.buffer, head.byteOffset, head.length).includes('gpkg_contents')
  )
}

function open(path: string): ForeignDatabase {
  try {
    const opened = openForeignDatabase(path)
    if (hasCatalogue(opened.db)) return opened
    opened.close()
  } catch (error) {
    throw asFormatError(error, path)
  }
  throw new FormatError(
    `"${basename(path)}" is not a GeoPackage: it has no tables gpkg_contents and gpkg_spatial_ref_sys`,
  )
}

async function describe(file: DataFile, { signal }: ReadContext): Promise<LayerDescription[]> {
  signal.throwIfAborted()
  const opened = open(file.path)
  try {
    const { size } = statSync(file.path)
    const isUtf8 = hasUtf8(opened.db)
    return listTables(opened.db).map((found) => {
      const table = withIdentity(found)
      const messages = opened.isCopy ? [pendingMessage(file)] : []
      const geometry =
        isUtf8 && size <= maxSurveyedBytes
          ? surveyGeometry(opened.path, table, messages)
          : table.schema.geometry
      const described = withDataColumns(opened.db, table)
      messages.push(...described.messages)
      const surveyed = { ...table, schema: { attributes: described.attributes, geometry } }
      return toLayer(opened.db, surveyed, size <= maxCountedBytes, messages)
    })
  } catch (error) {
    throw asFormatError(error, file.path)
  } finally {
    opened.close()
  }
}

function pendingMessage(file: DataFile): FormatMessage {
  const message = `Changes stand beside "${basename(file.path)}" that are not yet in it: a copy was read that has them`
  return { level: 'warning', message, code: 'geopackage-pending-changes' }
}

function toLayer(
  db: DatabaseSync,
  table: GeoPackageTable,
  isCounted: boolean,
  messages: FormatMessage[],
): LayerDescription {
  const { name, schema, envelope, kind } = table
  return {
    name,
    schema,
    featureCount: isCounted && kind === 'table' ? countRows(db, name) : undefined,
    envelope,
    messages: [...messages],
  }
}

/** The pages of a database in UTF-16 are read by SQLite, not by this reader. */
function hasUtf8(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA encoding').get()?.['encoding'] === 'UTF-8'
}

/** Returns the geometry as described in the layer, if the table still has it. */
function geometryOf(table: GeoPackageTable, layer: LayerDescription): GeometryField | undefined {
  const { geometry } = table.schema
  return geometry?.name === layer.schema.geometry?.name ? (layer.schema.geometry ?? geometry) : geometry
}

function countRows(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${quoteName(name)}`).get()?.['n'])
}

async function* read(
  file: DataFile,
  layer: LayerDescription,
  { signal, isPlain }: ReadContext,
): AsyncGenerator<FeatureBatch> {
  signal.throwIfAborted()
  const opened = open(file.path)
  try {
    const found = findTable(opened.db, layer.name)
    if (found === undefined) {
      throw new FormatError(`"${basename(file.path)}" has no table "${layer.name}"`, {
        code: 'unknown-layer',
      })
    }
    const named = identityAttribute(layer.schema) === undefined ? found : withIdentity(found)
    const table = { ...named, schema: { ...named.schema, geometry: geometryOf(named, layer) } }
    const canScan = isPlain !== true && hasUtf8(opened.db) && table.rootPage !== undefined
    if (canScan) yield* readPages(opened.path, table, signal)
    else yield* readByQuery(opened.db, table, signal)
  } catch (error) {
    throw asFormatError(error, file.path)
  } finally {
    opened.close()
  }
}

/** OGC GeoPackage 1.0 to 1.4 (OGC 12-128r18): feature and attribute tables. */
export const geopackage: Format = {
  name: 'GeoPackage',
  kind: 'vector',
  extensions: ['gpkg'],
  sidecars: [{ endings: ['gpkg-wal', 'gpkg-shm', 'gpkg-journal'] }],
  mediaTypes: { 'application/geopackage+sqlite3': ['gpkg'] },
  canServeDirectly: true,
  writesRowsAs: 'geopackage',
  detect,
  describe,
  read,
}
