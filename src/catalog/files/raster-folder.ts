import { extname, join, relative, sep } from 'node:path'
import { waitLimit } from '../../core/time/wait-limit.ts'
import type { DataFile } from '../../formats/worker.ts'
import { rasterDrivers } from '../../formats/worker.ts'
import { isInside, scanFolder } from '../../inputs/index.ts'
import { fingerprintFile, rasterFolderType } from '../../stores/index.ts'
import type { StoreRecord } from '../records.ts'

/** File extensions of rasters, except `.txt`, which is usually a text file. */
const extensions = new Set(
  rasterDrivers.flatMap((driver) => driver.extensions).filter((extension) => extension !== 'txt'),
)
/** Maximum number of entries in a folder of rasters including its subfolders. */
const maxEntries = 100_000
const scanMs = 60_000

/** A raster file of a folder. */
export interface RasterFile {
  /** Path below the folder, with `/`. */
  name: string
  file: DataFile
}

/**
 * Lists the files with a raster extension in a folder and its subfolders, sorted by name. Follows links whose
 * targets are in the import roots; skips other links and hidden files.
 */
export async function listRasterFiles(folder: string, importRoots: readonly string[]): Promise<RasterFile[]> {
  const files = await scanFolder(folder, {
    signal: waitLimit(scanMs),
    maxEntries,
    isAllowed: (real) => isInside(importRoots, real),
  })
  return files
    .filter(({ path }) => extensions.has(extname(path).slice(1).toLowerCase()))
    .map((file) => ({ name: relative(folder, file.path).split(sep).join('/'), file }))
}

/** State of a raster file with its sidecars. */
export interface RasterMark {
  text: string
  /** True if the files were changed so recently that a further change might not be visible. */
  isFresh: boolean
}

/** Returns a state that differs after any change of a raster or its sidecars. */
export async function markRaster({ path, sidecars }: DataFile): Promise<RasterMark> {
  const paths = [path, ...Object.values(sidecars).sort()]
  const states = await Promise.all(paths.map((one) => fingerprintFile(one)))
  return {
    text: states.map(({ text }) => text).join(' '),
    isFresh: states.some(({ settlesInMs }) => settlesInMs > 0),
  }
}

/** For a folder of rasters, returns a store over the file of the layer; returns other stores unchanged. */
export function storeOfFile(
  store: StoreRecord,
  { nativeName, details }: { nativeName: string; details: { inPlace?: { format?: StoreRecord['type'] } } },
): StoreRecord {
  const { path } = store.parameters
  if (store.type !== rasterFolderType || path === undefined) return store
  const type = details.inPlace?.format ?? store.type
  return { ...store, type, parameters: { ...store.parameters, path: join(path, nativeName) } }
}
