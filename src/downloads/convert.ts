import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WrittenByGdal } from '../formats/format.ts'
import { findWritingDriver, writeByGdal } from '../formats/gdal/write-by-gdal.ts'
import { quoteName } from '../formats/geopackage/sql-names.ts'
import type { GeometryField } from '../geo/schema.ts'
import { Failure } from '../lib/errors.ts'
import { zipFiles } from '../lib/files/zip-files.ts'

/** A table in a GeoPackage of ours that becomes a file of another format. */
export interface Conversion {
  from: string
  table: string
  /** An empty folder for what is made on the way. */
  folder: string
  /** Base name of what stands in a zip. */
  name: string
  path: string
  maxBytes: number
  geometry: GeometryField | undefined
  /** Types of geometries that were met. */
  typeCodes: readonly number[]
  /** What is told in a zip. */
  about: string
}

/** Kinds of geometry that are a file each, by their codes (OGC 06-103r4, table 7). */
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

/** Makes the file. Throws `Failure` (`unavailable`, `gdal-missing`) and `FormatError`. */
export async function convert(
  conversion: Conversion,
  written: WrittenByGdal,
  signal: AbortSignal,
): Promise<void> {
  const driver = await findWritingDriver(written)
  if (driver === undefined)
    throw new Failure('unavailable', 'format-not-written', `This server has no GDAL that writes such files`)
  const { folder, name, from, table, maxBytes, path } = conversion
  await mkdir(folder, { recursive: true, mode: 0o750 })
  const plan = { from, table, folder, maxBytes }
  if (written.isZipped !== true) {
    const made = await writeByGdal({ ...plan, name }, written, driver, signal)
    await rename(made, path)
    return
  }
  for (const part of partsOf(conversion)) {
    const options = [...(written.options ?? []), ...part.options]
    await writeByGdal({ ...plan, name: `${name}${part.ending}` }, { ...written, options }, driver, signal)
  }
  await writeFile(join(folder, 'about.txt'), conversion.about)
  await zipFiles(path, folder, signal)
  await stat(path)
}

/** The files that a table becomes where each holds one kind of geometry; rows without one stand in the first. */
function partsOf({ geometry, typeCodes }: Conversion): { ending: string; options: string[] }[] {
  if (geometry === undefined) return [{ ending: '', options: ['-nlt', 'NONE'] }]
  const met = kinds.filter(({ codes }) => codes.some((code) => typeCodes.includes(code)))
  const [first = kinds.find(({ type }) => geometry.type.toUpperCase().endsWith(type)) ?? kinds[0]] = met
  const dimension = `${geometry.hasZ ? 'Z' : ''}${geometry.hasM ? 'M' : ''}`
  if (met.length < 2) return [{ ending: '', options: typeOptions(first.type, dimension) }]
  const column = quoteName(geometry.name)
  return met.map((kind) => {
    const names = kind.codes.map((code) => `'${typeNames[code]}'`).join(', ')
    const rest = kind === first ? ` OR ${column} IS NULL` : ''
    const where = `ST_GeometryType(${column}) IN (${names})${rest}`
    return {
      ending: `_${kind.ending}`,
      options: [...typeOptions(kind.type, dimension), '-where', where],
    }
  })
}

function typeOptions(type: string, dimension: string): string[] {
  return ['-nlt', type === 'NONE' ? type : `${type}${dimension}`]
}
