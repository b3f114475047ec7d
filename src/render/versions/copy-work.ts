import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { Failure } from '../../core/errors/errors.ts'
import { requireFreeSpace } from '../../core/files/free-space.ts'
import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { StatePath, StoreConnection } from '../../stores/index.ts'
import { openVectorStore, ownStores } from '../../stores/registry.ts'
import { commitLoad } from '../../stores/worker.ts'
import { copiedStateIdColumn, copiedStateSchema, copiedStateTable, copyStatePage } from './copied-state.ts'

/** State to copy, and the target path. Plain data. */
export interface StateCopyRequest {
  connection: StoreConnection
  table: string
  path: StatePath
  file: string
}

async function make(request: StateCopyRequest, { signal, notify }: CallContext<number>): Promise<number> {
  const { connection, table, path, file } = request
  const schema = path.at(-1)?.table.schema
  const source = openVectorStore(connection, { isGuarded: true })
  const target = openVectorStore({ type: ownStores.file.type, parameters: { path: file } })
  try {
    if (schema === undefined || source.states === undefined)
      throw new Error(`No earlier state of "${table}" can be read`)
    const pages = source.states.read(table, path, signal)
    const load = {
      loadId: randomUUID(),
      mode: 'CREATE' as const,
      table: copiedStateTable,
      schema: copiedStateSchema(schema),
      indexes: [copiedStateIdColumn],
    }
    const onReject = (_: FeatureBatch, row: number, { reason }: { reason: string }): void => {
      throw new Failure('unavailable', 'version-not-copied', `Row ${row} cannot be copied: ${reason}`)
    }
    const hooks = { signal, onReject, onMessage: () => undefined }
    const staged = await target.stage(load, copied(pages, file, notify), hooks)
    const { rowsLoaded } = await commitLoad(staged, async () => undefined)
    return rowsLoaded
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
    throw error
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

async function* copied(
  pages: AsyncIterable<Parameters<typeof copyStatePage>[0]>,
  file: string,
  notify: (rows: number) => void,
): AsyncGenerator<FeatureBatch> {
  let rows = 0
  for await (const page of pages) {
    rows += page.batch.rowCount
    requireFreeSpace(file)
    notify(rows)
    if (page.batch.rowCount > 0) yield copyStatePage(page)
  }
}

const handlers = { make }
export type StateCopyHandlers = typeof handlers

serveWork(handlers)
