import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { downloaded } from '../../support/downloaded.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { rasterInfo, translateRaster, warpRaster } from '../../support/gdal-session.ts'
import { serveRaster } from '../../support/rasters.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const source = 'tests/fixtures/raster/RGB.byte.tif'

interface Info {
  size: number[]
  geoTransform: number[]
  bands: { checksum: number }[]
  coordinateSystem: { wkt: string }
  metadata: { IMAGE_STRUCTURE?: { LAYOUT?: string } }
}

function infoOf(path: string): Info {
  return rasterInfo<Info>(path, ['-checksum'])
}

async function serve(test: TestContext) {
  const { server } = await serveRaster(test)
  const folder = temporaryFolder(test)
  const ask = (query: string) =>
    downloaded(server, `/ogc/collections/default:RGB_byte/download?${query}`, server.admin)
  const info = async (query: string): Promise<Info> => {
    const reply = await ask(query)
    assert.equal(reply.statusCode, 200, reply.body.slice(0, 500))
    const path = join(folder, 'a.tif')
    writeFileSync(path, reply.rawPayload)
    return infoOf(path)
  }
  return { ask, info, folder }
}

describe('downloads of coverages', needsGdal, () => {
  it('are cloud optimized GeoTIFFs with every cell as it is', async (test) => {
    const { info, ask } = await serve(test)
    const [made, own] = [await info('f=tif'), infoOf(source)]
    assert.deepEqual(
      made.bands.map(({ checksum }) => checksum),
      own.bands.map(({ checksum }) => checksum),
    )
    assert.deepEqual([made.size, made.geoTransform], [own.size, own.geoTransform])
    assert.equal(made.metadata.IMAGE_STRUCTURE?.LAYOUT, 'COG')
    const { headers } = await ask('')
    assert.match(String(headers['content-disposition']), /filename="default-RGB_byte\.tif"/)
    assert.equal(headers['content-crs'], '<http://www.opengis.net/def/crs/EPSG/0/32618>')
  })

  it('are cut by a box, with the cells as they are', async (test) => {
    const { info, folder } = await serve(test)
    const [minX, minY, maxX, maxY] = [200_000, 2_700_000, 260_000, 2_760_000]
    const uri = 'http://www.opengis.net/def/crs/EPSG/0/32618'
    const made = await info(`bbox=${minX},${minY},${maxX},${maxY}&bbox-crs=${encodeURIComponent(uri)}`)
    const path = join(folder, 'own.tif')
    const window = ['-projwin', minX, maxY, maxX, minY].map(String)
    translateRaster(source, path, window)
    const own = infoOf(path)
    assert.deepEqual([made.size, made.geoTransform], [own.size, own.geoTransform])
    assert.deepEqual(
      made.bands.map(({ checksum }) => checksum),
      own.bands.map(({ checksum }) => checksum),
    )
  })

  it('are of another CRS, each cell the nearest', async (test) => {
    const { info, ask, folder } = await serve(test)
    const made = await info('crs=EPSG:3857&bbox=-78,24,-77,25')
    assert.match(made.coordinateSystem.wkt, /Pseudo-Mercator/)
    const path = join(folder, 'own.tif')
    const [west, south, east, north] = [-8682920.28, 2753408.11, -8571600.79, 2875744.62]
    const extent = ['-te', west, south, east, north].map(String)
    warpRaster(source, path, ['-t_srs', 'EPSG:3857', '-r', 'near', ...extent])
    assert.deepEqual(made.size, infoOf(path).size)
    assert.match(String((await ask('crs=EPSG:3857')).headers['terrane-losses']), /another grid/)
  })

  it('are refused where there is nothing to be had', async (test) => {
    const { ask } = await serve(test)
    for (const query of ['f=gpkg', 'bbox=10,10,11,11', 'bbox=170,-10,-170,10', 'properties=a', 'version=1'])
      assert.equal((await ask(query)).statusCode, 400, query)
  })
})
