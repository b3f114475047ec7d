import { rmSync } from 'node:fs'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import { convertColumn } from '../convert-column.ts'
import type { LostValues } from '../lost-values.ts'
import type { LoadHooks } from '../store.ts'
import { IdOrderCheck } from './kept-ids.ts'
import type { GeoPackageLoadPlan, PlannedColumn } from './load-plan.ts'
import { stagedColumns, stagedKey } from './load-plan.ts'
import { RecordEncoder } from './record-encoder.ts'
import { RowNumbers } from './row-numbers.ts'
import { DatabaseFile } from './sqlite-file/database-file.ts'
import { StagedBoxes } from './staged-boxes.ts'
import { columnType } from './table-names.ts'

/** Rows written to a side file, with ids 1, 2, 3, ... */
export interface StagedRows {
  /** Number of remaining rows, and the highest id of all staged ones. */
  rowCount: number
  lastId: number
  /** Ids of rows that were rejected later; the R*Tree may still contain them. */
  refused: number[]
  rowNumbers: RowNumbers
  envelope: Envelope | undefined
  /**
   * True if the ids of the rows ascend and none is null, negative or above 2^53: then the R*Tree contains
   * them.
   */
  areIdsOrdered: boolean
  /** Node 1 of a packed R*Tree, if one was built. */
  root: Uint8Array | undefined
}

/** Returns the path of the file next to the GeoPackage that contains the staged rows of a load. */
export function sidePath(path: string, loadId: string): string {
  return `${path}.load-${encodeURIComponent(loadId)}`
}

export function removeSideFile(path: string, loadId: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm', '.probe', '.probe-journal']) {
    rmSync(`${sidePath(path, loadId)}${suffix}`, { force: true })
  }
}

interface Target {
  plan: GeoPackageLoadPlan
  srsId: number
  pageSize: number
}

/** Writes every acceptable row to the side file; the others go to `onReject`. */
export async function stageRows(
  file: string,
  target: Target,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<StagedRows> {
  const { plan, srsId } = target
  const side = new DatabaseFile(file)
  try {
    const { geometry } = plan
    const encoder = new RecordEncoder(side.table('t', stagedDefinition(plan)), {
      geometry: geometry === undefined ? undefined : { ...geometry, isOpen: false, srsId },
      attributes: stagedColumns(plan).map(({ target: attribute }) => attribute),
    })
    const isPacked = plan.isIndexed && ['CREATE', 'REPLACE'].includes(plan.request.mode)
    const boxes = plan.isIndexed ? new StagedBoxes(side, isPacked ? target.pageSize : undefined) : undefined
    const staged = await encodeBatches(encoder, boxes, plan, batches, hooks)
    const root = boxes?.finish()
    side.finish()
    return { ...staged, root }
  } finally {
    side.close()
  }
}

/**
 * The staged columns are those of a new table with short names and types of the same affinity, so that SQLite
 * copies records without decoding, and the definition of 2,000 columns fits the first page.
 */
function stagedDefinition(plan: GeoPackageLoadPlan): string {
  const { geometry, columns, existing, keyColumn, request } = plan
  const types = columns.map(({ source, target }) =>
    columnType(existing === undefined ? (request.schema.attributes[source] ?? target) : target),
  )
  if (geometry !== undefined) types.unshift(geometry.type.toUpperCase())
  const key = keyColumn === undefined ? [] : [`${stagedKey} INTEGER`]
  const definitions = types.map((type, index) => `c${index} ${affinityOf(type)}`)
  return ['id INTEGER PRIMARY KEY NOT NULL', ...definitions, ...key].join(',')
}

/** Returns a short type with the affinity of a declared one (SQLite, Datatypes, section 3.1). */
function affinityOf(type: string): string {
  if (/INT/i.test(type)) return 'INT'
  if (/CHAR|CLOB|TEXT/i.test(type)) return 'TEXT'
  if (/BLOB/i.test(type)) return 'BLOB'
  return /REAL|FLOA|DOUB/i.test(type) ? 'REAL' : 'NUM'
}

async function encodeBatches(
  encoder: RecordEncoder,
  boxes: StagedBoxes | undefined,
  plan: GeoPackageLoadPlan,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<Omit<StagedRows, 'root'>> {
  const planned = stagedColumns(plan)
  const rowNumbers = new RowNumbers()
  const idOrder = new IdOrderCheck()
  const envelope = emptyEnvelope()
  let rowCount = 0
  for await (const batch of batches) {
    hooks.signal.throwIfAborted()
    const { columns, failures } = convertBatch(planned, batch, encoder.lost)
    encoder.begin(columns, plan.geometry === undefined ? undefined : batch.geometry)
    const keys = plan.keepsIds ? columns.at(-1) : undefined
    for (let row = 0; row < batch.rowCount; row += 1) {
      const failure = failures?.get(row)
      if (failure !== undefined || !encoder.encodeRow(row, rowCount + 1)) {
        hooks.onReject(batch, row, failure ?? encoder.refusal)
        continue
      }
      rowCount += 1
      rowNumbers.add(rowCount, batch.rowNumbers[row] as number)
      const id = keys === undefined ? rowCount : idOrder.take(keys, row)
      if (batch.geometry === undefined) continue
      const indexed = idOrder.areOrdered ? boxes : undefined
      include(envelope, indexed, batch.geometry.envelopes, row, id)
    }
  }
  hooks.signal.throwIfAborted()
  encoder.lost.tell(hooks, 'a GeoPackage')
  return {
    rowCount,
    lastId: rowCount,
    refused: [],
    rowNumbers,
    envelope: isEmptyEnvelope(envelope) ? undefined : envelope,
    areIdsOrdered: idOrder.areOrdered,
  }
}

/** Extends the envelope of the layer by that of a row and adds it to the index. */
function include(
  envelope: Envelope,
  boxes: StagedBoxes | undefined,
  envelopes: Float64Array,
  row: number,
  id: number,
): void {
  const at = row * 4
  const minX = envelopes[at] as number
  if (Number.isNaN(minX)) return
  const minY = envelopes[at + 1] as number
  const maxX = envelopes[at + 2] as number
  const maxY = envelopes[at + 3] as number
  if (minX < envelope.minX) envelope.minX = minX
  if (minY < envelope.minY) envelope.minY = minY
  if (maxX > envelope.maxX) envelope.maxX = maxX
  if (maxY > envelope.maxY) envelope.maxY = maxY
  boxes?.add(id, minX, minY, maxX, maxY)
}

interface Converted {
  columns: Column[]
  failures: Map<number, { field: string; reason: string }> | undefined
}

function convertBatch(planned: PlannedColumn[], batch: FeatureBatch, lost: LostValues): Converted {
  let failures: Converted['failures']
  const columns = planned.map(({ source, target }) => {
    const column = batch.columns[source]
    if (column === undefined) throw new Error(`The batch has no column ${source} ("${target.name}")`)
    if (column.type === 'decimal' && target.type === 'text') return { ...column, type: 'text' } as Column
    const fail = (row: number, reason: string): void => {
      failures ??= new Map()
      if (!failures.has(row)) failures.set(row, { field: target.name, reason })
    }
    return convertColumn(column, batch.rowCount, target, fail, (kind) => lost.add(target.name, kind))
  })
  return { columns, failures }
}
