import { isCurveType, linearTypeCode } from '../../geo/curves/curve-tree.ts'
import { SeenGeometries } from '../../geo/geometry-shape.ts'
import type { GeometryField } from '../../geo/schema.ts'
import { curvesMessage } from '../column-messages.ts'
import type { FormatMessage } from '../format.ts'
import { FormatError } from '../format.ts'
import { RecordReader } from './record-reader.ts'
import { PageSource } from './sqlite-pages/page-source.ts'
import { TableScan } from './sqlite-pages/table-scan.ts'
import type { GeoPackageTable } from './tables.ts'

/**
 * Returns the geometry field of a table according to its rows, if they differ from the declaration: some
 * programs write multi geometries into single-geometry layers, and Z without declaring it. If only some rows
 * have Z or M (OGC 12-128r18, table 6), the layer has it.
 */
export function surveyGeometry(
  path: string,
  table: GeoPackageTable,
  messages: FormatMessage[],
): GeometryField | undefined {
  const { geometry } = table.schema
  if (geometry === undefined || table.rootPage === undefined) return geometry
  const found = seenGeometries(path, table, table.rootPage)
  const seen = found?.seen
  if (seen === undefined || seen.count === 0) return geometry
  if (found !== undefined && found.curves > 0) messages.push(curvesMessage(geometry.name, found.curves))
  const holdsSeen = ['Geometry', seen.type, `Multi${seen.type}`].includes(geometry.type)
  return {
    ...geometry,
    type: holdsSeen ? geometry.type : seen.type,
    hasZ: seen.withZ > 0,
    hasM: seen.withM > 0,
  }
}

interface Survey {
  seen: SeenGeometries
  /** Number of curves and surfaces among them. */
  curves: number
}

/** Returns the geometry types found; undefined if pages are damaged, which reading them reports. */
function seenGeometries(path: string, table: GeoPackageTable, rootPage: number): Survey | undefined {
  const pages = new PageSource(path)
  try {
    const scan = new TableScan(pages, rootPage)
    const reader = new RecordReader(scan, table)
    const seen = new SeenGeometries()
    let curves = 0
    while (scan.next()) {
      const number = reader.geometryNumber()
      if (number === undefined) continue
      const typeCode = linearTypeCode(number % 1000)
      const thousands = Math.floor(number / 1000)
      if (isCurveType(number % 1000)) curves += 1
      if (typeCode > 0) seen.add(typeCode, thousands === 1 || thousands === 3, thousands >= 2)
    }
    return { seen, curves }
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  } finally {
    pages.close()
  }
}
