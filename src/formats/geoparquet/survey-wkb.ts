import { linearTypeCode } from '../../geo/curves/curve-tree.ts'
import { SeenGeometries } from '../../geo/geometry-shape.ts'
import type { GeometryField } from '../../geo/schema.ts'
import type { OpenFile } from '../open-file.ts'
import type { ParquetFile, ParquetNode } from './parquet-file.ts'
import { GroupReader } from './row-groups.ts'
import type { ParquetValueSource } from './value-source.ts'

/** Returns type and dimensions of the geometries in a column, from the header of each. */
export async function surveyWkb(
  file: OpenFile,
  { rowGroups }: ParquetFile,
  node: ParquetNode,
): Promise<Pick<GeometryField, 'type' | 'hasZ' | 'hasM'>> {
  const seen = new SeenGeometries()
  for (const group of rowGroups) {
    const leaf = new GroupReader(file, group).leaf(node)
    for (let left = group.rowCount; left > 0 && (await leaf.load()); ) {
      for (; leaf.ready > 0 && left > 0; left -= 1) if (leaf.step()) addHeader(seen, leaf.source)
    }
  }
  return { type: seen.type, hasZ: seen.withZ > 0, hasM: seen.withM > 0 }
}

/** ISO WKB encodes dimensions in thousands, EWKB in flags. */
function addHeader(seen: SeenGeometries, { view, bytes, start, end }: ParquetValueSource): void {
  if (end - start < 5) return
  const number = view.getUint32(start + 1, bytes[start] === 1)
  const thousands = Math.floor((number & 0x1fffffff) / 1000)
  const typeCode = linearTypeCode((number & 0x1fffffff) % 1000)
  if (typeCode === 0) return
  const hasZ = number >>> 31 === 1 || thousands === 1 || thousands === 3
  seen.add(typeCode, hasZ, ((number >>> 30) & 1) === 1 || thousands >= 2)
}
