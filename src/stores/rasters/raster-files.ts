import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { fileState } from '../file-state.ts'
import type { TableState } from '../store.ts'

/** Sidecar files of a raster, which readers request by these names. */
const sidecarExtension =
  /^(?:[a-z]{2,5}w|wld|prj|hdr|stx|clr|rdc|ref|sgrd|mgrd|ige|msk|(?:msk\.)?ovr|aux\.xml)$/

/** Returns the path of a file by name: the raster itself or a sidecar; undefined for any other name. */
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

/** Returns a state that differs after any change of a raster file or its sidecars. */
export async function rasterState(main: string): Promise<TableState> {
  const names = await readdir(dirname(main)).catch(() => [])
  const beside = names.sort().flatMap((name) => findRasterFile(main, name)?.path ?? [])
  return { text: await fileState(beside.length === 0 ? [main] : beside) }
}
