import type { Dirent } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { listAllStores } from '../catalog/stores.ts'
import type { ImporterParts } from './parts.ts'
import { listTasksInState } from './task-repository.ts'

/** What `settle-file.ts` calls the folders that it makes. */
const madeFolder = /_[\da-f]{12}(?:\.part)?$/

const listFolders = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
}

/** Paths that stores name, and folders of loads that are not settled. */
async function usedPaths({ database }: ImporterParts): Promise<string[]> {
  const stores = await listAllStores(database.kysely)
  const used = stores.flatMap(({ parameters }) => Object.values(parameters))
  for (const state of ['RUNNING', 'ERROR', 'CANCELED'] as const) {
    for (const { run, unsettled } of await listTasksInState(database.kysely, state)) {
      for (const load of [run?.load, unsettled]) used.push(load?.granuleFolder ?? '', load?.movedTo ?? '')
    }
  }
  return used
}

/**
 * Removes folders below `stores` that were made for one file, that no store names, and that have not changed since
 * `before` (ISO 8601): a process died between making the folder and publishing its layer.
 */
export async function removeUnusedFolders(parts: ImporterParts, before: string): Promise<void> {
  const workspaces = await listFolders(parts.folders.stores)
  const folders = (await Promise.all(workspaces.map(listFolders)))
    .flat()
    .filter((one) => madeFolder.test(one))
  if (folders.length === 0) return
  const used = await usedPaths(parts)
  for (const folder of folders) {
    if (used.some((path) => path === folder || path.startsWith(folder + sep))) continue
    const status = await stat(folder).catch(() => undefined)
    if (status !== undefined && status.mtime.toISOString() < before) {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
