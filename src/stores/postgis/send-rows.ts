import { orAborted } from '../../core/concurrency/or-aborted.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import { convertColumn } from '../convert-column.ts'
import type { LostValues } from '../lost-values.ts'
import type { LoadHooks } from '../store.ts'
import type { CopyLayout } from './copy-encoder.ts'
import { CopyEncoder } from './copy-encoder.ts'
import type { ServerValues } from './copy-fields.ts'
import { AscendingIds, withMissingIds } from './kept-ids.ts'
import type { Connection, CopyWriter } from './session.ts'

export interface SentRows {
  rowsSent: number
  envelope: Envelope | undefined
  /** True if the rows retain ids of the source that are known to be unique. */
  hasUniqueIds: boolean
}

/** Returns the value ranges of the server; queries it only if they matter. Call before a COPY starts. */
export async function findServerValues(
  connection: Connection,
  { attributes }: CopyLayout,
): Promise<ServerValues> {
  if (!attributes.some(({ target }) => target.type === 'decimal')) return { hasInfiniteNumerics: false }
  const { rows } = await connection.run<{ is: boolean }>(
    'asking for the version of the server',
    `select current_setting('server_version_num')::int >= 140000 as is`,
  )
  return { hasInfiniteNumerics: rows[0]?.is === true }
}

/** Layout of the sent rows and the value ranges of the server. */
interface SentAs {
  layout: CopyLayout
  values: ServerValues
}

/** Sends all batches through one COPY; rows that the table would reject go to `onReject`. */
export async function sendRows(
  writer: CopyWriter,
  { layout, values }: SentAs,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<SentRows> {
  const encoder = new CopyEncoder(layout, values)
  const envelope = emptyEnvelope()
  const ids = new AscendingIds()
  let rowsSent = 0
  let sending = Promise.resolve(true)
  for await (const batch of untilAborted(batches, hooks.signal)) {
    const failures = new Map<number, { field: string; reason: string }>()
    const columns = convertColumns(batch, layout, failures, encoder.lost)
    if (layout.idIndex !== undefined) ids.add(columns[layout.idIndex], batch.rowCount)
    encoder.begin(batch, columns)
    for (let row = 0; row < batch.rowCount; row += 1) {
      const failure = failures.size === 0 ? undefined : failures.get(row)
      if (failure === undefined && encoder.encodeRow(row)) {
        rowsSent += 1
        if (batch.geometry !== undefined) include(envelope, batch.geometry.envelopes, row * 4)
      } else {
        hooks.onReject(batch, row, failure ?? encoder.refusal)
      }
      if (!encoder.isFull) continue
      if (!(await sending)) encoder.keepTaken()
      sending = writer.write(encoder.takeChunk())
      sending.catch(() => undefined)
    }
  }
  await sending
  await writer.end(encoder.finish())
  encoder.lost.tell(hooks, 'the column of the table')
  return {
    rowsSent,
    envelope: finished(envelope),
    hasUniqueIds: layout.idIndex !== undefined && ids.isAscending,
  }
}

function convertColumns(
  batch: FeatureBatch,
  layout: CopyLayout,
  failures: Map<number, { field: string; reason: string }>,
  lost: LostValues,
): Column[] {
  const columns = [...batch.columns]
  for (const { index, target } of layout.attributes) {
    const column = columns[index]
    const field = batch.schema.attributes[index]?.name ?? target.name
    if (column === undefined) continue
    const fail = (row: number, reason: string): void => {
      if (!failures.has(row)) failures.set(row, { field, reason })
    }
    columns[index] = convertColumn(column, batch.rowCount, target, fail, (kind) => lost.add(field, kind))
    if (index === layout.idIndex) columns[index] = withMissingIds(columns[index] as Column, batch.rowCount)
  }
  return columns
}

function include(envelope: Envelope, envelopes: Float64Array, at: number): void {
  const minX = envelopes[at] as number
  const minY = envelopes[at + 1] as number
  const maxX = envelopes[at + 2] as number
  const maxY = envelopes[at + 3] as number
  if (minX < envelope.minX) envelope.minX = minX
  if (minY < envelope.minY) envelope.minY = minY
  if (maxX > envelope.maxX) envelope.maxX = maxX
  if (maxY > envelope.maxY) envelope.maxY = maxY
}

/** Returns undefined for an empty envelope; converts −0 to 0. */
function finished({ minX, minY, maxX, maxY }: Envelope): Envelope | undefined {
  const envelope = { minX: minX + 0, minY: minY + 0, maxX: maxX + 0, maxY: maxY + 0 }
  return isEmptyEnvelope(envelope) ? undefined : envelope
}

/**
 * Yields the batches, and throws the reason of the signal as soon as it aborts, even while the source is
 * silent.
 */
async function* untilAborted(
  batches: AsyncIterable<FeatureBatch>,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch> {
  const iterator = batches[Symbol.asyncIterator]()
  let isDone = false
  try {
    while (true) {
      signal.throwIfAborted()
      const next = await orAborted(iterator.next(), signal)
      if (next.done) {
        isDone = true
        return
      }
      yield next.value
    }
  } finally {
    // A source that hangs must not delay the end of the load.
    if (!isDone) iterator.return?.()?.catch(() => {})
  }
}
