import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { convertedVector } from '../../support/gdal-session.ts'
import { testCluster } from '../../support/postgres.ts'
import type { Qgis } from '../../support/qgis.ts'
import { startQgis } from '../../support/qgis.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'

const run = promisify(execFile)
const versions = ['1.1.0', '2.0.0']

/** Filters on the countries in the SQL dialect of GDAL, which QGIS also reads. */
const conditions = [
  '"POP_EST" > 50000000',
  '"POP_EST" >= 1000000 AND "POP_EST" < 1500000',
  '"NAME" <> \'Germany\' AND "POP_EST" > 80000000',
  '"NAME" LIKE \'G%\'',
  '"NAME" LIKE \'%land\' OR "NAME" LIKE \'_eru\'',
  "\"NAME\" IN ('Peru', 'Chad', 'Côte d''Ivoire', 'nowhere')",
  'NOT ("MAPCOLOR7" = 1 OR "MAPCOLOR7" = 2) AND "POP_EST" > 40000000',
  '"MAPCOLOR7" IN (3, 4) AND ("NAME" LIKE \'S%\' OR "NAME" = \'Oman\')',
]

/** The same kinds of filters built with OWSLib, for both versions, each with its condition. */
const owslib = `
import html, json, re, sys
from owslib import fes, fes2
from owslib.wfs import WebFeatureService
from owslib.etree import etree
told = {}
for version, kit in (('1.1.0', fes), ('2.0.0', fes2)):
    wfs = WebFeatureService(sys.argv[1], version=version)
    filters = {
        '"POP_EST" > 50000000': kit.PropertyIsGreaterThan('POP_EST', '50000000'),
        '"POP_EST" >= 1000000 AND "POP_EST" <= 1500000': kit.PropertyIsBetween('POP_EST', '1000000', '1500000'),
        '"NAME" = \\'Germany\\'': kit.PropertyIsEqualTo('NAME', 'Germany'),
        '"NAME" LIKE \\'G%\\'': kit.PropertyIsLike('NAME', 'G%', wildCard='%', singleChar='_', escapeChar='!'),
        '"NAME" LIKE \\'G%\\' AND "POP_EST" > 10000000': kit.And([kit.PropertyIsLike('NAME', 'G*', wildCard='*', singleChar='.', escapeChar='!'), kit.PropertyIsGreaterThan('POP_EST', '10000000')]),
        '"NAME" = \\'Peru\\' OR "NAME" = \\'Chad\\'': kit.Or([kit.PropertyIsEqualTo('NAME', 'Peru'), kit.PropertyIsEqualTo('NAME', 'Chad')]),
        'NOT "POP_EST" > 100000': kit.Not([kit.PropertyIsGreaterThan('POP_EST', '100000')]),
    }
    for asked, one in filters.items():
        newer = kit is fes2
        holder = etree.Element('{http://www.opengis.net/%s}Filter' % ('fes/2.0' if newer else 'ogc'))
        holder.append(one.toXML())
        # By GET it sends the filter of 2.0 under another name.
        sent = dict(filter=holder, method='Post') if newer else dict(filter=etree.tostring(holder).decode())
        text = wfs.getfeature(typename=['default:countries'], **sent).read().decode()
        told[version + ' ' + asked] = sorted(html.unescape(name) for name in re.findall('<default:NAME>([^<]*)<', text))
print(json.dumps(told))`

describe('filters as other programs write them, out of PostGIS', () => {
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

  /** The names of the countries that GDAL finds. */
  const namesByGdal = (where: string, from: string, ...layers: string[]): string[] => {
    const options = ['-f', 'GeoJSON', '-select', 'NAME', '-where', where, ...layers]
    const { features } = JSON.parse(convertedVector(from, options)) as {
      features: { properties: { NAME: string } }[]
    }
    return features.map(({ properties }) => properties.NAME).sort()
  }
  const known = new Map<string, string[]>()
  const inFile = (where: string): string[] => {
    const found = known.get(where) ?? namesByGdal(where, join(server.sources, 'countries.geojson'))
    known.set(where, found)
    return found
  }

  it('find what GDAL finds in the file: WFS and OGC API Features by GDAL', () => {
    for (const where of conditions) {
      const expected = inFile(where)
      assert.ok(expected.length > 0, where)
      for (const version of versions) {
        const address = `WFS:${server.url}/wfs?VERSION=${version}`
        assert.deepEqual(namesByGdal(where, address, 'default:countries'), expected, `${version} ${where}`)
      }
      const collection = `OAPIF:${server.url}/ogc/collections/default:countries`
      assert.deepEqual(namesByGdal(where, collection), expected, `OAPIF ${where}`)
    }
  })

  it('find the same by QGIS', async () => {
    for (const where of conditions) {
      const expected = inFile(where)
      const filter = where.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
      for (const version of versions) {
        const uri = `srsname='EPSG:4326' typename='default:countries' url='${server.url}/wfs' version='${version}' filter='${filter}'`
        const request = { do: 'features', kind: 'WFS', uri, names: ['NAME'] }
        const { rows } = await qgis.ask<{ rows: string[][] }>(request)
        assert.deepEqual(rows.flat().sort(), expected, `${version} ${where}`)
      }
    }
  })

  it('find the same by OWSLib', async () => {
    const { stdout } = await run('/usr/bin/python3', ['-c', owslib, `${server.url}/wfs`])
    const reported = Object.entries(JSON.parse(stdout) as Record<string, string[]>)
    assert.equal(reported.length, 14)
    for (const [requested, names] of reported)
      assert.deepEqual(names, inFile(requested.slice(requested.indexOf(' ') + 1)), requested)
  })
})
