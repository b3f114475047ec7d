import { basename, extname } from 'node:path'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { GeometryField, GeometryType } from '../../geo/schema.ts'
import type { DataFile, FormatMessage, LayerDescription, ReadContext } from '../format.ts'
import { add, describeDbf } from './describe-table.ts'
import { ShapeRecords, truncated } from './shape-records.ts'
import { ShapeScan } from './shape-scan.ts'
import { openParts, readSmallFile, type ShapefileFiles } from './shapefile-files.ts'

const maxBytes = 1 << 16

const wktPattern = new RegExp(
  '^(?:PROJCS|GEOGCS|GEOCCS|COMPD_CS|VERT_CS|LOCAL_CS|FITTED_CS|BOUNDCRS|COMPOUNDCRS|DERIVEDPROJCRS|ENGCRS|' +
    'ENGINEERINGCRS|GEODCRS|GEODETICCRS|GEOGCRS|GEOGRAPHICCRS|PROJCRS|PROJECTEDCRS)\\s*[[(].*[\\])]$',
  'is',
)

/** Returns the CRS of a .prj; if it is not WKT (such as an error page) no CRS, and a message. */
export function parseProjection(bytes: Uint8Array): {
  crs: CrsDeclaration | undefined
  messages: FormatMessage[]
} {
  const text = new TextDecoder().decode(bytes.subarray(0, maxBytes)).replaceAll('\0', '').trim()
  if (bytes.length <= maxBytes && wktPattern.test(text)) return { crs: { wkt: text }, messages: [] }
  const start = text === '' ? 'nothing' : JSON.stringify(text.slice(0, 40))
  const message = `The .prj holds no coordinate reference system in WKT; it starts with ${start}. Set the CRS by hand.`
  return { crs: undefined, messages: [{ level: 'warning', code: 'bad-prj', message }] }
}

/** Reads the whole file once: counts, geometry type, measures, encoding, and messages. */
export async function describeShapefile(file: DataFile, context: ReadContext): Promise<LayerDescription[]> {
  const parts = await openParts(file, context.signal)
  try {
    const messages: FormatMessage[] = []
    const records = new ShapeRecords(parts)
    const shapes = new ShapeScan(parts.header.type)
    await shapes.run(records, context.signal)
    checkLength(parts, records, messages)
    const table = await describeDbf(file, parts, records.count, context, messages)
    const geometry = await describeGeometry(file, shapes, messages)
    const layer: LayerDescription = {
      name: basename(file.path, extname(file.path)),
      schema: { attributes: table.columns.map((column) => column.attribute), geometry },
      featureCount: Math.max(records.count, table.rows) - table.deleted,
      messages,
    }
    if (shapes.envelope !== undefined) layer.envelope = shapes.envelope
    if (table.encoding !== undefined) layer.charset = table.encoding.name
    return [layer]
  } finally {
    await parts.close()
  }
}

/** The length in a header may be wrong; a file is truncated if other data also show that it was longer. */
function checkLength(parts: ShapefileFiles, records: ShapeRecords, messages: FormatMessage[]): void {
  const { declaredBytes } = parts.header
  const { size } = parts.shp
  if (parts.index !== undefined && parts.index.state !== 'followed') {
    const what = parts.index.state === 'invalid' ? 'is damaged' : 'does not belong to the .shp'
    add(messages, 'warning', 'index-ignored', `The .shx ${what}; records were read one after the other`)
  }
  if (records.trailingBytes > 0) {
    const text = `${records.trailingBytes} bytes behind the last record of the .shp are no record and were left out`
    add(messages, 'warning', 'trailing-bytes', text)
  } else if (declaredBytes !== size) {
    const isWhole = [parts.index?.entries, parts.dbf?.header.declaredRows].includes(records.count)
    if (declaredBytes > size && !isWhole) {
      throw truncated(declaredBytes, size, `It ends after record ${records.count}`)
    }
    const text = `The header of the .shp says ${declaredBytes} bytes, the file has ${size}; all of it was read`
    add(messages, 'warning', 'wrong-length', text)
  }
}

async function describeGeometry(
  file: DataFile,
  shapes: ShapeScan,
  messages: FormatMessage[],
): Promise<GeometryField | undefined> {
  const type = geometryType(shapes)
  if (type === undefined) return undefined
  if (shapes.incomplete > 0) {
    const text = `${shapes.incomplete} shapes have open rings or too few points; points were repeated to complete them`
    add(messages, 'warning', 'completed-geometries', text)
  }
  const path = file.sidecars.prj ?? file.sidecars.qpj
  const projection = path === undefined ? undefined : parseProjection(await readSmallFile(path))
  messages.push(...(projection?.messages ?? []))
  const hasM = shapes.type.hasM || (shapes.type.hasZ && shapes.hasMeasures)
  return { name: 'geom', type, hasZ: shapes.type.hasZ, hasM, crs: projection?.crs }
}

/** Returns undefined if all shapes are null and the header says so: the file is a table. */
function geometryType(shapes: ShapeScan): GeometryType | undefined {
  switch (shapes.type.base) {
    case 'Null':
      return undefined
    case 'PolyLine':
      return shapes.isMulti ? 'MultiLineString' : 'LineString'
    case 'Polygon':
      return shapes.isMulti ? 'MultiPolygon' : 'Polygon'
    default:
      return shapes.type.base
  }
}
