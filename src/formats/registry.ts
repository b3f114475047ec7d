import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { csv } from './csv/csv.ts'
import { flatgeobuf } from './flatgeobuf/flatgeobuf.ts'
import type { DataFile, Format } from './format.ts'
import { gdalFormats } from './gdal/gdal.ts'
import { geojson } from './geojson/geojson.ts'
import { geopackage } from './geopackage/geopackage.ts'
import { geoparquet } from './geoparquet/geoparquet.ts'
import { kml } from './kml/kml.ts'
import { rasterFormats } from './raster/raster.ts'
import { shapefile } from './shapefile/shapefile.ts'

/** Every format, asked in this order; one that reads what no other does stands last. */
export const formats: readonly Format[] = [
  shapefile,
  geopackage,
  flatgeobuf,
  geoparquet,
  geojson,
  kml,
  csv,
  ...gdalFormats,
  ...rasterFormats,
]

const headBytes = 1 << 16

/** The format of a file: those of its extension are asked first, then the others by content alone. */
export async function detectFormat(file: DataFile, signal: AbortSignal): Promise<Format | undefined> {
  const head = await readHead(file.path)
  const extension = extname(file.path).slice(1).toLowerCase()
  const likely = formats.filter((format) => format.extensions.includes(extension))
  const others = formats.filter((format) => !format.extensions.includes(extension))
  for (const format of [...likely, ...others]) {
    signal.throwIfAborted()
    if (await format.detect(file, head)) return format
  }
  return undefined
}

async function readHead(path: string): Promise<Uint8Array> {
  const handle = await open(path)
  try {
    const head = new Uint8Array(headBytes)
    let length = 0
    while (length < headBytes) {
      const { bytesRead } = await handle.read(head, length, headBytes - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return head.subarray(0, length)
  } finally {
    await handle.close()
  }
}
