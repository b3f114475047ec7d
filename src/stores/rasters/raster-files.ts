import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { fileState } from '../file-state.ts'
import type { TableState } from '../store.ts'

/** What may stand beside a raster file and belong to it; readers ask for these by name. */
const sidecarExtension =
  /^(?:[a-z]{2,5}w|wld|prj|hdr|stx|clr|rdc|ref|sgrd|mgrd|ige|msk|(?:msk\.)?ovr|aux\.xml)$/

/** Where the file of this name stands: the raster itself or one that belongs to it; undefined for any other name. */
export function findRasterFile(main: string, name: string): { path: string; isMain: boolean } | undefined {
  if (name === basename(main)) return { path: main, isMain: true }
  if (name.includes('/') || name.includes('\0')) return undefined
  const bases = [basename(main), basename(main, extname(main))]
  const extensions = bases
    .filter((base) => name.startsWith(`${base}.`))
    .map((base) => name.slice(base.length + 1).toLowerCase())
  if (!extensions.some((extension) => sidecarExtension.test(extension))) return undefined
  return { path: join(dirname(main), name), isMain: false }
}

/** A text that moves with any change of a raster's file or of those that belong to it. */
export async function rasterState(main: string): Promise<TableState> {
  const names = await readdir(dirname(main)).catch(() => [])
  const beside = names.sort().flatMap((name) => findRasterFile(main, name)?.path ?? [])
  return { text: await fileState(beside.length === 0 ? [main] : beside) }
}
