import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { findProgram } from '../core/process/process.ts'
import type { CrsDeclaration } from './crs.ts'
import { crsCandidates } from './crs-candidates.ts'
import { findCrsFor } from './crs-detection/find-crs.ts'
import { programText } from './crs-program-text.ts'
import { createReprojector } from './crs-reproject.ts'
import { findUncodedCrs, labelOfCrs } from './crs-uncoded.ts'

const needsGdal = { skip: (await findProgram('gdaltransform')) === undefined }

const datums = {
  ETRS89: 'DATUM["European_Terrestrial_Reference_System_1989",SPHEROID["GRS 1980",6378137,298.257222101]]',
  DHDN: 'DATUM["Deutsches_Hauptdreiecksnetz",SPHEROID["Bessel 1841",6377397.155,299.1528128],TOWGS84[598.1,73.7,418.2,0.202,0.045,-2.455,6.7]]',
  esri: 'DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]]',
  own: 'DATUM["Survey of the valley",SPHEROID["Hayford",6378388,297],TOWGS84[-87,-98,-121]]',
}

const projections = [
  ['Transverse_Mercator', { latitude_of_origin: 47.3, central_meridian: 11.7, scale_factor: 0.99997 }],
  [
    'Lambert_Conformal_Conic_2SP',
    { latitude_of_origin: 46, central_meridian: 10.4, standard_parallel_1: 48.2, standard_parallel_2: 44.1 },
  ],
  [
    'Albers_Conic_Equal_Area',
    { latitude_of_center: 40, longitude_of_center: 9, standard_parallel_1: 43, standard_parallel_2: 62 },
  ],
  ['Lambert_Azimuthal_Equal_Area', { latitude_of_center: 51, longitude_of_center: 11 }],
  ['Polyconic', { latitude_of_origin: 45, central_meridian: 12 }],
] as const

function definition(datum: string, [method, parameters]: (typeof projections)[number], unit: number): string {
  const texts = Object.entries(parameters).map(([name, value]) => `PARAMETER["${name}",${value}]`)
  const offsets = 'PARAMETER["false_easting",123456.7],PARAMETER["false_northing",-76543.2]'
  return `PROJCS["Grid of the valley",GEOGCS["base",${datum},PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["${method}"],${texts.join(',')},${offsets},UNIT["unit",${unit}]]`
}

/** Points by GDAL, which takes them through PROJ. */
function byGdal(from: string, to: string, points: Float64Array): number[][] {
  const lines = Array.from({ length: points.length / 3 }, (_, at) =>
    points.subarray(at * 3, at * 3 + 3).join(' '),
  )
  const output = execFileSync('gdaltransform', ['-s_srs', from, '-t_srs', to], { input: lines.join('\n') })
  return output
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
}

describe('a CRS without a code', () => {
  it('is transformed as PROJ does it, with GDAL and without', needsGdal, async () => {
    const grid = [0, 35_000, 210_000].flatMap((x) => [-40_000, 1234.5, 187_000].flatMap((y) => [x, y, 0]))
    for (const [number, [name, datum]] of Object.entries(datums).entries())
      for (const [at, projection] of projections.entries()) {
        if ((at + number) % 2 === 1) continue
        const wkt = definition(datum, projection, at % 2 === 0 ? 1 : 0.3048006096012192)
        assert.ok(findUncodedCrs({ wkt }), wkt)
        const expected = byGdal(wkt, 'EPSG:4326', Float64Array.from(grid))
        for (const options of [{ prefersPrograms: true }, { canUsePrograms: false }]) {
          const points = Float64Array.from(grid)
          const reprojector = await createReprojector({ wkt }, 'EPSG:4326', options).catch(() => undefined)
          // Only PROJ can transform an unnamed datum without a shift.
          if (reprojector === undefined) continue
          await reprojector.transform(points)
          await reprojector.close()
          for (const [row, [x = Number.NaN, y = Number.NaN]] of expected.entries()) {
            const off = Math.hypot((points[row * 3] ?? 0) - x, (points[row * 3 + 1] ?? 0) - y)
            assert.ok(
              off < (options.prefersPrograms ? 1e-12 : 1e-8),
              `${name} ${projection[0]} ${JSON.stringify(options)}: ${off} degrees`,
            )
          }
        }
      }
  })

  it('stands first among the candidates, with codes that say nearly the same alone', () => {
    const wkt = definition(datums.ETRS89, ['Transverse_Mercator', utm(9, 0.99961)] as never, 1).replace(
      /PARAMETER\["false_easting".*?\],PARAMETER\["false_northing".*?\]/,
      'PARAMETER["false_easting",500000],PARAMETER["false_northing",0]',
    )
    const envelope = { minX: 480_000, minY: 5_600_000, maxX: 520_000, maxY: 5_640_000 }
    const place = {
      label: 'layer topp:beside',
      boxes: [[13, 52, 14, 53] as [number, number, number, number]],
    }
    const { candidates, needsPlace } = findCrsFor({ declaration: { wkt }, envelope, places: [place] })
    const [first, second, ...rest] = candidates
    assert.deepEqual(
      [first?.srs, first?.wkt, first?.evidence, first?.name],
      [null, wkt, 'declared by the file', 'Grid of the valley'],
    )
    assert.equal(first?.falls?.map(Math.round).join(), '9,51,9,51')
    assert.equal(second?.srs, 'EPSG:25832')
    assert.ok(
      [second, ...rest].every((one) => (one?.confidence ?? 1) <= 0.5),
      JSON.stringify(candidates),
    )
    assert.ok(rest.every((one) => one.srs !== 'EPSG:25833' && one.srs !== 'EPSG:4326'))
    assert.equal(needsPlace, false)
  })

  it('has no other candidates where its numbers contradict it', () => {
    const declaration = { wkt: definition(datums.esri, projections[1], 1) }
    const degrees = { minX: 7, minY: 47, maxX: 8, maxY: 48 }
    assert.deepEqual(
      crsCandidates(declaration, degrees).map(({ srs }) => srs),
      [null],
    )
    const found = findCrsFor({ declaration, envelope: degrees, places: [] })
    assert.deepEqual(
      found.candidates.map(({ srs }) => srs),
      [null],
    )
  })

  it('is none where the text defines none, or a code is known', () => {
    const none: CrsDeclaration[] = [
      {},
      { srs: 'EPSG:25832' },
      { srs: 'EPSG:999999' },
      { wkt: 'undefined' },
      { wkt: '' },
      { wkt: 'a'.repeat(300_000) },
      { projjson: '{}' },
      { proj4: '+proj=pipeline' },
    ]
    for (const crs of none) assert.equal(findUncodedCrs(crs), undefined, JSON.stringify(crs).slice(0, 100))
    assert.equal(labelOfCrs({ wkt: definition(datums.own, projections[0], 1) }), '"Grid of the valley"')
    assert.equal(labelOfCrs({ srs: 'EPSG:25832' }), 'EPSG:25832')
  })

  it('is given to programs only where it can name no file and no address', () => {
    const safe = definition(datums.own, projections[0], 1)
    assert.equal(programText({ wkt: safe }), safe)
    assert.equal(programText({ srs: 'epsg:25832', wkt: safe }), 'EPSG:25832')
    const bad = [
      '/etc/passwd',
      'http://127.0.0.1/x.wkt',
      safe.replace('UNIT["unit"', 'EXTENSION["PROJ4","+proj=merc +nadgrids=/etc/passwd"],UNIT["unit"'),
      safe.replace('Transverse_Mercator', 'PROJ-based operation method: +proj=tmerc +nadgrids=/etc/passwd'),
    ]
    for (const wkt of bad) assert.equal(programText({ wkt }), undefined, wkt)
    assert.equal(programText({ projjson: '{"type":"ProjectedCRS","value":"grid.gsb"}' }), undefined)
    assert.equal(programText({ projjson: '{"name":"PROJ +proj=x"}' }), undefined)
    assert.equal(programText({ proj4: '+proj=tmerc +nadgrids=/etc/passwd' }), undefined)
  })
})

function utm(meridian: number, scale: number) {
  return { latitude_of_origin: 0, central_meridian: meridian, scale_factor: scale }
}
