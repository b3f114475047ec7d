import { existsSync, renameSync } from 'node:fs'
import { conflict, explain } from '../../../core/errors/errors.ts'
import type { LoadHooks, LoadRequest, StagedLoad } from '../../store.ts'
import type { StagedRows } from '../stage-rows.ts'
import { sidePath } from '../stage-rows.ts'
import type { LoadSurroundings } from '../writer.ts'
import { DryRunLoad, planQuietly } from './dry-run-load.ts'
import { openStaged } from './open-staged.ts'
import type { RetainedStaging } from './retained-rows.ts'
import { digestShape, readRetainedRows } from './retained-rows.ts'
import type { StagedTable } from './staged-load.ts'

/** Reuses retained rows, which from now on belong to the load of `request`. */
export async function takeUp(
  surroundings: LoadSurroundings,
  loadRequest: LoadRequest,
  text: string,
  hooks: LoadHooks,
): Promise<StagedLoad> {
  const { path } = surroundings
  // Rows staged by a dry run have the columns of a dry run.
  const request: LoadRequest = { ...loadRequest, isDryRun: true }
  const retainedRows = JSON.parse(text) as RetainedStaging
  const lies = sidePath(path, retainedRows.loadId)
  const rows = findRows(lies, retainedRows)
  const staged: StagedTable = {
    ...planAgain(surroundings, request, retainedRows, hooks),
    srsId: retainedRows.srsId,
    rows,
  }
  const side = sidePath(path, request.loadId)
  if (side !== lies) renameSync(lies, side)
  if (loadRequest.isDryRun === true) return new DryRunLoad(surroundings, staged, hooks)
  return openStaged(surroundings, staged, hooks)
}

function findRows(side: string, { rowCount }: RetainedStaging): StagedRows {
  if (!existsSync(side)) throw stagedGone('they no longer exist')
  try {
    const rows = readRetainedRows(side)
    if (rows.rowCount === rowCount) return rows
  } catch (error) {
    throw stagedGone(`their file cannot be read: ${explain(error)}`)
  }
  throw stagedGone('some of them are missing')
}

function planAgain(
  surroundings: LoadSurroundings,
  request: LoadRequest,
  { shape, pageSize }: RetainedStaging,
  hooks: LoadHooks,
): Omit<StagedTable, 'rows'> {
  const planned = (): Omit<StagedTable, 'rows'> => {
    try {
      return planQuietly(surroundings, request, { ...hooks, onMessage: () => {} })
    } catch (error) {
      throw stagedGone(explain(error))
    }
  }
  const now = planned()
  if (digestShape(now) === shape && now.pageSize === pageSize) return now
  throw stagedGone(`the table "${request.table}" is not what it was`)
}

function stagedGone(why: string): Error {
  return conflict('staged-gone', `The staged rows cannot be reused: ${why}`)
}
