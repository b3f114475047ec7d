import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'

/** Properties of a raster that GDAL reports, without those that belong only to its file. */
export interface FoundRaster {
  size: [width: number, height: number]
  geoTransform: number[]
  bands: { type: string; noDataValue?: unknown; colorInterpretation: string; description?: string }[]
  /** Cells of all bands, one band after the other, in their own type. */
  cells: Buffer
}

const parsed = (path: string): FoundRaster & { geoTransform?: number[] } =>
  JSON.parse(execFileSync('gdalinfo', ['-json', '-nomd', '-norat', '-noct', path], { encoding: 'utf8' }))

/** Reads a raster with GDAL. */
export function readRaster(path: string): FoundRaster {
  const { size, geoTransform = [], bands } = parsed(path)
  const raw = `${path}.raw`
  const plain = ['-of', 'ENVI', '-co', 'INTERLEAVE=BSQ', '-a_ullr', '0', '1', '1', '0']
  execFileSync('gdal_translate', ['-q', ...plain, path, raw], { stdio: 'pipe' })
  const cells = readFileSync(raw)
  for (const ending of ['.raw', '.raw.aux.xml', '.hdr']) rmSync(`${path}${ending}`, { force: true })
  return {
    ...{ size, geoTransform, cells },
    bands: bands.map(({ type, noDataValue, colorInterpretation, description }) => ({
      ...{ type, colorInterpretation },
      ...(noDataValue === undefined ? {} : { noDataValue }),
      ...(description === undefined ? {} : { description }),
    })),
  }
}
