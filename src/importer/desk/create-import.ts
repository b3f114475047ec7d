import type { Catalog } from '../../catalog/catalog.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { defined } from '../../lib/defined.ts'
import { resolveInRoots } from '../../sources/path-guard.ts'
import { requirePrograms } from '../kinds/kinds.ts'
import type { LookNeeds } from '../look/look.ts'
import { resolveDatabase, resolveRemote } from '../look/look.ts'
import type { ImportRecord, ImportSource, NewImport, WantedSource } from '../model/model.ts'
import { importAfter, now } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { insertImport, placedFolder, takeImportId, uploadRoot } from '../records/records.ts'
import { prepareJob } from '../run/run.ts'
import { asRequest } from './as-request.ts'

/** An import and the job that prepares it; no job if there is nothing to prepare. */
export interface CreatedImport {
  record: ImportRecord
  jobId?: number
}

export interface CreateNeeds {
  records: Keeping
  catalog: Catalog
  jobs: Jobs
  look: LookNeeds
}

async function findStoreWorkspace(needs: CreateNeeds, store: string): Promise<string | undefined> {
  for (const { name } of await needs.catalog.workspaces.list()) {
    if ((await needs.catalog.stores.find(name, store)) !== undefined) return name
  }
  return undefined
}

/** Returns the target workspace: the requested one, else the workspace of the store, else the default. */
async function resolveWorkspace(needs: CreateNeeds, wanted: NewImport): Promise<string> {
  if (wanted.workspace !== undefined) {
    await needs.catalog.workspaces.require(wanted.workspace)
    return wanted.workspace
  }
  const standard = await needs.catalog.workspaces.getDefaultName()
  if (wanted.store === undefined) return standard
  if ((await needs.catalog.stores.find(standard, wanted.store)) !== undefined) return standard
  return (await findStoreWorkspace(needs, wanted.store)) ?? standard
}

async function resolveSource(needs: CreateNeeds, wanted: WantedSource): Promise<ImportSource> {
  const { type, path, charset, time, remote, database } = wanted
  if (database !== undefined) return resolveDatabase(needs.look, database)
  const source: ImportSource =
    remote !== undefined
      ? await resolveRemote(needs.look, remote)
      : path === undefined
        ? { type, path: '', isOurs: true }
        : { type, path: await resolveInRoots(path, needs.look.roots), isOurs: false }
  return { ...source, ...defined({ charset, time }) }
}

/**
 * Stores a new import. An invalid request is a `Failure` (`invalid`) and stores nothing. A job inspects the
 * data; a synchronous caller waits for that job.
 */
export async function createImport(
  needs: CreateNeeds,
  wanted: NewImport,
  isRunAfter: boolean,
): Promise<CreatedImport> {
  const workspace = await resolveWorkspace(needs, wanted)
  if (wanted.store !== undefined) await needs.catalog.stores.require(workspace, wanted.store)
  await asRequest(() => requirePrograms(wanted.transforms))
  const source = wanted.source === undefined ? undefined : await resolveSource(needs, wanted.source)
  const at = now(needs.records)
  const place = wanted.source?.place
  const isThere = source !== undefined && (source.remote !== undefined || !source.isOurs)
  const needsJob = isThere || place !== undefined || wanted.isAsync
  const created = await needs.records.database.transaction(async (db): Promise<CreatedImport> => {
    const id = await takeImportId(db, wanted.proposedId)
    await place?.(placedFolder(needs.look, id))
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
      ...defined({ store: wanted.store }),
      ...(source === undefined
        ? {}
        : { source: source.isOurs ? { ...source, path: uploadRoot(needs.look, id) } : source }),
      ...defined({ user: wanted.user }),
    }
    if (!needsJob) {
      const record = importAfter(begun, { type: 'prepared', isReady: false })
      await insertImport(db, record)
      return { record }
    }
    const payload = { importId: id, isAsync: wanted.isAsync, isRunAfter }
    const jobId = await needs.jobs.enqueue(db, { kind: prepareJob, key: `import ${id}`, payload })
    const record = { ...begun, jobId }
    await insertImport(db, record)
    return { record, jobId }
  })
  needs.jobs.wake()
  return created
}
