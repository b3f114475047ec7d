import { extname } from 'node:path'
import { rasterDrivers } from '../../formats/worker.ts'
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

/** All possible media types of a raster or its sidecars, without parameters. */
export const fileMediaTypes: readonly string[] = [
  ...new Set([geotiffType, ...mediaTypes.values(), bytes].map((type) => type.split(';', 1).join())),
]

/** Returns the media type of a sidecar file of a raster; `application/octet-stream` for unknown formats. */
function sidecarMediaType(path: string): string {
  const extension = extname(path).toLowerCase()
  if (/^\.(?:[a-z]{2,5}w|wld)$/.test(extension)) return 'text/plain; charset=utf-8'
  return mediaTypes.get(extension) ?? bytes
}

/** The same for a raster or a sidecar. */
export function fileMediaType(path: string): string {
  return /^\.tiff?$/i.test(extname(path)) ? geotiffType : sidecarMediaType(path)
}

const tiffFormats = new Set<string>(
  rasterDrivers.filter(({ mediaTypes = {} }) => 'image/tiff' in mediaTypes).map(({ name }) => name),
)

/** Returns the media type of the file of a coverage, whatever its extension, or of a sidecar file. */
export function coverageMediaType(
  path: string,
  { type, parameters }: { type: string; parameters: StoreParameters },
): string {
  return tiffFormats.has(type) && path === parameters.path ? geotiffType : sidecarMediaType(path)
}
