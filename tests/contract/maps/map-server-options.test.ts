import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { CachedMapFiles } from '../../../src/render/mapserver/cached-map-files.ts'
import type { MapFileLayer } from '../../../src/render/mapserver/map-file.ts'
import { mapFileText, partNames, projectionOf } from '../../../src/render/mapserver/map-file.ts'
import { MapServer } from '../../../src/render/mapserver/map-server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { patienceMs } from '../../support/until.ts'

const stations = join(import.meta.dirname, '..', '..', 'fixtures', 'geopackage', 'stations.gpkg')
const signal = AbortSignal.timeout(patienceMs)

/** Draws a map from a GDAL connection that no map file of the server contains. */
async function drawn(
  files: CachedMapFiles,
  server: MapServer,
  connection: string,
  data: string,
): Promise<Buffer> {
  const classes = ['CLASS STYLE COLOR 255 0 0 SIZE 4 END END']
  const source = {
    projection: projectionOf('EPSG:4326'),
    lines: () => ['CONNECTIONTYPE OGR', `CONNECTION "${connection}"`, `DATA "${data}"`],
  }
  const layers: MapFileLayer[] = [{ source, parts: [{ type: 'POINT', unit: 'pixel', columns: [], classes }] }]
  const mapFile = await files.keep(mapFileText(layers, 'EPSG:4326', files.folder), 'map')
  const query = new URLSearchParams({
    SERVICE: 'WMS',
    VERSION: '1.1.1',
    REQUEST: 'GetMap',
    STYLES: '',
    FORMAT: 'image/png',

    LAYERS: partNames(layers).join(','),
    SRS: 'EPSG:4326',
    BBOX: '-180,-90,180,90',
    WIDTH: '64',
    HEIGHT: '32',
  })
  return server.draw({ mapFile, query: query.toString() }, { resource: '', isHeavy: false, signal })
}

describe('GDAL in MapServer', () => {
  it('has its options while a request is answered: it asks no other server, and loads no functions that nobody needs', async (t) => {
    const files = new CachedMapFiles(join(temporaryData(t), 'drawings'))
    const server = new MapServer(files, { onError: () => undefined })
    t.after(() => server.close())
    assert.equal(await server.missing(), undefined)
    let requested = 0
    const remote = createServer((_request, reply) => {
      requested += 1
      reply.writeHead(404).end()
    })
    await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
    t.after(() => remote.close())
    const { port } = remote.address() as AddressInfo
    const plain = await drawn(files, server, stations, 'SELECT geom FROM stazioni_metropolitana')
    assert.equal(plain.toString('latin1', 1, 4), 'PNG')
    const withFunction = 'SELECT geom FROM stazioni_metropolitana WHERE spatialite_version() IS NOT NULL'
    await assert.rejects(drawn(files, server, stations, withFunction))
    await assert.rejects(drawn(files, server, `/vsicurl/http://127.0.0.1:${port}/x.gpkg`, 'SELECT * FROM x'))
    assert.equal(requested, 0)
  })
})
