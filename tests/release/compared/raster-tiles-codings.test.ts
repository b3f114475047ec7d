import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startImporter } from '../../support/importer-client.ts'
import { differing, pictureTile, warpedTile } from '../../support/raster-tiles.ts'
import { gdal, importRaster, rasterFixtures } from '../../support/rasters.ts'

const rgb = join(rasterFixtures, 'RGB.byte.tif')
const place = [9, 144, 219] as const
const aligned = [
  '-of',
  'COG',
  '-co',
  'TILING_SCHEME=GoogleMapsCompatible',
  '-co',
  'OVERVIEWS=IGNORE_EXISTING',
]

/**
 * Creates the file, sets how GDAL warps it for comparison, and sets the largest difference between colour
 * values.
 */
interface CodingCase {
  make(target: string): void
  resampling?: string
  most?: number
}

const translate =
  (...options: string[]) =>
  (target: string): void =>
    gdal('gdal_translate', '-q', ...options, rgb, target)

/** The source turned by 30 degrees about its corner. */
function rotated(target: string): void {
  const cell = 300
  const [cos, sin] = [Math.cos(Math.PI / 6) * cell, Math.sin(Math.PI / 6) * cell]
  const bands = ['Red', 'Green', 'Blue'].map(
    (color, at) =>
      `<VRTRasterBand dataType="Byte" band="${at + 1}"><NoDataValue>0</NoDataValue><ColorInterp>${color}</ColorInterp><SimpleSource><SourceFilename>${rgb}</SourceFilename><SourceBand>${at + 1}</SourceBand></SimpleSource></VRTRasterBand>`,
  )
  const transform = [60_000, cos, sin, 2_850_000, sin, -cos].join(', ')
  writeFileSync(
    `${target}.vrt`,
    `<VRTDataset rasterXSize="791" rasterYSize="718"><SRS>EPSG:32618</SRS><GeoTransform>${transform}</GeoTransform>${bands.join('')}</VRTDataset>`,
  )
  gdal('gdal_translate', '-q', `${target}.vrt`, target)
  rmSync(`${target}.vrt`)
}

/** Creates one band of floats whose empty cells are NaN, which is also its nodata value. */
function withNaN(target: string): void {
  gdal('gdalwarp', '-q', '-ot', 'Float32', '-srcnodata', '0', '-dstnodata', 'nan', rgb, `${target}.all.tif`)
  gdal('gdal_translate', '-q', '-b', '1', `${target}.all.tif`, target)
  rmSync(`${target}.all.tif`)
}

const kinds: Record<string, CodingCase> = {
  'webp-aligned': {
    make: translate(...aligned, '-co', 'COMPRESS=WEBP', '-co', 'QUALITY=100'),
    resampling: 'near',
  },
  'webp-utm': { make: translate('-of', 'COG', '-co', 'COMPRESS=WEBP', '-co', 'QUALITY=100') },
  'lerc-aligned': { make: translate(...aligned, '-co', 'COMPRESS=LERC_DEFLATE'), resampling: 'near' },
  'lzma-aligned': { make: translate(...aligned, '-co', 'COMPRESS=LZMA'), resampling: 'near' },
  // GDAL's approximation of a transformation may be off by an eighth of a cell, at different positions in
  // each run.
  rotated: { make: rotated, most: 24 },
}

/** One bit per cell: set where the first band is bright. */
const bits = ['-b', '1', '-co', 'NBITS=1', '-scale', '0', '255', '0', '1']

const twoColors: Record<string, { options: string[]; colors: string[] }> = {
  bits: { options: bits, colors: ['0,0,0,0', '255,255,255,255'] },
  fax: { options: [...bits, '-co', 'COMPRESS=CCITTFAX4'], colors: ['0,0,0,0', '255,255,255,255'] },
  // File in which ones are black.
  white: { options: [...bits, '-co', 'PHOTOMETRIC=MINISWHITE'], colors: ['0,0,0,0', '0,0,0,255'] },
}

describe('tiles of rasters', () => {
  it('are those that GDAL warps, however the file is packed, or turned', async (test) => {
    const client = await startImporter(test)
    const folder = join(client.server.dataDir, 'incoming')
    for (const [name, { make, resampling = 'bilinear', most = 4 }] of Object.entries(kinds)) {
      make(join(folder, `${name}.tif`))
      await importRaster(client, `${name}.tif`)
      const layer = name.replaceAll('-', '_')
      const { rgba, status, code } = await pictureTile(client, `default:${layer}/${place.join('/')}.png`)
      assert.equal(status, 200, `${name} ${code}`)
      const expected = await warpedTile(join(folder, `${name}.tif`), folder, place, '-r', resampling)
      const { color, alpha } = differing(rgba, expected, most)
      assert.ok(color < 0.01 && alpha < 0.005, `${name} ${color} ${alpha}`)
      const shown = rgba.filter((value, at) => at % 4 === 3 && value === 255).length
      assert.ok(shown > 20_000, `${name}: ${shown} cells`)
    }
  })

  it('of one bit have two colours, and NaN is nothing', async (test) => {
    const client = await startImporter(test)
    const folder = join(client.server.dataDir, 'incoming')
    for (const [name, { options, colors }] of Object.entries(twoColors)) {
      translate(...options)(join(folder, `${name}.tif`))
      await importRaster(client, `${name}.tif`)
      const { rgba } = await pictureTile(client, `default:${name}/${place.join('/')}.png`)
      const found = new Set<string>()
      for (let at = 0; at < rgba.length; at += 4) found.add(rgba.subarray(at, at + 4).join())
      assert.deepEqual([...found].sort(), colors, name)
      const expected = await warpedTile(join(folder, `${name}.tif`), folder, place, '-r', 'near')
      assert.ok(differing(rgba, expected, 4).alpha < 0.005, name)
    }
    withNaN(join(folder, 'nan.tif'))
    await importRaster(client, 'nan.tif')
    const { rgba } = await pictureTile(client, `default:nan/${place.join('/')}.png`)
    const expected = await warpedTile(join(folder, 'nan.tif'), folder, place, '-r', 'bilinear')
    assert.ok(differing(rgba, expected, 4).alpha < 0.005)
    const shades = new Set(rgba.filter((_, at) => at % 4 === 0 && rgba[at + 3] === 255))
    assert.ok(shades.size > 100, `${shades.size} shades`)
  })
})
