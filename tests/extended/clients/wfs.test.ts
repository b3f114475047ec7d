import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { testCluster } from '../../support/postgres.ts'
import type { Qgis } from '../../support/qgis.ts'
import { startQgis } from '../../support/qgis.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'
import { userAndPassword } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const run = promisify(execFile)
const versions = ['1.1.0', '2.0.0']

/**
 * Requests with OWSLib in both versions: the capabilities, features as GML and GeoJSON, and one by a stored
 * query.
 */
const owslib = `
import json, sys
from owslib.wfs import WebFeatureService
told = {}
for version in ('1.1.0', '2.0.0'):
    wfs = WebFeatureService(sys.argv[1], version=version)
    layer = wfs['default:countries']
    found = json.loads(wfs.getfeature(typename='default:countries', bbox=(5, 47, 15, 55, 'EPSG:4326'), outputFormat='application/json', maxfeatures=100).read())
    told[version] = dict(
        layers=sorted(wfs.contents),
        box=layer.boundingBoxWGS84,
        crs=layer.crsOptions[0].getcodeurn(),
        operations=sorted(operation.name for operation in wfs.operations),
        schema=wfs.get_schema('default:states')['properties'],
        found=sorted(one['properties']['NAME'] for one in found['features']),
        gml=wfs.getfeature(typename='default:states', maxfeatures=3).read().decode().count('</default:states>'),
    )
wfs = WebFeatureService(sys.argv[1], version='2.0.0')
told['2.0.0']['stored'] = [query.id for query in wfs.storedqueries]
told['2.0.0']['byId'] = wfs.getfeature(storedQueryID='urn:ogc:def:query:OGC-WFS::GetFeatureById', storedQueryParams={'ID': 'states.3'}).read().decode().count('</default:states>')
told['2.0.0']['values'] = wfs.getpropertyvalue(typename='default:states', valuereference='name', method='Get').decode().count('</wfs:member>')
print(json.dumps(told))
`

interface ClientReport {
  layers: string[]
  box: number[]
  crs: string
  operations: string[]
  schema: Record<string, string>
  found: string[]
  gml: number
  stored?: string[]
  byId?: number
  values?: number
}

interface ReadFeature {
  values: string
  ordinates: number[]
}

interface Feature {
  properties: Record<string, unknown>
  geometry: { type: string; coordinates: unknown } | null
}

describe('WFS in the programs of others, out of PostGIS', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let qgis: Qgis
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    const database = await (await testCluster()).createDatabase()
    server = await serveMaps(cleanup, { TERRANE_DATABASE_URL: database })
    qgis = startQgis(cleanup)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  /** Features as GDAL reads them, in the order of their values. */
  const readByGdal = async (...options: string[]): Promise<ReadFeature[]> => {
    const { stdout } = await run('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', ...options], {
      maxBuffer: 256 << 20,
    })
    const { features } = JSON.parse(stdout) as { features: Feature[] }
    const read = features.map(({ properties: { gml_id: _, ...properties }, geometry }) => {
      const reported = Object.entries(properties).filter(([, value]) => value !== null && value !== '')
      const ordinates = ([geometry?.coordinates] as unknown[]).flat(6).map(Number)
      return { values: JSON.stringify(reported.sort()), ordinates: geometry === null ? [] : ordinates }
    })
    return read.sort((a, b) => (a.values < b.values ? -1 : 1))
  }

  const sources = {
    countries: 'countries.geojson',
    states: 'states.shp',
    places: 'places.geojson',
    europe: 'europe.gpkg',
  }

  for (const version of versions)
    it(`is read by GDAL as the files are, in pages too: ${version}`, async () => {
      for (const [layer, file] of Object.entries(sources)) {
        const expected = await readByGdal(join(server.sources, file))
        const address = `WFS:${server.url}/wfs?VERSION=${version}`
        assertSame(await readByGdal(address, `default:${layer}`), expected, layer)
        const paged = ['--config', 'OGR_WFS_PAGING_ALLOWED', 'YES', '--config', 'OGR_WFS_PAGE_SIZE', '50']
        assertSame(await readByGdal(...paged, address, `default:${layer}`), expected, `${layer} in pages`)
      }
    })

  it('is found by a box in GDAL', async () => {
    const box = ['-spat', '5', '47', '15', '55']
    const expected = await readByGdal(...box, join(server.sources, 'countries.geojson'))
    assert.ok(expected.length > 5)
    for (const version of versions)
      assertSame(
        await readByGdal(...box, `WFS:${server.url}/wfs?VERSION=${version}`, 'default:countries'),
        expected,
        version,
      )
  })

  it('is filtered by GDAL and QGIS, which leave that to the server', async () => {
    const where = "POP_EST > 50000000 AND NAME LIKE 'G%'"
    const expected = await readByGdal('-where', where, join(server.sources, 'countries.geojson'))
    assert.ok(expected.length > 0)
    for (const version of versions) {
      const address = `WFS:${server.url}/wfs?VERSION=${version}`
      assertSame(await readByGdal('-where', where, address, 'default:countries'), expected, version)
      const filter = `"POP_EST" > 50000000 AND "NAME" LIKE 'G%'`
      const uri = `srsname='EPSG:4326' typename='default:countries' url='${server.url}/wfs' version='${version}' filter='${filter.replaceAll("'", "\\'")}'`
      const request = { do: 'features', kind: 'WFS', uri, names: ['NAME'] }
      const { rows } = await qgis.ask<{ rows: string[][] }>(request)
      assert.deepEqual(rows.flat().sort(), ['Germany'])
    }
  })

  for (const version of versions)
    it(`is read by QGIS, page by page: ${version}`, async () => {
      for (const [layer, srs] of [
        ['countries', 'EPSG:4326'],
        ['europe', 'EPSG:3035'],
      ] as const) {
        const file = join(server.sources, sources[layer])
        const names = ['NAME', 'POP_EST', 'MAPCOLOR7']
        const uri = `pagingEnabled='true' pageSize='20' srsname='${srs}' typename='default:${layer}' url='${server.url}/wfs' version='${version}'`
        const read = (kind: string, one: string) =>
          qgis.ask<{ count: number; rows: string[][] }>({ do: 'features', kind, uri: one, names })
        const [ours, theirs] = [await read('WFS', uri), await read('ogr', file)]
        assert.equal(ours.count, theirs.count)
        assert.deepEqual(ours.rows.map(String).sort(), theirs.rows.map(String).sort())
      }
    })

  it('is read by OWSLib', async () => {
    const { stdout } = await run('/usr/bin/python3', ['-c', owslib, `${server.url}/wfs`])
    for (const [version, report] of Object.entries(JSON.parse(stdout) as Record<string, ClientReport>)) {
      assert.ok(
        report.layers.includes('default:europe') && !report.layers.includes('default:secret'),
        version,
      )
      assert.deepEqual(
        report.box.map((one) => Math.round(one)),
        [-180, -90, 180, 84],
      )
      assert.equal(report.crs, 'urn:ogc:def:crs:EPSG::4326')
      for (const name of ['GetCapabilities', 'DescribeFeatureType', 'GetFeature'])
        assert.ok(report.operations.includes(name))
      assert.equal(report.schema['name'], 'string')
      assert.ok(report.found.includes('Germany') && !report.found.includes('Spain'), String(report.found))
      assert.equal(report.gml, 3)
      if (version === '1.1.0') continue
      assert.deepEqual(report.stored, ['urn:ogc:def:query:OGC-WFS::GetFeatureById'])
      assert.equal(report.byId, 1)
      assert.ok(report.operations.includes('GetPropertyValue'))
      assert.equal(report.values, (await readByGdal(join(server.sources, 'states.shp'))).length)
    }
  })

  it('answers the commands of its document', async (t) => {
    const folder = temporaryData(t)
    const password = userAndPassword.slice('admin:'.length)
    const commands = blockAt('docs/wfs.md > WFS > sh 1').replaceAll('http://127.0.0.1:8080', server.url)
    const { code, stdout, stderr } = await runCommands(commands, { PASSWORD: password }, folder)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /<WFS_Capabilities version="2.0.0"/)
    assert.equal(stdout.match(/<wfs:member><default:name>[^<]+<\/default:name><\/wfs:member>/g)?.length, 3)
    assert.match(stdout, /^id,.*,WKT\r$/m)
    assert.match(readFileSync(join(folder, 'states.gml'), 'utf8'), /<wfs:FeatureCollection /)
    // The states of this server are served from a file, which cannot be edited.
    const transaction = blockAt('docs/wfs.md > Transactions > sh 1')
      .replaceAll('http://127.0.0.1:8080', server.url)
      .replaceAll('states', 'places')
    const edited = await runCommands(transaction, { PASSWORD: password }, folder)
    assert.match(edited.stdout, /<wfs:totalUpdated>1</, edited.stdout + edited.stderr)
  })
})

/** GDAL reads GML to 15 digits. */
function assertSame(read: ReadFeature[], expected: ReadFeature[], where: string): void {
  assert.deepEqual(
    read.map(({ values }) => values),
    expected.map(({ values }) => values),
    where,
  )
  for (const [at, { values, ordinates }] of expected.entries()) {
    const found = read[at]?.ordinates ?? []
    assert.equal(found.length, ordinates.length, `${where} ${values}`)
    const isNear = ordinates.every(
      (one, place) => Math.abs(one - (found[place] ?? 0)) <= 1e-12 * Math.abs(one) + 1e-12,
    )
    assert.ok(isNear, `${where} ${values}`)
  }
}
