import type { DataFile, Format, LayerDescription, ReadContext } from '../../formats/format.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import { attributeIndex } from '../../geo/schema.ts'
import { selectRows } from '../../geo/select-rows.ts'
import { BoxTest } from '../../geo/wkb-touches.ts'
import { Failure, invalid, notFound } from '../../lib/errors.ts'
import { fileState } from '../file-state.ts'
import type { FeatureQuery, StoreType, TableDescription, VectorStore } from '../store.ts'

export interface FileStoreSource {
  type: StoreType
  format: Format
  /** Looked up when the file is opened, so that a change on disk is seen. */
  file(): Promise<DataFile>
  charset?: string
}

type Filter = Omit<FeatureQuery, 'limit' | 'offset'>

/** What touches one of the boxes, and what has no geometry. */
function isNear(batch: FeatureBatch, row: number, boxes: BoxTest[]): boolean {
  const { geometry } = batch
  if (geometry === undefined || !isValid(geometry.validity, row)) return true
  const { bytes, offsets } = geometry
  return boxes.some((box) => box.touches(bytes, offsets[row]))
}

function isWithin(batch: FeatureBatch, row: number, time: NonNullable<FeatureQuery['time']>): boolean {
  const column = batch.columns[attributeIndex(batch.schema, time.attribute)]
  const value = column === undefined ? null : columnValue(column, row)
  if (value === null) return false
  const milliseconds = typeof value === 'bigint' ? Number(value) / 1000 : Number(value) * 86_400_000
  const span = typeof value === 'bigint' ? 0 : 86_400_000 - 1
  return (
    (time.from === undefined || milliseconds + span >= Date.parse(time.from)) &&
    (time.to === undefined || milliseconds <= Date.parse(time.to))
  )
}

/** Rows of a batch that the filter lets through. */
function matchingRows(batch: FeatureBatch, filter: Filter): Uint32Array {
  const rows: number[] = []
  const boxes = filter.bboxes?.map((box) => new BoxTest(box))
  for (let row = 0; row < batch.rowCount; row += 1) {
    if (filter.featureId !== undefined && String(batch.rowNumbers[row]) !== filter.featureId) continue
    if (boxes !== undefined && !isNear(batch, row, boxes)) continue
    if (filter.time !== undefined && !isWithin(batch, row, filter.time)) continue
    rows.push(row)
  }
  return Uint32Array.from(rows)
}

/** A file served as it is, read-only: its layers are the tables, a feature's id is its row number in the file. */
export function createFileStore(source: FileStoreSource): VectorStore {
  const { type, format } = source
  let described: Promise<LayerDescription[]> | undefined

  const context = (signal: AbortSignal): ReadContext =>
    source.charset === undefined ? { signal } : { signal, charset: source.charset }

  const open = async (): Promise<LayerDescription[]> =>
    format.describe(await source.file(), context(new AbortController().signal))

  const describe = (): Promise<LayerDescription[]> => {
    described ??= open().catch((error: unknown) => {
      described = undefined
      throw new Failure('unavailable', 'store-file', `${type} file cannot be read`, { cause: error })
    })
    return described
  }

  const getLayer = async (table: string): Promise<LayerDescription> => {
    const layer = (await describe()).find(({ name }) => name === table)
    if (layer === undefined) throw notFound('unknown-table', `The ${type} file has no layer "${table}"`)
    return layer
  }

  const readOnly = (): never => {
    throw invalid(
      'read-only-store',
      `A ${type} store is a file that is served as it is: nothing can be loaded into it`,
    )
  }

  async function* matching(filter: Filter, signal: AbortSignal): AsyncGenerator<FeatureBatch> {
    for await (const batch of format.read(
      await source.file(),
      await getLayer(filter.table),
      context(signal),
    )) {
      signal.throwIfAborted()
      const rows = matchingRows(batch, filter)
      if (rows.length > 0) yield rows.length === batch.rowCount ? batch : selectRows(batch, rows)
    }
  }

  return {
    type,
    check: async () => {
      await describe()
    },
    listTables: async () => (await describe()).map(({ name }) => name),
    findTable: async (table) => {
      const layer = (await describe()).find(({ name }) => name === table)
      return layer === undefined ? undefined : toTable(layer)
    },
    tableName: (wanted) => wanted,
    load: readOnly,
    outcome: () => Promise.resolve('absent'),
    sweep: () => Promise.resolve(),
    count: async (filter, signal) => {
      let count = 0
      for await (const batch of matching(filter, signal)) count += batch.rowCount
      return count
    },
    readFeatures: async function* (query, signal) {
      let skip = query.offset
      let left = query.limit
      for await (const batch of matching(query, signal)) {
        const from = Math.min(skip, batch.rowCount)
        const to = Math.min(batch.rowCount, from + left)
        skip -= from
        left -= to - from
        if (to > from) {
          const page = to - from === batch.rowCount ? batch : selectRows(batch, range(from, to))
          yield { batch: page, ids: Array.from(page.rowNumbers, String) }
        }
        if (left <= 0) return
      }
    },
    dropTable: readOnly,
    state: async () => {
      const { path, sidecars } = await source.file()
      return fileState([path, ...Object.values(sidecars).sort()])
    },
    close: () => Promise.resolve(),
  }
}

function range(from: number, to: number): Uint32Array {
  return Uint32Array.from({ length: to - from }, (_, index) => from + index)
}

function toTable(layer: LayerDescription): TableDescription {
  const { name, schema, featureCount, envelope } = layer
  return {
    name,
    schema,
    ...(featureCount === undefined ? {} : { featureCount }),
    ...(envelope === undefined ? {} : { envelope }),
  }
}
