import type { Column } from '../../../geo/column.ts'
import { columnValue } from '../../../geo/column.ts'
import { attributeIndex } from '../../../geo/schema.ts'
import type { FeaturePage, VectorStore } from '../../../stores/index.ts'

/** A granule in the index of a published mosaic. */
export interface IndexedGranule {
  file: string
  location: string
  timeMs: number | undefined
  /** Its extent as minX, minY, maxX, maxY. */
  box: number[]
}

function* pageGranules({ batch }: FeaturePage): Generator<IndexedGranule> {
  const column = (name: string): Column | undefined => batch.columns[attributeIndex(batch.schema, name)]
  const [file, location, time] = [column('file'), column('location'), column('time')]
  const value = (one: Column | undefined, row: number) => (one === undefined ? null : columnValue(one, row))
  for (let row = 0; row < batch.rowCount; row += 1) {
    const micros = value(time, row)
    yield {
      file: String(value(file, row)),
      location: String(value(location, row)),
      timeMs: micros === null ? undefined : Number((micros as bigint) / 1000n),
      box: [...(batch.geometry?.envelopes.subarray(row * 4, row * 4 + 4) ?? [])],
    }
  }
}

/** Streams every granule of an index. */
export async function* readIndex(
  store: VectorStore,
  table: string,
  signal: AbortSignal,
): AsyncGenerator<IndexedGranule> {
  const query = { table, limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  for await (const page of store.readFeatures(query, signal)) yield* pageGranules(page)
}
