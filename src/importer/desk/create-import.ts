import { resolveInRoots } from '../../sources/path-guard.ts'
import { requirePrograms } from '../kinds/raster/check-transforms.ts'
import { resolveDatabase } from '../look/database-source.ts'
import { resolveRemote } from '../look/remote-data.ts'
import type { ImportRecord, ImportSource, NewImport, WantedSource } from '../model/model.ts'
import { importAfter, now } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { insertImport, takeImportId, uploadRoot } from '../records/records.ts'
import { asRequest } from './as-request.ts'

/** An import and the job that prepares it; no job where there is nothing to prepare. */
export interface CreatedImport {
  record: ImportRecord
  jobId?: number
}

export const prepareJob = 'import.prepare'

async function findStoreWorkspace(parts: ImporterParts, store: string): Promise<string | undefined> {
  for (const { name } of await parts.catalog.workspaces.list()) {
    if ((await parts.catalog.stores.find(name, store)) !== undefined) return name
  }
  return undefined
}

/** The target workspace: the one named, else the store's, else the default. */
async function resolveWorkspace(parts: ImporterParts, wanted: NewImport): Promise<string> {
  if (wanted.workspace !== undefined) {
    await parts.catalog.workspaces.require(wanted.workspace)
    return wanted.workspace
  }
  const standard = await parts.catalog.workspaces.getDefaultName()
  if (wanted.store === undefined) return standard
  if ((await parts.catalog.stores.find(standard, wanted.store)) !== undefined) return standard
  return (await findStoreWorkspace(parts, wanted.store)) ?? standard
}

async function resolveSource(parts: ImporterParts, wanted: WantedSource): Promise<ImportSource> {
  const { type, path, charset, time, remote, database } = wanted
  if (database !== undefined) return resolveDatabase(parts, database)
  const source: ImportSource =
    remote !== undefined
      ? await resolveRemote(parts, remote)
      : path === undefined
        ? { type, path: '', isOurs: true }
        : { type, path: await resolveInRoots(path, parts.roots), isOurs: false }
  return {
    ...source,
    ...(charset === undefined ? {} : { charset }),
    ...(time === undefined ? {} : { time }),
  }
}

/**
 * Keeps a new import; what is wrong with the request is a `Failure` (`invalid`) and nothing is kept. Its data are
 * looked at by a job, which a synchronous caller waits for.
 */
export async function createImport(
  parts: ImporterParts,
  wanted: NewImport,
  isRunAfter: boolean,
): Promise<CreatedImport> {
  const workspace = await resolveWorkspace(parts, wanted)
  if (wanted.store !== undefined) await parts.catalog.stores.require(workspace, wanted.store)
  await asRequest(() => requirePrograms(wanted.transforms))
  const source = wanted.source === undefined ? undefined : await resolveSource(parts, wanted.source)
  const at = now(parts)
  const needsJob = source?.remote !== undefined || (source !== undefined && !source.isOurs) || wanted.isAsync
  const created = await parts.database.transaction(async (db): Promise<CreatedImport> => {
    const id = await takeImportId(db, wanted.proposedId)
    const begun: ImportRecord = {
      id,
      state: 'INIT',
      nextTaskId: 0,
      revision: 0,
      createdAt: at,
      updatedAt: at,
      isArchived: wanted.isArchived,
      workspace,
      transforms: wanted.transforms,
      messages: [],
      nextUpload: 0,
      ...(wanted.allowEmpty === true ? { allowEmpty: true } : {}),
      ...(wanted.store === undefined ? {} : { store: wanted.store }),
      ...(source === undefined
        ? {}
        : { source: source.isOurs ? { ...source, path: uploadRoot(parts, id) } : source }),
      ...(wanted.user === undefined ? {} : { user: wanted.user }),
    }
    if (!needsJob) {
      const record = importAfter(begun, { type: 'prepared', isReady: false })
      await insertImport(db, record)
      return { record }
    }
    const payload = { importId: id, isAsync: wanted.isAsync, isRunAfter }
    const jobId = await parts.jobs.enqueue(db, { kind: prepareJob, key: `import ${id}`, payload })
    const record = { ...begun, jobId }
    await insertImport(db, record)
    return { record, jobId }
  })
  parts.jobs.wake()
  return created
}
