import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import type { Filter } from '../../../src/filters/filter.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { seededNumbers } from '../../support/seeded-numbers.ts'
import { openServedFile, untilIndexed } from '../../support/served-file.ts'
import { loadFile } from '../../support/stored-file.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { ask } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

const count = 1500
/** In longitude and latitude; the last two lie nowhere. */
const shapes = makeShapes()
/** The CRS of layers, and metres in a unit of them. */
const systems = { 4326: undefined, 3035: 1, 2278: 1200 / 3937 } as const
/** Texas, where feet are used, and Europe. */
const middles: Record<string, [number, number]> = { 4326: [11, 52], 3035: [11, 52], 2278: [-96.5, 29] }
const far = [
  ['0', 'meters'],
  ['700', 'meters'],
  ['12.5', 'kilometers'],
  ['20000', 'feet'],
  ['30', 'statute miles'],
  ['15', 'nautical miles'],
] as const
const metresOf: Record<string, number> = {
  meters: 1,
  kilometers: 1000,
  feet: 0.3048,
  'statute miles': 1609.344,
  'nautical miles': 1852,
}

function makeShapes(): string[] {
  const random = seededNumbers(7)
  const place = (): [number, number] => [(random() - 0.5) * 1.4, random() - 0.5]
  const made = Array.from({ length: count }, (_, n) => {
    const [x, y] = place()
    const size = random() * 0.1
    const at = (dx: number, dy: number): string => `${x + dx * size} ${y + dy * size}`
    const ring = `${at(0, 0)},${at(1, 0.2)},${at(0.8, 1)},${at(0, 0)}`
    if (n % 3 === 0) return `POINT(${at(0, 0)})`
    if (n % 3 === 1) return `LINESTRING(${at(0, 0)},${at(1, -1)},${at(2, 1)})`
    return `POLYGON((${ring}))`
  })
  return [...made, 'POINT EMPTY', '']
}

describe('filters of distances', needsGdal, () => {
  let server: TestApp
  let folder: string
  let database: string
  const cleanups: (() => unknown)[] = []
  before(async () => {
    server = await createTestApp()
    await addVersionStores(server)
    database = await fileDatabase()
    folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    for (const code of Object.keys(systems)) {
      const [x, y] = middles[code] ?? [0, 0]
      const csv = join(folder, `${code}.csv`)
      writeFileSync(csv, ['n,wkt', ...shapes.map((wkt, n) => `${n},"${moved(wkt, x, y)}"`)].join('\n'))
      const read = [
        '-oo',
        'GEOM_POSSIBLE_NAMES=wkt',
        '-oo',
        'KEEP_GEOM_COLUMNS=NO',
        '-oo',
        'AUTODETECT_TYPE=YES',
      ]
      const into = ['-s_srs', 'EPSG:4326', '-t_srs', `EPSG:${code}`, '-nln', `of_${code}`]
      await runProgram('ogr2ogr', [join(folder, `${code}.gpkg`), csv, ...read, ...into])
    }
    for (const store of ['file', 'table'])
      for (const code of Object.keys(systems))
        await loadFile(server, join(folder, `${code}.gpkg`), { store, name: `${store}_${code}` })
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  function moved(wkt: string, x: number, y: number): string {
    return wkt.replace(/(-?[\d.e-]+) (-?[\d.e-]+)/g, (_, a, b) => `${Number(a) + x} ${Number(b) + y}`)
  }

  /** The numbers of the features that WFS gives. */
  async function found(layer: string, query: Record<string, string>): Promise<Set<number>> {
    const all = { service: 'WFS', version: '2.0.0', request: 'GetFeature', typeNames: `default:${layer}` }
    const parameters = new URLSearchParams({
      ...all,
      outputFormat: 'application/json',
      count: '10000',
      ...query,
    })
    const { status, json, text } = await ask(server, 'GET', `/wfs?${parameters}`)
    assert.equal(status, 200, text)
    const { features } = json as unknown as { features: { properties: { n: number } }[] }
    return new Set(features.map(({ properties }) => properties.n))
  }

  /** Returns the distance in metres from a geometry in the CRS of the layer, for each row with a geometry. */
  async function distances(code: string, wkt: string): Promise<Map<number, number>> {
    const [x, y] = middles[code] ?? [0, 0]
    const rows = shapes
      .slice(0, count)
      .map((shape, n) => `(${n}, ST_GeomFromText('${moved(shape, x, y)}', 4326))`)
    const unit = systems[Number(code) as keyof typeof systems]
    const fixed = `ST_GeomFromText('${wkt}', ${code})`
    // Lines are straight in degrees, not on the ellipsoid.
    const metres =
      unit === undefined
        ? `ST_Distance(ST_Segmentize(geom, 0.01)::geography, ST_Segmentize(${fixed}, 0.01)::geography)`
        : `ST_Distance(ST_Transform(geom, ${code}), ${fixed}) * ${unit}`
    const answer = await runSql(
      database,
      `select n, ${metres} as metres from (values ${rows.join()}) as t(n, geom)`,
    )
    return new Map(answer.map((row) => [Number(row['n']), Number(row['metres'])]))
  }

  for (const code of Object.keys(systems))
    it(`agree with PostGIS, in units of all kinds: EPSG:${code}`, async () => {
      const [x, y] = middles[code] ?? [0, 0]
      const unit = systems[Number(code) as keyof typeof systems]
      for (const shape of [
        'POINT(0.1 0.05)',
        'LINESTRING(-0.5 -0.3,0.2 0.1,0.6 0.1)',
        'POLYGON((-0.2 -0.1,0.1 -0.1,0.1 0.1,-0.2 -0.1))',
        'MULTIPOINT(-0.5 0,0.5 0)',
      ]) {
        const [{ wkt } = {}] = await runSql(
          database,
          `select ST_AsText(ST_Transform(ST_GeomFromText('${moved(shape, x, y)}', 4326), ${code}), 9) as wkt`,
        )
        const metres = await distances(code, String(wkt))
        for (const [distance, name] of far) {
          const most = Number(distance) * (metresOf[name] ?? 0)
          const filter = `the_geom, ${wkt}, ${distance}, ${name}`
          const answers = await Promise.all(
            ['file', 'table'].map((store) => found(`${store}_${code}`, { cql_filter: `DWITHIN(${filter})` })),
          )
          assert.deepEqual(answers[0], answers[1], filter)
          // In degrees it is measured around the middle of the geometry.
          const allowed = unit === undefined ? 0.008 : 1e-6
          for (const [n, far] of metres)
            if (Math.abs(far - most) > Math.max(most, 1) * allowed)
              assert.equal(answers[0]?.has(n), far <= most, `${filter}: ${n} at ${far}`)
          const beyond = await found(`file_${code}`, { cql_filter: `BEYOND(${filter})` })
          assert.equal(beyond.size + (answers[0]?.size ?? 0), count + 1, 'each but what has no geometry')
          assert.deepEqual(beyond, await found(`table_${code}`, { cql_filter: `BEYOND(${filter})` }))
        }
      }
    })

  it('are the same in Filter Encoding, on maps and in degrees', async () => {
    const gml = (uom: string, version: string): string =>
      version === '2.0'
        ? `<fes:Filter xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"><fes:DWithin><fes:ValueReference>geom</fes:ValueReference><gml:Point srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>52.05 11.1</gml:pos></gml:Point><fes:Distance uom="${uom}">12.5</fes:Distance></fes:DWithin></fes:Filter>`
        : `<Filter xmlns:gml="http://www.opengis.net/gml"><Beyond><PropertyName>geom</PropertyName><gml:Point srsName="EPSG:4326"><gml:pos>11.1 52.05</gml:pos></gml:Point><Distance units="${uom}">12.5</Distance></Beyond></Filter>`
    for (const layer of ['file_4326', 'table_4326', 'file_3035', 'table_3035']) {
      const within = await found(layer, { filter: gml('km', '2.0') })
      assert.ok(within.size > 20 && within.size < count / 2, `${layer}: ${within.size}`)
      for (const uom of ['urn:ogc:def:uom:EPSG::9036', 'http://www.opengis.net/def/uom/EPSG/0/9036'])
        assert.deepEqual(await found(layer, { filter: gml(uom, '2.0') }), within)
      const beyond = await found(layer, {
        filter: gml('kilometre', '1.1'),
        version: '1.1.0',
        typeName: `default:${layer}`,
      })
      assert.equal(beyond.size + within.size, count + 1)
    }
    const degrees = 'DWITHIN(the_geom, POINT(11.1 52.05), 0.2, degrees)'
    const near = await found('file_4326', { cql_filter: degrees })
    assert.deepEqual(near, await found('table_4326', { cql_filter: degrees }))
    assert.ok(near.size > 20)
    const flat = join(folder, 'flat.fgb')
    await runProgram('ogr2ogr', [flat, join(folder, '4326.gpkg'), '-nln', 'flat'])
    const served = openServedFile(
      { after: (cleanup) => void cleanups.push(cleanup as () => unknown) },
      'FlatGeobuf',
      flat,
    )
    await untilIndexed(served, 'flat')
    const wkb = Buffer.concat([
      Buffer.from([1, 1, 0, 0, 0]),
      Buffer.from(Float64Array.of(11.1, 52.05).buffer),
    ])
    const filter: Filter = { kind: 'near', wkb, reach: { distance: 0.2, unit: 'scaled', scale: [1, 1] } }
    assert.equal(await served.count({ table: 'flat', filter }, new AbortController().signal), near.size)
  })

  it('hold for geometries without a place, at the poles and for any distance', async () => {
    for (const code of Object.keys(systems)) {
      const [x, y] = code === '4326' ? [11, 52] : [4_321_000, 3_210_000]
      for (const [filter, expected] of [
        ['DWITHIN(geom, POINT EMPTY, 1000, kilometers)', 0],
        ['BEYOND(geom, POLYGON EMPTY, 1000, kilometers)', count + 1],
        [`DWITHIN(geom, POINT(${x} ${y}), 1e300, meters)`, count],
        [`DWITHIN(geom, POINT(${x} ${y}), 1e308, kilometers)`, count],
        ['DWITHIN(geom, POINT(0 90), 20000, kilometers)', count],
        ['BEYOND(geom, POINT(0 -90), 0, meters)', count + 1],
      ] as const)
        for (const store of ['file', 'table'])
          assert.equal(
            (await found(`${store}_${code}`, { cql_filter: filter })).size,
            expected,
            `${store}_${code} ${filter}`,
          )
    }
  })

  it('are refused with what is wrong', async () => {
    const line = Array.from({ length: 1100 }, (_, n) => `${n / 1000} 52`).join()
    for (const [filter, words] of [
      ['DWITHIN(geom, POINT(11 52), 10, parsecs)', /no unit that is known/],
      ['DWITHIN(geom, POINT(11 52), 10)', /no unit that is known/],
      ['DWITHIN(geom, POINT(11 52), -1, meters)', /not a number from 0/],
      ['DWITHIN(n, POINT(11 52), 1, meters)', /between the geometry and one that is written/],
      ['DWITHIN(geom, geom, 1, meters)', /is not a geometry/],
      ['DWITHIN(geom, POINT(11 52), 1, meters, 2)', /between the geometry and one that is written/],
      [`DWITHIN(geom, LINESTRING(${line}), 1, meters)`, /at most 1000 vertices/],
    ] as const) {
      const parameters = new URLSearchParams({ cql_filter: filter })
      const url = '/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=default:file_4326'
      const { status, text } = await ask(server, 'GET', `${url}&${parameters}`)
      assert.equal(status, 400, text)
      assert.match(text, words, filter)
    }
    const inMetres = await ask(
      server,
      'GET',
      `/wfs?${new URLSearchParams({ service: 'WFS', version: '2.0.0', request: 'GetFeature', typeNames: 'default:file_3035', cql_filter: 'DWITHIN(geom, POINT(4321000 3210000), 1, degrees)' })}`,
    )
    assert.equal(inMetres.status, 400)
    assert.match(inMetres.text, /in degrees, in which the collection is not/)
  })
})
