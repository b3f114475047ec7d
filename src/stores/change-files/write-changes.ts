import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FeatureBatch } from '../../geo/batch.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import type { VarBuilder } from '../../geo/column-builder.ts'
import type { Schema } from '../../geo/schema.ts'
import type { RowChange } from '../changes.ts'
import { commitLoad } from '../commit-load.ts'
import { openVectorStore, ownStores } from '../registry.ts'
import type { LoadRequest } from '../store.ts'
import { valueToJson } from './change-json.ts'

/** Name of the only table of a change file. */
export const changeFileTable = 'changes'

/** Changes to write to a file, and their limit. */
export interface ChangeList {
  /** Schema of the changed table. */
  table: Schema
  changes: AsyncIterable<RowChange[]>
  /** Key columns. */
  keys: readonly string[]
  /** Maximum number of changes; further ones are omitted. */
  limit?: number
}

/**
 * Returns the columns of a change file: one row per change, with the new geometry, or the old one of a
 * removed row.
 */
function changeSchema({ geometry }: Schema): Schema {
  return {
    attributes: [
      { name: 'change', type: 'text' },
      { name: 'feature_id', type: 'text' },
      { name: 'key', type: 'text' },
      { name: 'before', type: 'text' },
      { name: 'after', type: 'text' },
      { name: 'geometry_before', type: 'binary' },
    ],
    geometry: geometry === undefined ? undefined : { ...geometry, name: 'geometry', type: 'Geometry' },
  }
}

/** Writes a change file; returns the number of listed changes. If it throws, no file is left. */
export async function writeChanges(path: string, list: ChangeList, signal: AbortSignal): Promise<number> {
  const part = `${path}.part`
  await mkdir(dirname(path), { recursive: true, mode: 0o750 })
  await rm(part, { force: true })
  const store = openVectorStore({ type: ownStores.file.type, parameters: { path: part } })
  try {
    const schema = changeSchema(list.table)
    const request: LoadRequest = {
      loadId: 'changes',
      mode: 'CREATE',
      table: changeFileTable,
      schema,
      indexes: [],
    }
    const refuse = (_batch: FeatureBatch, _row: number, { reason }: { reason: string }): void => {
      throw new Error(`A change cannot be listed: ${reason}`)
    }
    const hooks = { signal, onMessage: () => undefined, onReject: refuse }
    const { rowsLoaded } = await commitLoad(
      await store.stage(request, batchesOf(schema, list), hooks),
      async () => undefined,
    )
    await store.close()
    await rename(part, path)
    return rowsLoaded
  } catch (error) {
    await store.close().catch(() => undefined)
    await rm(part, { force: true })
    throw error
  }
}

async function* batchesOf(schema: Schema, list: ChangeList): AsyncGenerator<FeatureBatch> {
  const { limit = Number.POSITIVE_INFINITY } = list
  let builder = new BatchBuilder(schema)
  let written = 0
  for await (const changes of list.changes) {
    for (const change of changes) {
      if (written >= limit) break
      written += 1
      append(builder, change, list, written)
      if (!builder.isFull) continue
      yield builder.finish()
      builder = new BatchBuilder(schema)
    }
    if (written >= limit) break
  }
  if (!builder.isEmpty) yield builder.finish()
}

function append(builder: BatchBuilder, one: RowChange, { table, keys }: ChangeList, row: number): void {
  const { change, featureId, before, after } = one
  const texts = [
    change,
    featureId,
    rowJson(keyOf((after ?? before)?.values ?? {}, keys), table),
    before === undefined ? undefined : rowJson(before.values, table),
    after === undefined ? undefined : rowJson(after.values, table),
  ]
  texts.forEach((text, at) => {
    if (text !== undefined) (builder.columns[at] as VarBuilder).appendString(text)
  })
  if (before?.geometry !== undefined) {
    ;(builder.columns[texts.length] as VarBuilder).appendBytes(before.geometry, 0, before.geometry.length)
  }
  const geometry = (after ?? before)?.geometry
  if (geometry !== undefined) builder.geometry?.appendWkb(geometry)
  builder.endRow(row)
}

function keyOf(values: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, Object.hasOwn(values, key) ? values[key] : null]))
}

function rowJson(values: Record<string, unknown>, { attributes }: Schema): string {
  const types = new Map(attributes.map((attribute) => [attribute.name, attribute]))
  const members = Object.entries(values).map(
    ([name, value]) => `${JSON.stringify(name)}:${valueToJson(value, types.get(name))}`,
  )
  return `{${members.join(',')}}`
}
