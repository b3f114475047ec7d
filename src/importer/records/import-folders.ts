import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** The folder of everything uploaded to an import or unpacked for it. */
export function uploadRoot({ folders }: { folders: { uploads: string } }, importId: number): string {
  return join(folders.uploads, String(importId))
}

/** Files that an import was made of, whole until it is prepared. */
export function placedFolder(parts: { folders: { uploads: string } }, importId: number): string {
  return join(uploadRoot(parts, importId), 'placed')
}

/** The empty folder of one upload, made anew. */
export async function makeUploadFolder(
  parts: { folders: { uploads: string } },
  importId: number,
  upload: number,
): Promise<string> {
  const folder = join(uploadRoot(parts, importId), String(upload))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return folder
}

export async function removeUpload(
  parts: { folders: { uploads: string } },
  importId: number,
  upload: number,
): Promise<void> {
  await rm(join(uploadRoot(parts, importId), String(upload)), { recursive: true, force: true })
}

/** Where the rejected rows of a task are listed; `number` is that of the mended rows since whose load they are so. */
export function rejectsPath(
  { folders }: { folders: { rejects: string } },
  importId: number,
  taskId: number,
  number?: number,
): string {
  const name = number === undefined ? `${taskId}.ndjson` : `${taskId}.${number}.ndjson`
  return join(folders.rejects, String(importId), name)
}

/** Takes lists of rejected rows away that are no longer, or never became, those of their task. */
export async function removeOldRejects(
  { folders }: { folders: { rejects: string } },
  { importId, id, rejectsNumber }: { importId: number; id: number; rejectsNumber?: number },
): Promise<void> {
  const current = basename(rejectsPath({ folders }, importId, id, rejectsNumber))
  const folder = join(folders.rejects, String(importId))
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(`${id}.`) && name !== current) await rm(join(folder, name), { force: true })
}

/** Where a rehearsal, or a load that was stopped, leaves the rows that it rejects. */
export function trialRejectsPath(
  { folders }: { folders: { rejects: string } },
  importId: number,
  taskId: number,
): string {
  return join(folders.rejects, String(importId), `${taskId}.trial.ndjson`)
}

/** The folder of what is listed of changes that an import makes, or would make. */
function changesFolder({ folders }: { folders: { sides: string } }, importId: number): string {
  return join(folders.sides, `changes-${importId}`)
}

/** Where it is listed what the `UPSERT` of a task has changed, or what a trial found that a task would. */
export function changesPath(
  parts: { folders: { sides: string } },
  importId: number,
  taskId: number,
  by: 'trial' | 'upsert',
): string {
  return join(changesFolder(parts, importId), `${taskId}.${by}.gpkg`)
}

export async function removeChanges(parts: { folders: { sides: string } }, importId: number): Promise<void> {
  await rm(changesFolder(parts, importId), { recursive: true, force: true })
}

export async function removeRejects(
  { folders }: { folders: { rejects: string } },
  importId: number,
): Promise<void> {
  await rm(join(folders.rejects, String(importId)), { recursive: true, force: true })
}

export async function removeUploads(
  parts: { folders: { uploads: string } },
  importId: number,
): Promise<void> {
  await rm(uploadRoot(parts, importId), { recursive: true, force: true })
}
