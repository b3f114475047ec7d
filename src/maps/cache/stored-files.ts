import type { Dirent } from 'node:fs'
import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { unfinishedEnding } from './tile-file.ts'

const ending = '.mbtiles'
const besides = ['-wal', '-shm', '-journal', unfinishedEnding, `${unfinishedEnding}-journal`]
const versionPart = /^(\d+)-/
const layerFolder = /^\d+$/

/** A file of kept tiles on the disk. */
export interface StoredFile {
  path: string
  /** With what stands beside it. */
  sizeBytes: number
  /** When something was last written to it: uses of its tiles are too. */
  usedMs: number
}

/** The files of a layer's kept tiles, of every version. */
export function tileFilesOf(root: string, layerId: number): string[] {
  const folder = join(root, String(layerId))
  return namesIn(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
}

export function removeTileFile(path: string): void {
  for (const suffix of ['', ...besides]) rmSync(path + suffix, { force: true })
}

/** Removes a layer's files of versions before `version`; `onFile` sees each before it goes. */
export function removeOldFiles(
  root: string,
  layerId: number,
  version: number,
  onFile: (path: string) => void,
): void {
  for (const path of tileFilesOf(root, layerId)) {
    if (versionOf(path) >= version) continue
    onFile(path)
    removeTileFile(path)
  }
}

/**
 * Removes what belongs to no layer, or to another version than the layer's, and what a file left that is gone. `layers` are
 * asked for after the folders were looked at, so that none is missing that came meanwhile.
 */
export async function sweepFolders(
  root: string,
  layers: () => Promise<ReadonlyMap<number, number>>,
): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true }).catch((): Dirent[] => [])
  const folders = entries.filter((one) => one.isDirectory() && layerFolder.test(one.name))
  const versions = await layers()
  for (const { name } of folders) {
    const version = versions.get(Number(name))
    if (version === undefined) await rm(join(root, name), { recursive: true, force: true })
    else sweepLayer(join(root, name), version)
  }
}

function sweepLayer(folder: string, version: number): void {
  const names = new Set(namesIn(folder))
  for (const name of names) {
    if (name.endsWith(ending)) {
      if (versionOf(join(folder, name)) !== version) removeTileFile(join(folder, name))
    } else if (besides.some((suffix) => isBeside(name, suffix) && !names.has(name.slice(0, -suffix.length))))
      rmSync(join(folder, name), { force: true })
  }
  if (namesIn(folder).length > 0) return
  try {
    rmdirSync(folder)
  } catch {
    // Somebody has just put something there.
  }
}

function isBeside(name: string, suffix: string): boolean {
  return name.endsWith(ending + suffix)
}

/** Every file of kept tiles, the one that was not used for longest first. */
export async function listStoredFiles(root: string): Promise<StoredFile[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((): Dirent[] => [])
  const files: StoredFile[] = []
  for (const { name } of entries.filter((one) => one.isDirectory() && layerFolder.test(one.name))) {
    for (const path of tileFilesOf(root, Number(name)))
      files.push({ path, sizeBytes: sizeOf(path), usedMs: usedMsOf(path) })
    await nextRound()
  }
  return files.sort((a, b) => a.usedMs - b.usedMs)
}

function looksAt(path: string) {
  return ['', '-wal'].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false }))
}

/** When something was last written to a file: uses of its tiles are too. */
export function usedMsOf(path: string): number {
  return Math.max(0, ...looksAt(path).map((look) => look?.mtimeMs ?? 0))
}

function sizeOf(path: string): number {
  return looksAt(path).reduce((sum, look) => sum + (look?.size ?? 0), 0)
}

function versionOf(path: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return Number(versionPart.exec(name)?.[1] ?? -1)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
