import { rmSync, statfsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { GeometryType } from '../../geo/schema.ts'
import type { StoreConnection } from '../../stores/index.ts'
import { openVectorStore, ownStores } from '../../stores/registry.ts'
import { tileReadingOf } from '../../stores/worker.ts'
import type { LayerLevels } from '../../tiles/generalize/layer-generalization.ts'
import { findLevels } from '../../tiles/generalize/layer-generalization.ts'
import { writeOverview } from '../../tiles/generalize/overview.ts'
import { positionEnvelopesOf } from '../../tiles/generalize/position-envelopes.ts'
import type { AreaRule } from '../../tiles/generalize/sample-points.ts'
import { areaRuleOf } from '../../tiles/generalize/sample-points.ts'
import { hasLastingIds, readEnvelopes } from './read-envelopes.ts'

/** Table of the overview, and the target path. Plain data. */
export interface OverviewRequest {
  connection: StoreConnection
  table: string
  crs: CrsDeclaration | string
  /** Geometry type; absent if it must be read from the table. */
  geometryType?: GeometryType
  /** Absent if it cannot be stored. */
  path?: string
}

/** Result for a layer. Plain data. */
export interface OverviewMade {
  /** See `LayerGeneralization`. */
  cells: number[]
  areas?: AreaRule
  /**
   * Number of levels in the file; 0 if none was written because none is needed, the disk is full, or the
   * table has no key.
   */
  levels: number
  /** True if the file was written, possibly with the cells only. */
  isWritten: boolean
}

/** Tiles with at most this many rows are made quickly from the envelopes of their rows. */
const fewRows = 50_000
/** Disk space that must remain free, in bytes. */
const spareBytes = 256 << 20

async function make(
  { connection, table, crs, geometryType, path }: OverviewRequest,
  { signal, notify }: CallContext<number>,
): Promise<OverviewMade> {
  const store = openVectorStore(connection, { isGuarded: true })
  try {
    const rows = await tileReadingOf(store).atOneState(
      table,
      (reads) => readEnvelopes(reads, { table, signal, notify }),
      signal,
    )
    const type = geometryType ?? (await store.findTable(table))?.schema.geometry?.type
    const areas = areaRuleOf(type)
    const positions = (await positionEnvelopesOf(crs))(rows.envelopes, { hasAreas: areas !== undefined })
    const levels = findLevels(positions, undefined, areas)
    const depth = (await hasLastingIds(store, table, rows.ids)) ? depthOf(levels) : 0
    const source = { ids: (row: number) => rows.ids.at(row), envelopes: rows.envelopes, positions, levels }
    signal.throwIfAborted()
    const isWritten = path !== undefined && (await write(path, writeOverview(source, depth), signal))
    return { ...levels.thinning, cells: [...levels.thinning.cells], levels: isWritten ? depth : 0, isWritten }
  } finally {
    await store.close()
  }
}

/** Returns the number of levels with a tile that contains many rows. */
function depthOf({ fullest }: LayerLevels): number {
  const first = fullest.findIndex((rows) => rows <= fewRows)
  return first < 0 ? fullest.length : first
}

/** Returns false if the disk is full. A file that cannot be written only costs time later. */
async function write(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
  try {
    const { bsize, bavail } = statfsSync(dirname(path))
    if (bsize * bavail < spareBytes + bytes.length) return false
    await writeFile(path, bytes, { flush: true, mode: 0o640, signal })
    return true
  } catch {
    rmSync(path, { force: true })
    signal.throwIfAborted()
    return false
  }
}

/** Imports the additional code for tables of a store type. */
async function getReady(storeType: string): Promise<void> {
  if (storeType === ownStores.database.type) await import('../../core/postgres/guarded-client.ts')
}

const handlers = { make, getReady }
export type OverviewHandlers = typeof handlers

serveWork(handlers)
