import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient } from '../../support/configuration.ts'
import { assertSameRaster } from '../../support/coverages.ts'
import { readRaster } from '../../support/raster-cells.ts'
import { gdal, rasterFixtures } from '../../support/rasters.ts'

let terrane: TestApp
let folder: string
before(async () => {
  terrane = await createTestApp()
  folder = join(terrane.dataDir, 'incoming', 'values')
  mkdirSync(join(folder, 'cog'), { recursive: true })
  for (const name of ['RGB.byte.tif', 'rotated.tif'])
    copyFileSync(join(rasterFixtures, name), join(folder, name))
  const withCrs = ['-q', '-a_srs', 'EPSG:32618']
  gdal('gdal_translate', ...withCrs, join(rasterFixtures, 'float_nan.tif'), join(folder, 'float_nan.tif'))
  gdal('gdal_translate', '-q', '-of', 'COG', join(folder, 'RGB.byte.tif'), join(folder, 'cog', 'rgb.tif'))
  const store = { coverageStore: { name: 'values', url: `file:${folder}` } }
  assert.equal((await send('POST', '/workspaces/default/coveragestores', store)).statusCode, 201)
  const all = await send('POST', '/workspaces/default/coveragestores/values/rasters', { publish: {} })
  assert.deepEqual(all.json().failed, [])
})
after(() => terrane.close())
const { send } = configurationClient(() => terrane)

async function coverage(layer: string, query = '') {
  const url = `/wcs?service=WCS&version=2.0.1&request=GetCoverage&coverageId=default__${layer}&format=image/tiff${query}`
  const reply = await terrane.app.inject({ url, headers: terrane.admin })
  assert.equal(reply.statusCode, 200, reply.body.slice(0, 500))
  const path = join(terrane.dataDir, `${layer}.answer.tif`)
  writeFileSync(path, reply.rawPayload)
  return readRaster(path)
}

function translated(name: string, ...options: string[]) {
  const path = join(terrane.dataDir, 'translated.tif')
  gdal('gdal_translate', '-q', ...options, join(folder, name), path)
  return readRaster(path)
}

describe('a raster published in place', () => {
  const layers = { RGB_byte: 'RGB.byte.tif', float_nan: 'float_nan.tif', cog_rgb: 'cog/rgb.tif' }
  for (const [layer, file] of Object.entries(layers))
    it(`has the cells of ${file} in GetCoverage as gdal_translate writes them`, async () => {
      assertSameRaster(await coverage(layer), translated(file), file)
    })

  it('has them in a part of it', async () => {
    const { geoTransform } = translated('RGB.byte.tif')
    const [x = 0, width = 0, , y = 0, , height = 0] = geoTransform
    const [left, right] = [x + 100 * width, x + 250 * width]
    const [top, bottom] = [y + 50 * height, y + 170 * height]
    const part = await coverage('RGB_byte', `&subset=E(${left},${right})&subset=N(${bottom},${top})`)
    assertSameRaster(part, translated('RGB.byte.tif', '-srcwin', '100', '50', '150', '120'), 'part')
  })
})
