import { columnValue } from '../../geo/column.ts'
import { attributeIndex } from '../../geo/schema.ts'
import type { FeaturePage, VectorStore } from '../../stores/index.ts'

/** A granule in the index of a mosaic. */
export interface Granule {
  /** Its name in the mosaic. */
  name: string
  path: string
  timeMs: number | undefined
  width: number
  height: number
  /** Corners of its footprint: upper left, lower left, lower right, upper right; x and y of each. */
  corners: number[]
}

/** Maximum number of granules of a mosaic; if there are more, the first by name are drawn. */
const maxGranules = 20_000

/** Offset in WKB of the coordinates of a polygon's only ring, and size of four points in bytes. */
const ringAt = 13
const cornerBytes = 64

function cornersOf(wkb: Uint8Array): number[] {
  if (wkb.length < ringAt + cornerBytes) return []
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
  const isLittle = view.getUint8(0) === 1
  return Array.from({ length: 8 }, (_, index) => view.getFloat64(ringAt + index * 8, isLittle))
}

function* granulesOf({ batch }: FeaturePage): Generator<Granule> {
  const { geometry } = batch
  const value = (name: string, row: number): unknown => {
    const column = batch.columns[attributeIndex(batch.schema, name)]
    return column === undefined ? null : columnValue(column, row)
  }
  for (let row = 0; row < batch.rowCount; row += 1) {
    const micros = value('time', row)
    yield {
      name: String(value('file', row)),
      path: String(value('location', row)),
      timeMs: typeof micros === 'bigint' ? Number(micros / 1000n) : undefined,
      width: Number(value('width', row)),
      height: Number(value('height', row)),
      corners: cornersOf(
        geometry?.bytes.subarray(geometry.offsets[row] ?? 0, geometry.offsets[row + 1] ?? 0) ??
          new Uint8Array(),
      ),
    }
  }
}

/** Returns the granules of an index in drawing order: by time, those without time first, then by name. */
export async function readGranules(
  store: VectorStore,
  table: string,
  signal: AbortSignal,
): Promise<Granule[]> {
  const found: Granule[] = []
  for await (const page of store.readFeatures({ table, limit: maxGranules, offset: 0 }, signal))
    found.push(...granulesOf(page))
  const timeOf = ({ timeMs }: Granule): number => timeMs ?? Number.NEGATIVE_INFINITY
  return found.sort((a, b) => compare(timeOf(a), timeOf(b)) || compare(a.name, b.name))
}

function compare<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
