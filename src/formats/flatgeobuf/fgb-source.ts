import type { GeometryField, GeometryType, Schema } from '../../geo/schema.ts'
import { geometryTypeCode, geometryTypeName } from '../../geo/wkb.ts'
import type { ByteWindow } from '../byte-window.ts'
import { FormatError } from '../format.ts'
import { type FgbRecords, geometryTable } from './fgb-features.ts'
import { flatType, statedGeometryType } from './fgb-geometry.ts'
import { type FgbHeader, isFgbHead, magicBytes, parseFgbHeader } from './fgb-header.ts'
import { FlatBuffer, FlatBufferError } from './flat-buffer.ts'

const maxHeaderBytes = 1 << 24

export interface FgbSource {
  header: FgbHeader
  /** Offset of the first feature. */
  featuresAt: number
}

/** Reads the header. `sourceBytes` is the length of the source, if it is a file. Throws `FormatError`. */
export async function openFgb(window: ByteWindow, sourceBytes?: number): Promise<FgbSource> {
  const start = magicBytes + 4
  const isWhole = await window.load(0, start)
  if (!isFgbHead(window.bytes.subarray(0, window.end))) {
    throw new FormatError(`FlatGeobuf data start with "fgb" and version 3; these ${window.end} bytes do not`)
  }
  const length = isWhole ? window.view.getUint32(magicBytes, true) : 0
  if (length > maxHeaderBytes) {
    const message = `The header of the FlatGeobuf data says it takes ${length} bytes; at most ${maxHeaderBytes} are read`
    throw new FormatError(message, { code: 'corrupt' })
  }
  if (!isWhole || !(await window.load(0, start + length))) {
    throw new FormatError('The FlatGeobuf data end within their header', { code: 'truncated' })
  }
  const header = parseFgbHeader(window.view, window.at + start, window.at + start + length)
  const featuresAt = start + length + header.indexBytes
  const minBytes = featuresAt + (header.featureCount ?? 0) * 8
  if (sourceBytes !== undefined && minBytes > sourceBytes) {
    const what = `${header.featureCount ?? 0} features and an index of ${header.indexBytes} bytes`
    const message = `The FlatGeobuf file is cut short: its header says ${what}, the file has ${sourceBytes} bytes`
    throw new FormatError(message, { code: 'truncated' })
  }
  return { header, featuresAt }
}

/** Returns the schema in the header. */
export function fgbSchema(header: FgbHeader, geometryType = statedType(header)): Schema {
  const { hasZ, hasM, crs } = header
  const geometry: GeometryField = { name: 'geom', type: geometryType, hasZ, hasM, crs }
  return { attributes: header.columns.map((column) => column.attribute), geometry }
}

function statedType(header: FgbHeader): GeometryType {
  const type = flatType(header.geometryType)
  return type <= 7 ? geometryTypeName(type) : 'Geometry'
}

/**
 * Returns one type for all features if possible: their common type, or the multi type of a single type and
 * its multi type.
 */
export async function scanGeometryType(records: FgbRecords): Promise<GeometryType> {
  const buffer = new FlatBuffer()
  const types = new Set<number>()
  while (records.tryNext() || (await records.load())) {
    if (records.problem !== undefined) continue
    try {
      const table = geometryTable(buffer, buffer.open(records.view, records.start, records.end))
      if (table !== 0) types.add(flatType(statedGeometryType(buffer, table)))
    } catch (error) {
      if (!(error instanceof FlatBufferError)) throw error
    }
  }
  const [first = 0, second = first, ...others] = [...types].sort((a, b) => a - b)
  const isOne = others.length === 0 && (second === first || (second === first + 3 && second <= 6))
  return isOne && second <= geometryTypeCode('GeometryCollection') ? geometryTypeName(second) : 'Geometry'
}
