import type { FeatureBatch } from '../../src/geo/batch.ts'
import { BatchBuilder } from '../../src/geo/batch.ts'
import { columnValue } from '../../src/geo/column.ts'
import type { ColumnBuilder } from '../../src/geo/column-builder.ts'
import type { AttributeType, Schema } from '../../src/geo/schema.ts'
import { runChain } from '../../src/transforms/chain.ts'
import type { TransformSpec } from '../../src/transforms/transform.ts'

export type Cell = string | number | bigint | boolean | Uint8Array | null

/** A schema from names and types, without geometry. */
export function tableSchema(types: Record<string, AttributeType>): Schema {
  return { attributes: Object.entries(types).map(([name, type]) => ({ name, type })), geometry: undefined }
}

function append(builder: ColumnBuilder, value: Cell): void {
  if (value === null) builder.appendNull()
  else if (builder.kind === 'var') {
    if (typeof value === 'string') builder.appendString(value)
    else builder.appendBytes(value as Uint8Array)
  } else if (builder.kind === 'big') builder.append(BigInt(value as bigint))
  else builder.append(Number(value))
}

/** Returns one batch of rows numbered from 1. */
export function tableBatch(schema: Schema, rows: readonly Cell[][]): FeatureBatch {
  const builder = new BatchBuilder(schema, Math.max(rows.length, 1))
  for (const [index, row] of rows.entries()) {
    for (const [at, value] of row.entries()) append(builder.columns[at] as ColumnBuilder, value)
    builder.endRow(index + 1)
  }
  return builder.finish()
}

/** The rows of a batch as plain values. */
export function tableRows(batch: FeatureBatch): Cell[][] {
  return Array.from({ length: batch.rowCount }, (_, row) =>
    batch.columns.map((column) => columnValue(column, row)),
  )
}

/** Passes one batch through a chain. */
export async function runBatch(
  batch: FeatureBatch,
  specs: TransformSpec[],
): Promise<{ batch: FeatureBatch; messages: string[] }> {
  const messages: string[] = []
  const context = {
    signal: new AbortController().signal,
    onMessage: (message: { message: string }) => messages.push(message.message),
  }
  async function* one(): AsyncGenerator<FeatureBatch> {
    yield batch
  }
  const result: FeatureBatch[] = []
  for await (const changed of runChain(one(), batch.schema, specs, context)) result.push(changed)
  return { batch: result[0] as FeatureBatch, messages }
}
