import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import { zipFiles } from '../../core/files/zip-files.ts'
import { quoteName } from '../../formats/geopackage/index.ts'
import { findWritingDriver, writeByGdal } from '../../formats/index.ts'
import type { WrittenByGdal } from '../../formats/worker.ts'
import type { RowExportRequest, RowsWritten } from './row-export-request.ts'

/** Kinds of geometry that each have a file of their own, by type codes (OGC 06-103r4, table 7). */
const kinds = [
  { ending: 'points', codes: [1], type: 'POINT' },
  { ending: 'multipoints', codes: [4], type: 'MULTIPOINT' },
  { ending: 'lines', codes: [2, 5], type: 'LINESTRING' },
  { ending: 'polygons', codes: [3, 6], type: 'POLYGON' },
  { ending: 'collections', codes: [7], type: 'NONE' },
] as const

const typeNames: Record<number, string> = {
  1: 'POINT',
  2: 'LINESTRING',
  3: 'POLYGON',
  4: 'MULTIPOINT',
  5: 'MULTILINESTRING',
  6: 'MULTIPOLYGON',
  7: 'GEOMETRYCOLLECTION',
}

interface FileTask {
  path: string
  workPath: string
  roomBytes: number
  /** Description in a zip. */
  about: string
}

/**
 * Converts the GeoPackage of the written rows to the file. Throws `Failure` (`unavailable`, `gdal-missing`) and
 * `FormatError`.
 */
export async function convert(
  rows: RowExportRequest,
  written: RowsWritten,
  { path, workPath, roomBytes, about }: FileTask,
  format: WrittenByGdal,
  signal: AbortSignal,
): Promise<void> {
  const driver = await findWritingDriver(format)
  if (driver === undefined)
    throw new Failure('unavailable', 'format-not-written', `This server has no GDAL that writes such files`)
  const folder = join(workPath, 'out')
  await mkdir(folder, { recursive: true, mode: 0o750 })
  const { name } = rows
  const plan = { from: rows.path, table: name, folder, maxBytes: roomBytes }
  if (format.isZipped !== true) {
    const made = await writeByGdal({ ...plan, name }, format, driver, signal)
    await rename(made, path)
    return
  }
  for (const { ending, options: ofPart, kind } of partsOf(rows, written)) {
    const options = [...(format.options ?? []), ...ofPart]
    const sql = sqlOf(rows, written, kind)
    const query = sql === undefined ? whereOf(rows, kind) : ['-dialect', 'OGRSQL', '-sql', sql]
    const all = { ...format, options: [...options, ...query] }
    const source = { ...plan, name: `${name}${ending}`, isQuery: sql !== undefined }
    await writeByGdal(source, all, driver, signal)
  }
  await writeFile(join(folder, 'about.txt'), about)
  await zipFiles(path, folder, signal)
  await stat(path)
}

/** One of the files that a table is converted to. */
interface FilePart {
  ending: string
  options: string[]
  /**
   * Types of its geometries, quoted; absent if it contains all rows. `hasRest`: it also contains rows without
   * a geometry.
   */
  kind?: { names: string; hasRest: boolean }
}

/**
 * Returns the files that a table is converted to if each contains only one kind of geometry; rows without
 * geometry go into the first one.
 */
function partsOf({ geometry }: RowExportRequest, { typeCodes }: RowsWritten): FilePart[] {
  if (geometry === undefined) return [{ ending: '', options: ['-nlt', 'NONE'] }]
  const met = kinds.filter(({ codes }) => codes.some((code) => typeCodes.includes(code)))
  const [first = kinds.find(({ type }) => geometry.type.toUpperCase().endsWith(type)) ?? kinds[0]] = met
  const dimension = `${geometry.hasZ ? 'Z' : ''}${geometry.hasM ? 'M' : ''}`
  if (met.length < 2) return [{ ending: '', options: typeOptions(first.type, dimension) }]
  return met.map((kind) => ({
    ending: `_${kind.ending}`,
    options: typeOptions(kind.type, dimension),
    kind: { names: kind.codes.map((code) => `'${typeNames[code]}'`).join(', '), hasRest: kind === first },
  }))
}

/** Returns the condition for rows of the kind. */
function whereOf({ geometry }: RowExportRequest, kind: FilePart['kind']): string[] {
  if (kind === undefined || geometry === undefined) return []
  const column = quoteName(geometry.name)
  const rest = kind.hasRest ? ` OR ${column} IS NULL` : ''
  return ['-where', `ST_GeometryType(${column}) IN (${kind.names})${rest}`]
}

/**
 * Returns an OGR SQL statement for the rows of the kind that sets field widths; undefined if no field needs
 * another one, or a name cannot be quoted there.
 */
function sqlOf(
  { name: table, columns }: RowExportRequest,
  { renamed, numbers }: RowsWritten,
  kind: FilePart['kind'],
): string | undefined {
  if (columns.every(({ source }) => numbers[source]?.field === undefined)) return undefined
  const names = columns.map(({ attribute: { name } }) => renamed[name] ?? name)
  if ([table, ...names].some((name) => /["\\]/.test(name))) return undefined
  const list = columns.map(({ source }, at) => {
    const field = numbers[source]?.field
    const name = names[at]
    return field === undefined
      ? `"${name}"`
      : `CAST("${name}" AS NUMERIC(${field.width},${field.decimals})) AS "${name}"`
  })
  const rest = kind?.hasRest === true ? ' OR OGR_GEOMETRY IS NULL' : ''
  const where = kind === undefined ? '' : ` WHERE OGR_GEOMETRY IN (${kind.names})${rest}`
  return `SELECT ${list.join(', ')} FROM "${table}"${where}`
}

function typeOptions(type: string, dimension: string): string[] {
  return ['-nlt', type === 'NONE' ? type : `${type}${dimension}`]
}
