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

/** A file of stored tiles. */
export interface StoredFile {
  path: string
  /** Includes its side files. */
  sizeBytes: number
  /** Time of the last write, which includes recorded uses of its tiles. */
  usedMs: number
}

/** Returns the files of a layer's stored tiles, of all versions. */
export function tileFilesOf(root: string, layerId: number): string[] {
  const folder = join(root, String(layerId))
  return namesIn(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
}

export function removeTileFile(path: string): void {
  for (const suffix of ['', ...besides]) rmSync(path + suffix, { force: true })
}

/** Removes a layer's files of versions before `version`; `onFile` is called before each deletion. */
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
 * Deletes files of missing layers, of versions other than the layer's, and side files of missing files. Calls
 * `layers` after listing the folders, so that layers created meanwhile are included.
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
    // Another process has just written to the folder.
  }
}

function isBeside(name: string, suffix: string): boolean {
  return name.endsWith(ending + suffix)
}

/** Lists all files of stored tiles, least recently used first. */
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

function statsOf(path: string) {
  return ['', '-wal'].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false }))
}

/** Returns the time of the last write to a file, which includes recorded uses of its tiles. */
export function usedMsOf(path: string): number {
  return Math.max(0, ...statsOf(path).map((stats) => stats?.mtimeMs ?? 0))
}

function sizeOf(path: string): number {
  return statsOf(path).reduce((sum, stats) => sum + (stats?.size ?? 0), 0)
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
