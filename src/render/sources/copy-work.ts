import { randomUUID } from 'node:crypto'
import { rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import { selectRows } from '../../geo/select-rows.ts'
import type { FeaturePage, StoreConnection, TileReads } from '../../stores/index.ts'
import { openVectorStore } from '../../stores/registry.ts'
import { commitLoad, tileReadingOf } from '../../stores/worker.ts'
import { copiedSchema, copiedTable, copyPage } from './copied-table.ts'

/** Table to copy, and the target path. Plain data. */
export interface TableCopyRequest {
  connection: StoreConnection
  table: string
  crs: CrsDeclaration | string
  path: string
  /** Maximum size of the copy, in bytes. */
  maxBytes: number
}

/** Result of copying. Plain data. */
export interface CopyMade {
  rows: number
  /**
   * Number of omitted rows: with a point that cannot be projected to Web Mercator, or that a GeoPackage
   * cannot store.
   */
  leftOut: number
}

/** Disk space that must remain free, in bytes. */
const spareBytes = 256 << 20

async function make(request: TableCopyRequest, { signal, notify }: CallContext<number>): Promise<CopyMade> {
  const { connection, table, crs, path } = request
  const source = openVectorStore(connection, { isGuarded: true })
  const target = openVectorStore({ type: 'GeoPackage', parameters: { path } })
  const reprojector = await createReprojector(crs, 'EPSG:3857', { signal })
  const counts = { rows: 0, leftOut: 0 }
  try {
    const schema = (await source.findTable(table))?.schema
    if (schema === undefined)
      throw new Failure('unavailable', 'table-missing', `There is no table "${table}"`)
    const copied = copiedSchema(schema)
    const write = async (reads: TileReads): Promise<void> => {
      const pages = readPages(reads, { request, reprojector, counts, signal, notify })
      const load = {
        loadId: randomUUID(),
        mode: 'CREATE' as const,
        table: copiedTable,
        schema: copied,
        indexes: [],
      }
      const onReject = (): void => {
        counts.leftOut += 1
      }
      const onMessage = (): void => undefined
      const hooks = { signal, onMessage, onReject }
      const result = await commitLoad(await target.stage(load, pages, hooks), async () => undefined)
      counts.rows = result.rowsLoaded
    }
    await tileReadingOf(source).atOneState(table, write, signal)
    return counts
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
    throw error
  } finally {
    await Promise.all([source.close(), target.close(), reprojector.close()])
  }
}

interface Reading {
  request: TableCopyRequest
  reprojector: Reprojector
  counts: CopyMade
  signal: AbortSignal
  notify(rows: number): void
}

async function* readPages(
  reads: TileReads,
  { request, reprojector, counts, signal, notify }: Reading,
): AsyncGenerator<FeatureBatch> {
  let rows = 0
  let sizeBytes = 0
  for await (const page of reads.readTile({ table: request.table }, signal)) {
    const moved = await movedPage(page, reprojector)
    counts.leftOut += page.batch.rowCount - moved.batch.rowCount
    rows += page.batch.rowCount
    sizeBytes += moved.batch.geometry?.bytes.length ?? 0
    checkRoom(request, sizeBytes)
    notify(rows)
    if (moved.batch.rowCount > 0) yield copyPage(moved)
  }
}

/** Transforms a page to Web Mercator; omits rows with a point that cannot be projected. */
async function movedPage({ batch, ids }: FeaturePage, reprojector: Reprojector): Promise<FeaturePage> {
  if (batch.geometry === undefined) return { batch, ids }
  const { geometry, failedRows } = await reprojectGeometry(batch.geometry, batch.rowCount, reprojector)
  const failed = new Set(failedRows)
  const moved = { ...batch, geometry }
  if (failed.size === 0) return { batch: moved, ids }
  const kept = Uint32Array.from(ids.keys()).filter((row) => !failed.has(row))
  return { batch: selectRows(moved, kept), ids: Array.from(kept, (row) => ids[row] ?? '') }
}

function checkRoom({ path, maxBytes }: TableCopyRequest, sizeBytes: number): void {
  const { bsize, bavail } = statfsSync(dirname(path))
  const written = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (Math.max(sizeBytes, written) <= maxBytes && bsize * bavail > spareBytes) return
  const text = 'There is no room on the disk for the copy of the layer from which its tiles are made'
  throw new Failure('unavailable', 'no-room-for-tiles', text)
}

const handlers = { make }
export type TableCopyHandlers = typeof handlers

serveWork(handlers)
