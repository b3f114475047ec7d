import type { Dirent } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Catalog } from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import type { Logger } from '../../core/log/logger.ts'
import { taskStates } from '../model/model.ts'
import { listTasksInState } from '../records/records.ts'
import { removeReplaced } from '../task-types/task-types.ts'

/** Matches the folder names that `publish/file-store.ts` generates. */
const madeFolder = /_[\da-f]{12}(?:\.part)?$/

const listFolders = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
}

const isNamedBy = (paths: string[]) => (folder: string) =>
  paths.some((path) => path === folder || path.startsWith(folder + sep))

const textsOf = (fields: object): string[] =>
  Object.values(fields).filter((value): value is string => typeof value === 'string')

async function pathsOfStores(catalog: Catalog): Promise<string[]> {
  const places = await catalog.stores.files.listPlaces()
  return places.flatMap(({ parameters }) => textsOf(parameters))
}

/** Returns the data paths of loads that are running or have an unknown result. */
async function pathsOfLoads(database: Database): Promise<string[]> {
  const paths: string[] = []
  for (const state of taskStates.filter((one) => one !== 'COMPLETE')) {
    for (const { run, unsettled, trial: dryRun } of await listTasksInState(database.kysely, state)) {
      paths.push(...textsOf(run?.load ?? {}), ...textsOf(unsettled ?? {}), ...textsOf(dryRun?.load ?? {}))
    }
  }
  return paths
}

async function listMade(stores: string): Promise<string[]> {
  const workspaces = await listFolders(stores)
  return (await Promise.all(workspaces.map(listFolders))).flat().filter((one) => madeFolder.test(one))
}

/** Removes granules that a REPLACE made obsolete, if its process died before removing them. */
export async function removeReplacedGranules(stores: string, log: Logger): Promise<void> {
  for (const folder of await listMade(stores)) {
    await removeReplaced(folder).catch((error: unknown) =>
      log.warn({ err: error, folder }, 'replaced granules were not removed'),
    )
  }
}

async function hasChangedSince(folder: string, time: string): Promise<boolean> {
  const status = await stat(folder).catch(() => undefined)
  return status === undefined || status.mtime.toISOString() >= time
}

/**
 * Removes folders below `stores` that were made for one file, that no store or load refers to, and that have
 * not changed since `before` (ISO 8601). Such folders remain if a process died between creating the folder
 * and publishing its layer.
 */
export async function removeUnusedFolders(
  { catalog, database, folders }: { catalog: Catalog; database: Database; folders: { stores: string } },
  before: string,
): Promise<void> {
  const made = await listMade(folders.stores)
  const isRead = isNamedBy(await pathsOfStores(catalog))
  const unread = made.filter((folder) => !isRead(folder))
  if (unread.length === 0) return
  const isLoaded = isNamedBy(await pathsOfLoads(database))
  const isReadMeanwhile = isNamedBy(await pathsOfStores(catalog))
  for (const folder of unread) {
    if (isLoaded(folder) || isReadMeanwhile(folder) || (await hasChangedSince(folder, before))) continue
    await rm(folder, { recursive: true, force: true })
  }
}
