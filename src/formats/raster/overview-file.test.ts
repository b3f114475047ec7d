import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { runProgram } from '../../core/process/process.ts'
import { rasterFormats } from './raster.ts'

const fixture = 'tests/fixtures/raster/world.byte.tif'

/** Writes a GeoTIFF whose metadata refer to another file for overviews. */
async function writeReferringTiff(folder: string, other: string): Promise<string> {
  const path = join(folder, 'referring.tif')
  await runProgram('gdal_translate', ['-q', '-mo', `PADDING=${'x'.repeat(300)}`, fixture, path])
  const bytes = readFileSync(path, 'latin1')
  const changed = bytes.replace(/<GDALMetadata>.*<\/GDALMetadata>/s, (old) => {
    const item = `<GDALMetadata><Item name="OVERVIEW_FILE" domain="OVERVIEWS">${other}</Item>`
    return `${item.padEnd(old.length - '</GDALMetadata>'.length)}</GDALMetadata>`
  })
  writeFileSync(path, changed, 'latin1')
  return path
}

it('refuses a GeoTIFF that takes its overviews from another file', async (test) => {
  const folder = temporaryFolder(test)
  const other = join(folder, 'other.tif')
  copyFileSync(fixture, other)
  await runProgram('gdaladdo', ['-q', other, '2'])
  const path = await writeReferringTiff(folder, other)
  const geoTiff = rasterFormats.find(({ name }) => name === 'GeoTIFF')
  assert.ok(geoTiff)
  const { signal } = new AbortController()
  await assert.rejects(geoTiff.describe({ path, sidecars: {} }, { signal }), { code: 'other-files' })
})
