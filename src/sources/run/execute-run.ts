import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Accounts } from '../../access/index.ts'
import { explain } from '../../core/errors/errors.ts'
import type { Importer, SourceRequest } from '../../importer/index.ts'
import { type ObtainDeps, type Obtained, obtain } from '../changes/obtain.ts'
import type { RunDetails, RunEnd, RunRecord } from '../model/run.ts'
import type { SourceMemory, SourceRecord } from '../model/source.ts'
import { detailsOf } from '../records/run-repository.ts'
import { checkOwner } from './check-owner.ts'
import { type DriveDeps, driveImport } from './drive-import.ts'
import { checkTargets, targetWorkspace } from './target-layers.ts'

export interface ExecuteDeps extends DriveDeps {
  users: Accounts['users']
  obtaining: ObtainDeps
  /** Folder for fetched files, with a folder for each run. */
  folder: string
}

/** A run that this process executes. */
export interface Execution {
  source: SourceRecord
  run: RunRecord
  /** Saves details, so that another process can continue. Throws if the run was taken over. */
  save(details: RunDetails): Promise<void>
  signal: AbortSignal
}

/** Result of a run, and what the source remembers of it. */
export interface Executed {
  end: RunEnd
  memory: SourceMemory
}

/**
 * Executes a run, or continues one whose process has ended. Throws for a failure; nothing is changed then.
 */
export async function executeRun(
  deps: ExecuteDeps,
  { source, run, save, signal }: Execution,
): Promise<Executed> {
  await checkOwner(deps.users, source)
  let current: RunRecord = run
  const note = async (details: RunDetails): Promise<RunRecord> => {
    current = { ...current, ...details }
    await save(detailsOf(current))
    return current
  }
  if (current.importId === undefined) {
    const edited = await checkTargets(deps.catalog, source, run)
    if (edited.length > 0) return { end: editedEnd(edited), memory: source.memory }
    const found = await findImport(deps.importer, run)
    if (found !== undefined && current.pending !== undefined) await note({ importId: found })
    else {
      if (found !== undefined) await deps.importer.removeImport(found)
      const begun = await begin(deps, source, current, note, signal)
      if (begun !== undefined) return begun
    }
  }
  const importId = current.importId
  if (importId === undefined) throw new Error(`Run ${run.id} has no import`)
  const end = await driveImport(deps, {
    source,
    run: current,
    importId,
    unchangedFiles: current.unchangedFiles === undefined ? undefined : new Set(current.unchangedFiles),
    isPartial: current.isPartial === true,
    markStarted: (changes) => note({ isStarted: true, changes }),
    signal,
  })
  await removeFolder(deps.folder, run)
  return { end, memory: memoryAfter(source.memory, current.pending, end) }
}

/** Obtains the data and creates the import. Returns the end of the run if the data are unchanged. */
async function begin(
  deps: ExecuteDeps,
  source: SourceRecord,
  run: RunRecord,
  note: (details: RunDetails) => Promise<RunRecord>,
  signal: AbortSignal,
): Promise<Executed | undefined> {
  const folder = join(deps.folder, String(run.id))
  const isForced = run.recreates === true || run.acceptsEdits === true
  const isComplete = run.isComplete === true || isForced
  const obtained = await obtain(deps.obtaining, source, { folder, isComplete, isForced, signal })
  const pending = pendingMemory(source.memory, obtained)
  const { notes, request } = obtained
  if (request === undefined) {
    await removeFolder(deps.folder, run)
    const end: RunEnd = { outcome: 'unchanged', notes, message: 'The data have not changed' }
    return { end, memory: memoryAfter(source.memory, pending, end) }
  }
  const { isPartial, unchangedFiles = [] } = obtained
  await note({ pending, isPartial, notes, unchangedFiles: [...unchangedFiles] })
  const importId = await createImport(deps, source, run, request, signal)
  await note({ importId })
  return undefined
}

async function createImport(
  { importer, catalog }: DriveDeps,
  source: SourceRecord,
  run: RunRecord,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<number> {
  const { settings, name, owner } = source
  const { id } = await importer.create(
    {
      workspace: await targetWorkspace(catalog, source),
      store: settings.target.store,
      source: request,
      transforms: settings.transforms,
      isArchived: false,
      allowEmpty: settings.allowEmpty,
      isAsync: true,
      user: owner,
      sourceRun: { source: name, run: run.id },
    },
    { signal, isRunAfter: false },
  )
  return id
}

/** Finds the import of a run whose process ended before it recorded the import. */
async function findImport(
  { kept }: Importer,
  { id, sourceId, startedAt }: RunRecord,
): Promise<number | undefined> {
  if (startedAt === undefined || sourceId === 0) return undefined
  const open = await kept.list({ states: ['INIT', 'INIT_ERROR', 'PENDING', 'READY'] })
  return open.find(({ sourceRun }) => sourceRun?.run === id)?.id
}

function pendingMemory(
  memory: SourceMemory,
  { fingerprint, newest, isPartial }: Obtained,
): RunDetails['pending'] {
  return { fingerprint, newest, partialRuns: isPartial === true ? (memory.partialRuns ?? 0) + 1 : 0 }
}

export function memoryAfter(memory: SourceMemory, pending: RunDetails['pending'], end: RunEnd): SourceMemory {
  const versions = { ...memory.versions }
  for (const { layer, version } of end.layers ?? []) versions[layer] = version
  if (end.outcome !== 'loaded' && end.outcome !== 'unchanged') return { ...memory, versions }
  return { ...memory, ...pending, versions }
}

function editedEnd(stopped: RunEnd['stopped']): RunEnd {
  const layers = (stopped ?? []).map(({ measured }) => JSON.stringify(measured)).join(', ')
  return {
    outcome: 'stopped',
    code: 'edited',
    stopped,
    message: `The layer was changed by others since the last run (${layers}), and a run would overwrite the changes: accept this, or restore the version`,
  }
}

export async function removeFolder(folder: string, { id }: Pick<RunRecord, 'id'>): Promise<void> {
  await rm(join(folder, String(id)), { recursive: true, force: true })
  await rm(join(folder, `${id}.data`), { recursive: true, force: true })
}

/** Returns the end of a run that failed. */
export function failedEnd(run: RunRecord, error: unknown): RunEnd {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const { importId, isStarted, notes } = run
  return { outcome: 'failed', importId, isStarted, notes, code: code ?? 'failed', message: explain(error) }
}
