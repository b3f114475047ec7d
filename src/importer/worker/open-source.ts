import { notFound } from '../../core/errors/errors.ts'
import { formats } from '../../formats/registry.ts'
import { FormatError } from '../../formats/worker.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import { indexBatches, indexSchema } from '../model/load-rules.ts'
import type { LoadSource } from './load-plan.ts'

export interface OpenSource {
  schema: Schema
  batches: AsyncIterable<FeatureBatch>
  close(): Promise<void>
}

function openFile(source: Extract<LoadSource, { kind: 'file' }>, signal: AbortSignal): OpenSource {
  const format = formats.find((one) => one.name === source.format)
  if (format === undefined) throw new FormatError(`No reader for format "${source.format}"`)
  const { charset } = source
  return {
    schema: source.layer.schema,
    batches: format.read(source.file, source.layer, charset === undefined ? { signal } : { signal, charset }),
    close: () => Promise.resolve(),
  }
}

async function openTable(
  source: Extract<LoadSource, { kind: 'table' }>,
  signal: AbortSignal,
): Promise<OpenSource> {
  const { openVectorStore } = await import('../../stores/registry.ts')
  const store = openVectorStore(source.connection)
  try {
    const table = await store.findTable(source.table)
    if (table === undefined) throw notFound('unknown-table', `Table "${source.table}" does not exist`)
    const query = { table: source.table, limit: source.isEmpty ? 0 : Number.MAX_SAFE_INTEGER, offset: 0 }
    const pages = store.readFeatures(query, signal)
    async function* batches(): AsyncGenerator<FeatureBatch> {
      for await (const page of pages) yield page.batch
    }
    return { schema: table.schema, batches: batches(), close: () => store.close() }
  } catch (error) {
    await store.close()
    throw error
  }
}

function openGranules({ rows }: Extract<LoadSource, { kind: 'granules' }>): OpenSource {
  const schema = indexSchema(undefined)
  return { schema, batches: indexBatches(rows, schema), close: () => Promise.resolve() }
}

async function openDatabase(
  { connection, table }: Extract<LoadSource, { kind: 'database' }>,
  signal: AbortSignal,
): Promise<OpenSource> {
  const { getDatabaseReader } = await import('../../inputs/database/registry.ts')
  const batches = getDatabaseReader(connection).read(connection, table, { signal })
  return { schema: table.schema, batches, close: () => Promise.resolve() }
}

/**
 * Opens the source of a plan; the caller must close it. The large code of stores and databases is imported on
 * demand.
 */
export async function openSource(source: LoadSource, signal: AbortSignal): Promise<OpenSource> {
  switch (source.kind) {
    case 'file':
      return openFile(source, signal)
    case 'table':
      return openTable(source, signal)
    case 'database':
      return openDatabase(source, signal)
    case 'granules':
      return openGranules(source)
  }
}
