import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crsDeclarations } from '../../tests/support/crs-declarations.ts'
import { isSameCrs } from './crs-same.ts'

const esri25832 =
  'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]'

/** A county's own Lambert projection, which has no code. */
function county(name: string, parallel = 38.5, method = 'Lambert_Conformal_Conic_2SP'): string {
  return `PROJCS["${name}",GEOGCS["NAD83",DATUM["North_American_Datum_1983",SPHEROID["GRS 1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["${method}"],PARAMETER["latitude_of_origin",37],PARAMETER["central_meridian",-100.1],PARAMETER["standard_parallel_1",${parallel}],PARAMETER["standard_parallel_2",37.5],PARAMETER["false_easting",1000],PARAMETER["false_northing",0],UNIT["metre",1]]`
}

const local = (shift: string): string =>
  `+proj=tmerc +lat_0=1 +lon_0=12.3 +k=1 +x_0=5 +y_0=0 +ellps=bessel ${shift} +units=m`

describe('isSameCrs', () => {
  it('holds for every dialect of a code, and not for another code', () => {
    for (const { srs, kind, declaration } of crsDeclarations) {
      assert.ok(isSameCrs(declaration, srs), `${srs} as ${kind}`)
      assert.ok(isSameCrs(srs, declaration), `${kind} as ${srs}`)
      assert.ok(isSameCrs(declaration, { ...declaration, srs }), `${srs} with its code`)
      assert.ok(!isSameCrs(declaration, 'EPSG:2037'), `${srs} is not EPSG:2037`)
    }
  })

  it('holds for other codes of the same system: its axis order and heights do not count', () => {
    const pairs = [
      ['EPSG:25832', 'EPSG:3044'],
      ['EPSG:31467', 'EPSG:5677'],
      ['EPSG:3857', 'ESRI:102100'],
      ['EPSG:4326', 'EPSG:4979'],
      ['EPSG:4326', 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'],
      ['EPSG:5514', 'ESRI:102067'],
    ] as const
    for (const [one, other] of pairs) assert.ok(isSameCrs(one, other), `${one} ${other}`)
    assert.ok(isSameCrs({ srs: 'EPSG:25832', wkt: 'PROJCS["kept"]' }, { wkt: esri25832 }))
  })

  it('tells datums, zones, units and directions of axes apart', () => {
    const pairs = [
      ['EPSG:25832', 'EPSG:32632'],
      ['EPSG:25832', 'EPSG:25833'],
      ['EPSG:2263', 'EPSG:32118'],
      ['EPSG:5513', 'EPSG:5514'],
      ['EPSG:4326', 'EPSG:4258'],
      ['EPSG:3857', 'EPSG:3395'],
    ] as const
    for (const [one, other] of pairs) assert.ok(!isSameCrs(one, other), `${one} ${other}`)
    assert.ok(!isSameCrs({ wkt: esri25832 }, 'EPSG:25833'))
  })

  it('compares systems without a code by what they are made of', () => {
    const own = { wkt: county('County grid') }
    assert.ok(isSameCrs(own, { wkt: county('Grid of the county').replaceAll(',', ',\n  ') }))
    assert.ok(
      isSameCrs(own, { srs: 'NONE:100000', wkt: county('County_grid', 38.5, 'Lambert_Conformal_Conic') }),
    )
    assert.ok(!isSameCrs(own, { wkt: county('County grid', 38.6) }))
    assert.ok(!isSameCrs({ srs: 'NONE:100000', ...own }, { srs: 'NONE:100000', wkt: county('other', 38.6) }))
    assert.ok(!isSameCrs(own, 'EPSG:4269'))
    const [one, other] = ['+towgs84=1,2,3', '+towgs84=1,2,3,0,0,0,0'].map(local)
    assert.ok(isSameCrs({ proj4: one ?? '' }, { proj4: other ?? '' }))
    assert.ok(!isSameCrs({ proj4: one ?? '' }, { proj4: local('+towgs84=1,2,4') }))
    const unknown = (name: string, width: number): string =>
      `PROJCS["${name}",GEOGCS["x",DATUM["y",SPHEROID["z",6378137,298.25]]],PROJECTION["Tobler_Dream"],PARAMETER["Width",${width}]]`
    assert.ok(isSameCrs({ wkt: unknown('a', 2) }, { wkt: unknown('b', 2) }))
    assert.ok(!isSameCrs({ wkt: unknown('a', 2) }, { wkt: unknown('a', 3) }))
  })

  it('takes an absent CRS for the same as an absent one alone, and survives any text', () => {
    assert.ok(isSameCrs(undefined, {}))
    assert.ok(!isSameCrs(undefined, 'EPSG:4326'))
    for (const wkt of ['', '(', 'PROJCS[', '\0', '"', 'PROJCS["a"]', '{', '['.repeat(100_000)])
      assert.ok(!isSameCrs({ wkt }, 'EPSG:4326'), wkt.slice(0, 20))
  })
})
