import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside } from '../../inputs/index.ts'
import { mosaicType, type StoreParameters } from '../../stores/index.ts'
import { mosaicLocation } from '../rows/mosaic-index.ts'
import type { ContentRecord, RetainedFiles } from '../versions/contents.ts'
import type { GoneContent } from '../versions/gone-stores.ts'
import { listOwnFiles, removeStoreFile } from './store-file.ts'

/** Subfolder of the stores folder; workspace names cannot be equal to it. */
const asideName = '.kept'

/** Returns the folder that the files of a deleted store are moved to. */
export function asideFolder(storesFolder: string, id: string): string {
  return join(storesFolder, asideName, id)
}

/** Returns the server's folder with uploaded granules; undefined if there is none. */
async function ownFolder(storesFolder: string, { parameters }: RetainedFiles): Promise<string | undefined> {
  const { folder } = mosaicLocation({ parameters })
  if (folder === '' || resolve(folder) === resolve(storesFolder)) return undefined
  return (await isInside([storesFolder], folder).catch(() => false)) ? folder : undefined
}

/** Returns the server's files and folders of a store that no store in `remaining` reads. */
export async function listMovable(
  storesFolder: string,
  files: RetainedFiles,
  remaining: readonly { parameters: StoreParameters }[],
): Promise<string[]> {
  if (files.type !== mosaicType) return listOwnFiles(storesFolder, files, remaining)
  const folder = await ownFolder(storesFolder, files)
  return folder !== undefined && (await isThere(folder)) ? [folder] : []
}

/** Moves the files of a store away; does nothing if that is done. Files that cannot be moved remain. */
export async function moveFileAside(
  storesFolder: string,
  { files, aside }: { files: RetainedFiles; aside: string },
  remaining: readonly { parameters: StoreParameters }[],
): Promise<void> {
  const found = await listMovable(storesFolder, files, remaining)
  const [first] = found
  if (first === undefined) return
  await mkdir(aside, { recursive: true })
  for (const path of found) await rename(path, join(aside, basename(path))).catch(() => undefined)
  if (files.type !== mosaicType && resolve(dirname(first)) !== resolve(storesFolder))
    await rmdir(dirname(first)).catch(() => undefined)
}

/** Moves files back and returns their paths: the original ones, unless these are in use now. */
export async function restoreFile({ files, gone: { aside } }: GoneContent): Promise<StoreParameters> {
  const { parameters } = files
  if (aside === undefined || !(await isThere(aside))) return parameters
  const main = mainPath(files)
  const moved = join(aside, basename(main))
  if ((await isThere(main)) && (await isThere(moved)))
    return files.type === mosaicType ? parameters : { ...parameters, path: moved }
  await mkdir(dirname(main), { recursive: true })
  for (const entry of await readdir(aside)) await rename(join(aside, entry), join(dirname(main), entry))
  await rmdir(aside).catch(() => undefined)
  return parameters
}

/** True if the files of the contents are at their original location or where they were moved to. */
export async function areThere({ files, gone }: Pick<ContentRecord, 'files' | 'gone'>): Promise<boolean> {
  const main = files === undefined ? '' : mainPath(files)
  // Without an own folder all granules of the mosaic belong to others.
  if (main === '' || (await isThere(main))) return true
  return gone?.aside !== undefined && isThere(join(gone.aside, basename(main)))
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

/** Deletes the files of a store, wherever they are, except files that a store in `remaining` reads. */
export async function removeAside(
  storesFolder: string,
  { files, gone: { aside } }: GoneContent,
  remaining: { parameters: StoreParameters }[],
): Promise<void> {
  if (aside !== undefined && !remaining.some((one) => reads(one, aside)))
    await rm(aside, { recursive: true, force: true })
  if (files.type !== mosaicType) return removeStoreFile(storesFolder, files, remaining)
  const folder = await ownFolder(storesFolder, files)
  if (folder !== undefined && !remaining.some((one) => reads(one, folder)))
    await rm(folder, { recursive: true, force: true })
}

/** True if a store reads a folder or something in it. */
function reads({ parameters }: { parameters: StoreParameters }, folder: string): boolean {
  return Object.values(parameters).some((text) => text === folder || text?.startsWith(`${folder}/`) === true)
}

/** Removes the folders of moved files that no record refers to. */
export async function sweepAside(storesFolder: string, requested: readonly string[]): Promise<void> {
  const folder = join(storesFolder, asideName)
  const isSelected = (path: string) => requested.some((one) => one === path || one.startsWith(`${path}/`))
  for (const entry of await readdir(folder).catch(() => []))
    if (!isSelected(join(folder, entry))) await rm(join(folder, entry), { recursive: true, force: true })
}

function mainPath({ type, parameters }: RetainedFiles): string {
  return type === mosaicType ? mosaicLocation({ parameters }).folder : (parameters['path'] ?? '')
}
