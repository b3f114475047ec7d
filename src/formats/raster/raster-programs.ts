import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import type { DataFile } from '../format.ts'
import { FormatError } from '../format.ts'
import { linkInto, listDrivers, safeConfig } from '../gdal/safe-gdal.ts'
import { cleanAuxiliary } from './pam.ts'
import type { RasterDriver } from './raster-drivers.ts'

/** Sidecars that GDAL may read; of `.aux.xml` only the georeferencing. */
const linkedSidecars = /^(?:[a-z]{2,5}w|wld|hdr|stx|clr|rdc|ref|sgrd|mgrd|ige|(?:[a-z0-9]+\.)?(?:ovr|msk))$/

/** A raster in the form for GDAL's programs. */
export interface RasterSource {
  /**
   * Path in a temporary folder that contains only the file and its sidecars; files written next to it are
   * removed with the folder.
   */
  path: string
  folder: string
  /** Names of the permitted drivers, for `-if`. */
  drivers: string[]
  /** Permits GDAL these drivers, GeoTIFF for overviews and masks, and no network access. */
  env: Record<string, string>
}

async function environmentOf(driver: RasterDriver): Promise<Pick<RasterSource, 'drivers' | 'env'>> {
  const known = await listDrivers('gdalinfo')
  const drivers = driver.drivers.filter((name) => known.includes(name))
  if (drivers.length === 0) {
    throw new FormatError(`This GDAL has no driver for ${driver.name}`, { code: 'gdal-driver-missing' })
  }
  const skipped = known.filter((name) => !drivers.includes(name) && name !== 'GTiff')
  const env = { ...safeConfig, GDAL_PAM_ENABLED: 'YES', GDAL_SKIP: skipped.join(',') }
  return { drivers, env }
}

async function linkRaster({ path, sidecars }: DataFile, folder: string): Promise<string> {
  const extension = extname(path)
  const base = basename(path, extension)
  const main = `${base}${extension.toLowerCase()}`
  const links: Record<string, string> = { [main]: path }
  const behindName = `${basename(path).toLowerCase()}.`
  for (const [key, sidecar] of Object.entries(sidecars)) {
    const ownName = basename(sidecar).toLowerCase()
    const isBehindName = ownName.startsWith(behindName)
    const kind = isBehindName ? ownName.slice(behindName.length) : key
    const name = `${isBehindName ? main : base}.${kind}`
    if (linkedSidecars.test(kind)) links[name] = sidecar
    const clean = kind.endsWith('aux.xml') ? await cleanAuxiliary(sidecar) : undefined
    if (clean !== undefined) await writeFile(join(folder, `${main}.aux.xml`), clean)
  }
  await linkInto(folder, links)
  return join(folder, main)
}

/**
 * Calls `work` with a raster in a folder of links, which is removed afterwards. Throws `FormatError` without
 * GDAL.
 */
export async function withRasterSource<T>(
  file: DataFile,
  driver: RasterDriver,
  work: (source: RasterSource) => Promise<T>,
): Promise<T> {
  const environment = await environmentOf(driver)
  const folder = await mkdtemp(join(tmpdir(), 'terrane-raster-'))
  try {
    return await work({ ...environment, folder, path: await linkRaster(file, folder) })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
