import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Returns the folder of all uploads of an import and their unpacked files. */
export function uploadRoot(folders: { uploads: string }, importId: number): string {
  return join(folders.uploads, String(importId))
}

/** Folder of files that an import was created from, unchanged until it is prepared. */
export function placedFolder(folders: { uploads: string }, importId: number): string {
  return join(uploadRoot(folders, importId), 'placed')
}

/** Creates an empty folder for one upload, replacing an existing one. */
export async function makeUploadFolder(
  folders: { uploads: string },
  importId: number,
  upload: number,
): Promise<string> {
  const folder = join(uploadRoot(folders, importId), String(upload))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return folder
}

export async function removeUploadFolder(
  folders: { uploads: string },
  importId: number,
  upload: number,
): Promise<void> {
  await rm(join(uploadRoot(folders, importId), String(upload)), { recursive: true, force: true })
}

/**
 * Path of the list of rejected rows of a task; `number` identifies the corrected rows whose load wrote the
 * list.
 */
export function rejectsPath(
  folders: { rejects: string },
  importId: number,
  taskId: number,
  number?: number,
): string {
  const name = number === undefined ? `${taskId}.ndjson` : `${taskId}.${number}.ndjson`
  return join(folders.rejects, String(importId), name)
}

/** Removes lists of rejected rows that are not, or no longer, those of their task. */
export async function removeOldRejects(
  folders: { rejects: string },
  { importId, id, rejectsNumber }: { importId: number; id: number; rejectsNumber?: number },
): Promise<void> {
  const current = basename(rejectsPath(folders, importId, id, rejectsNumber))
  const folder = join(folders.rejects, String(importId))
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(`${id}.`) && name !== current) await rm(join(folder, name), { force: true })
}

/** Path of the rows rejected in a dry run, or in a load that was stopped. */
export function dryRunRejectsPath(folders: { rejects: string }, importId: number, taskId: number): string {
  return join(folders.rejects, String(importId), `${taskId}.trial.ndjson`)
}

/** Folder of the lists of rejected rows of an import. */
export function rejectsFolder(folders: { rejects: string }, importId: number): string {
  return join(folders.rejects, String(importId))
}

/** Folder of the listed changes that an import makes, or would make. */
export function changesFolder(folders: { sides: string }, importId: number): string {
  return join(folders.sides, `changes-${importId}`)
}

/** Path of the list of changes that the `UPSERT` of a task made, or that a dry run predicts. */
export function changesPath(
  folders: { sides: string },
  importId: number,
  taskId: number,
  by: 'trial' | 'upsert',
): string {
  return join(changesFolder(folders, importId), `${taskId}.${by}.gpkg`)
}

/** Use of files of an import. */
export type ImportFileKind = 'uploads' | 'rejects' | 'sides'

/** Removes files of an import from the file store, if there is one. */
interface Stored {
  remove(importId: number, kind: ImportFileKind): Promise<void>
}

export async function removeChanges(
  folders: { sides: string },
  importId: number,
  stored: Stored,
): Promise<void> {
  await rm(changesFolder(folders, importId), { recursive: true, force: true })
  await stored.remove(importId, 'sides')
}

export async function removeRejects(
  folders: { rejects: string },
  importId: number,
  stored: Stored,
): Promise<void> {
  await rm(rejectsFolder(folders, importId), { recursive: true, force: true })
  await stored.remove(importId, 'rejects')
}

export async function removeUploads(
  folders: { uploads: string },
  importId: number,
  stored: Stored,
): Promise<void> {
  await rm(uploadRoot(folders, importId), { recursive: true, force: true })
  await stored.remove(importId, 'uploads')
}
