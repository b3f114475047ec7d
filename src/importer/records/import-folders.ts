import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of everything uploaded to an import or unpacked for it. */
export function uploadRoot({ folders }: { folders: { uploads: string } }, importId: number): string {
  return join(folders.uploads, String(importId))
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

export function rejectsPath(
  { folders }: { folders: { rejects: string } },
  importId: number,
  taskId: number,
): string {
  return join(folders.rejects, String(importId), `${taskId}.ndjson`)
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
