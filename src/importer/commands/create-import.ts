import type { Catalog } from '../../catalog/index.ts'
import type { Queryable } from '../../core/db/connection.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import { FormatError } from '../../formats/worker.ts'
import { resolveInRoots } from '../../inputs/index.ts'
import { TransformError } from '../../transforms/index.ts'
import type { InspectDeps } from '../inspect/inspect.ts'
import { resolveDatabase, resolveRemote } from '../inspect/inspect.ts'
import type { ImportRecord, ImportSource, NewImport, SourceRequest } from '../model/model.ts'
import { importAfter, now } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { insertImport, placedFolder, takeImportId, uploadRoot } from '../records/records.ts'
import { prepareJob } from '../run/run.ts'
import { requirePrograms } from '../task-types/task-types.ts'

/** An import and the job that prepares it; no job if there is nothing to prepare. */
export interface CreatedImport {
  record: ImportRecord
  jobId?: number
}

export interface CreateDeps {
  records: Keeping
  catalog: Catalog
  jobs: Jobs
  inspecting: InspectDeps
}

async function findStoreWorkspace(catalog: Catalog, store: string): Promise<string | undefined> {
  for (const { name } of await catalog.workspaces.list()) {
    if ((await catalog.stores.find(name, store)) !== undefined) return name
  }
  return undefined
}

/** Returns the target workspace: the requested one, else the workspace of the store, else the default. */
async function resolveWorkspace(catalog: Catalog, newImport: NewImport): Promise<string> {
  if (newImport.workspace !== undefined) {
    await catalog.workspaces.require(newImport.workspace)
    return newImport.workspace
  }
  const standard = await catalog.workspaces.getDefaultName()
  if (newImport.store === undefined) return standard
  if ((await catalog.stores.find(standard, newImport.store)) !== undefined) return standard
  return (await findStoreWorkspace(catalog, newImport.store)) ?? standard
}

async function resolveSource(
  inspecting: Pick<InspectDeps, 'roots' | 'vault'>,
  request: SourceRequest,
): Promise<ImportSource> {
  const { type, path, charset, time, remote, database } = request
  if (database !== undefined) return resolveDatabase(inspecting, database)
  const source: ImportSource =
    remote !== undefined
      ? await resolveRemote(inspecting.roots, inspecting.vault, remote)
      : path === undefined
        ? { type, path: '', isOurs: true }
        : { type, path: await resolveInRoots(path, inspecting.roots), isOurs: false }
  return { ...source, charset: charset ?? source.charset, time: time ?? source.time }
}

/**
 * Stores a new import. An invalid request is a `Failure` (`invalid`) and stores nothing. A job inspects the
 * data; a synchronous caller waits for that job.
 */
export async function createImport(
  deps: CreateDeps,
  newImport: NewImport,
  isRunAfter: boolean,
): Promise<CreatedImport> {
  const workspace = await resolveWorkspace(deps.catalog, newImport)
  if (newImport.store !== undefined) await deps.catalog.stores.require(workspace, newImport.store)
  await asRequest(() => requirePrograms(newImport.transforms))
  const source =
    newImport.source === undefined ? undefined : await resolveSource(deps.inspecting, newImport.source)
  const at = now(deps.records)
  const place = newImport.source?.place
  const isThere = source !== undefined && (source.remote !== undefined || !source.isOurs)
  const needsJob = isThere || place !== undefined || newImport.isAsync
  const created = await placeFiles(deps, newImport, async (db, id): Promise<CreatedImport> => {
    const begun: ImportRecord = {
      id,
      state: 'INIT',
      nextTaskId: 0,
      revision: 0,
      createdAt: at,
      updatedAt: at,
      isArchived: newImport.isArchived,
      workspace,
      transforms: newImport.transforms,
      messages: [],
      nextUpload: 0,
      allowEmpty: newImport.allowEmpty || undefined,
      store: newImport.store,
      source:
        source === undefined
          ? undefined
          : source.isOurs
            ? { ...source, path: uploadRoot(deps.inspecting.folders, id) }
            : source,
      user: newImport.user,
      sourceRun: newImport.sourceRun,
    }
    if (!needsJob) {
      const record = importAfter(begun, { type: 'prepared', isReady: false })
      await insertImport(db, record)
      return { record }
    }
    const payload = { importId: id, isAsync: newImport.isAsync, isRunAfter }
    const jobId = await deps.jobs.enqueue(db, { kind: prepareJob, key: `import ${id}`, payload })
    const record = { ...begun, jobId }
    await insertImport(db, record)
    return { record, jobId }
  })
  deps.jobs.wake()
  return created
}

/**
 * Reserves an id, moves the files of uploads into the folder of the import, and inserts the import. If files
 * are in a file store, they are stored before the transaction that refers to them.
 */
async function placeFiles(
  { records, inspecting }: CreateDeps,
  { proposedId, source }: NewImport,
  insert: (db: Queryable, id: number) => Promise<CreatedImport>,
): Promise<CreatedImport> {
  const place = async (id: number): Promise<void> => source?.place?.(placedFolder(inspecting.folders, id))
  if (source?.place === undefined || records.files.isLocal) {
    return records.database.transaction(async (db) => {
      const id = await takeImportId(db, proposedId)
      await place(id)
      return insert(db, id)
    })
  }
  const id = await records.database.transaction((db) => takeImportId(db, proposedId))
  return records.files.writing(id, async () => {
    await place(id)
    await records.files.save(id)
    return records.database.transaction((db) => insert(db, id))
  })
}

/** Runs work on behalf of a request and reports input errors in the data as a `Failure` (`invalid`). */
export async function asRequest<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TransformError || error instanceof FormatError) {
      throw invalid(error.code, error.message, { cause: error })
    }
    throw error
  }
}
