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

/** Where a rehearsal, or a load that was stopped, leaves what it finds row by row. */
export function trialPath(
  { folders }: { folders: { rejects: string } },
  importId: number,
  taskId: number,
  what: 'rejects.ndjson' | 'changes.gpkg',
): string {
  return join(folders.rejects, String(importId), `${taskId}.trial.${what}`)
}

/** Where it is listed what an `UPSERT` has changed. */
export function changesPath(
  { folders }: { folders: { rejects: string } },
  importId: number,
  taskId: number,
): string {
  return join(folders.rejects, String(importId), `${taskId}.changes.gpkg`)
}

export async function removeTrialFiles(
  parts: { folders: { rejects: string } },
  importId: number,
  taskId: number,
): Promise<void> {
  for (const what of ['rejects.ndjson', 'changes.gpkg'] as const)
    await rm(trialPath(parts, importId, taskId, what), { force: true })
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
