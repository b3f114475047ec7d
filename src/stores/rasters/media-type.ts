import { extname } from 'node:path'
import { rasterDrivers } from '../../formats/raster/raster-drivers.ts'
import type { StoreParameters } from '../store.ts'

const geotiffType = 'image/tiff; application=geotiff'

const mediaTypes = new Map([
  ['.bmp', 'image/bmp'],
  ['.gif', 'image/gif'],
  ['.j2k', 'image/jp2'],
  ['.jp2', 'image/jp2'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.nc', 'application/x-netcdf'],
  ['.png', 'image/png'],
  ['.prj', 'text/plain; charset=utf-8'],
  ['.webp', 'image/webp'],
  ['.xml', 'application/xml'],
])

const bytes = 'application/octet-stream'

/** Every media type that a raster or what belongs to it may have, without parameters. */
export const fileMediaTypes: readonly string[] = [
  ...new Set([geotiffType, ...mediaTypes.values(), bytes].map((type) => type.split(';', 1).join())),
]

/** The media type of a file that belongs to a raster; what is no file of a format with a type of its own is bytes. */
function sidecarMediaType(path: string): string {
  const extension = extname(path).toLowerCase()
  if (/^\.(?:[a-z]{2,5}w|wld)$/.test(extension)) return 'text/plain; charset=utf-8'
  return mediaTypes.get(extension) ?? bytes
}

/** The same for a raster or what belongs to it. */
export function fileMediaType(path: string): string {
  return /^\.tiff?$/i.test(extname(path)) ? geotiffType : sidecarMediaType(path)
}

const tiffFormats = new Set<string>(
  rasterDrivers.filter(({ mediaTypes = {} }) => 'image/tiff' in mediaTypes).map(({ name }) => name),
)

/** The media type of a coverage's file, whatever its ending, or of one that belongs to it. */
export function coverageMediaType(
  path: string,
  { type, parameters }: { type: string; parameters: StoreParameters },
): string {
  return tiffFormats.has(type) && path === parameters.path ? geotiffType : sidecarMediaType(path)
}
