import { existsSync } from 'node:fs'
import { notFound } from '../../core/errors/errors.ts'
import type { SideTables } from '../../render/index.ts'
import type { ChangePageRequest, Tile } from '../../stores/index.ts'
import { changeFileTable } from '../../stores/worker.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { TaskRecord } from '../model/model.ts'
import { changesPath } from '../records/records.ts'

/** Attributes of a changed feature in a vector tile. */
const shownAttributes = ['change', 'feature_id', 'key']

/** Reads listed changes that tasks made, or would make. */
export class ListedChanges {
  readonly #needs: { folders: { sides: string }; sides: SideTables }

  constructor(needs: { folders: { sides: string }; sides: SideTables }) {
    this.#needs = needs
  }

  /** Yields a page of the changes that a dry run predicts for a task, or that its `UPSERT` made. */
  page(
    task: TaskRecord,
    by: 'trial' | 'upsert',
    request: ChangePageRequest,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    return this.#needs.sides.changes({ path: this.#pathOf(task, by) }, request, signal)
  }

  /**
   * Returns a vector tile of the changes found in a dry run; the attribute `change` gives the kind of change
   * of each feature.
   */
  tile(task: TaskRecord, tile: TileAddress, signal: AbortSignal): Promise<Tile> {
    const path = this.#pathOf(task, 'trial')
    const { crs, listed: rows = 0 } = task.trial?.found ?? {}
    if (crs === undefined) throw notFound('no-tiles', 'The rows have no geometry, so they have no tiles')
    const side = { path, table: changeFileTable, name: changeFileTable, crs, rows }
    return this.#needs.sides.tile(side, { tile, attributes: shownAttributes }, signal)
  }

  #pathOf({ importId, id }: TaskRecord, by: 'trial' | 'upsert'): string {
    const path = changesPath(this.#needs.folders, importId, id, by)
    if (existsSync(path)) return path
    throw notFound('no-changes', `Task ${id} of import ${importId} has no list of changes`)
  }
}
