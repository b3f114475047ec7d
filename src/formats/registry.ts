import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { openGuarded } from '../core/files/guarded-files.ts'
import { foreignContent } from './content-name.ts'
import { csv } from './csv/csv.ts'
import { flatgeobuf } from './flatgeobuf/flatgeobuf.ts'
import type { DataFile, Format } from './format.ts'
import { gdalFormats } from './gdal/gdal.ts'
import { geojson } from './geojson/geojson.ts'
import { geopackage } from './geopackage/geopackage.ts'
import { geoparquet } from './geoparquet/geoparquet.ts'
import { gpx } from './gpx/gpx.ts'
import { kml } from './kml/kml.ts'
import { rasterFormats } from './raster/raster.ts'
import { dbase } from './shapefile/dbase.ts'
import { shapefile } from './shapefile/shapefile.ts'

/** All formats in order of detection; formats for files that no other format reads come last. */
export const formats: readonly Format[] = [
  shapefile,
  dbase,
  geopackage,
  flatgeobuf,
  geoparquet,
  geojson,
  kml,
  gpx,
  csv,
  ...gdalFormats,
  ...rasterFormats,
]

const headBytes = 1 << 16

/**
 * Returns the format of a file, or of a folder dataset: tries the formats of its extension first, then the
 * others by content alone.
 */
export async function detectFormat(file: DataFile, signal: AbortSignal): Promise<Format | undefined> {
  const status = await stat(file.path)
  const isFolder = status.isDirectory()
  const head = isFolder ? new Uint8Array(0) : await readHead(file.path, Math.min(status.size, headBytes))
  const requested = formats.filter((format) => !isFolder || format.folder !== undefined)
  const extension = extname(file.path).slice(1).toLowerCase()
  const likely = requested.filter((format) => format.extensions.includes(extension))
  const others = requested.filter((format) => !format.extensions.includes(extension))
  for (const format of [...likely, ...others]) {
    signal.throwIfAborted()
    if (await format.detect(file, head)) return format
  }
  return undefined
}

/** Describes what the content of an unreadable file resembles; undefined if unknown. */
export async function nameUnread({ path }: DataFile): Promise<string | undefined> {
  const status = await stat(path)
  if (!status.isFile() || status.size === 0) return undefined
  const found = foreignContent(await readHead(path, Math.min(status.size, headBytes)))
  if (found !== undefined) return found
  return csv.extensions.includes(extname(path).slice(1).toLowerCase())
    ? 'text that is not a table with a header; call it .csv if it is one'
    : undefined
}

async function readHead(path: string, bytes: number): Promise<Uint8Array> {
  const handle = await openGuarded(path)
  try {
    const head = new Uint8Array(bytes)
    let length = 0
    while (length < bytes) {
      const { bytesRead } = await handle.read(head, length, bytes - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return head.subarray(0, length)
  } finally {
    await handle.close()
  }
}
