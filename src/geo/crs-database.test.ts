import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { crsDeclarations } from '../../tests/support/crs-declarations.ts'
import { crsCandidates, findCrs, matchCrs, parseSrs } from './crs-database.ts'
import { parseCrsWkt } from './crs-wkt.ts'

describe('parseSrs', () => {
  it('takes every spelling of an authority code', () => {
    const spellings = [
      'EPSG:4326',
      'epsg:4326',
      ' EPSG:4326 ',
      'urn:ogc:def:crs:EPSG::4326',
      'urn:ogc:def:crs:EPSG:6.9:4326',
      'urn:x-ogc:def:crs:EPSG:4326',
      'http://www.opengis.net/def/crs/EPSG/0/4326',
      'https://www.opengis.net/def/crs/EPSG/0/4326',
      'http://www.opengis.net/gml/srs/epsg.xml#4326',
      'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
      'urn:ogc:def:crs:OGC:1.3:CRS84',
      'OGC:CRS84',
      'CRS:84',
    ]
    for (const spelling of spellings) assert.equal(parseSrs(spelling), 'EPSG:4326', spelling)
  })

  it('refuses bare numbers and other text', () => {
    for (const text of ['4326', '', 'EPSG', 'EPSG:', 'WGS 84', 'EPSG:4326; drop table x']) {
      assert.equal(parseSrs(text), undefined, text)
    }
  })
})

describe('findCrs', () => {
  it('knows a projected CRS with its area, unit and definition', () => {
    const crs = findCrs('EPSG:25832')
    assert.equal(crs?.name, 'ETRS89 / UTM zone 32N')
    assert.equal(crs?.kind, 'projected')
    assert.equal(crs?.unit, 'metre')
    assert.equal(crs?.axisOrder, 'xy')
    assert.deepEqual(crs?.area, { minX: 6, minY: 38.76, maxX: 12.01, maxY: 84.33 })
    assert.match(crs?.wkt ?? '', /^PROJCS\["ETRS89 \/ UTM zone 32N"/)
    assert.match(crs?.proj4 ?? '', /\+proj=utm \+zone=32/)
  })

  it('tells where the authority puts latitude or northing first', () => {
    assert.equal(findCrs('EPSG:4326')?.axisOrder, 'yx')
    assert.equal(findCrs('EPSG:31467')?.axisOrder, 'yx')
    assert.equal(findCrs('EPSG:3857')?.axisOrder, 'xy')
    assert.equal(findCrs('EPSG:3031')?.axisOrder, 'xy')
  })

  it('knows deprecated, ESRI and planetary codes, and no others', () => {
    assert.equal(findCrs('EPSG:2400')?.isDeprecated, true)
    assert.equal(findCrs('ESRI:54009')?.name, 'World_Mollweide')
    assert.equal(findCrs('IAU_2015:30100')?.kind, 'geographic')
    assert.equal(findCrs('EPSG:999999'), undefined)
    assert.equal(findCrs('__proto__:constructor'), undefined)
  })

  it('lets an area go on east of the antimeridian', () => {
    const area = findCrs('EPSG:2193')?.area
    assert.ok(area !== undefined && area.minX < area.maxX)
    const fiji = findCrs('EPSG:3460')?.area
    assert.ok(fiji !== undefined && fiji.maxX > 180)
  })
})

describe('matchCrs', () => {
  it('finds the code of every declaration that PROJ writes, in each dialect, with and without identifier', () => {
    const wrong = crsDeclarations.filter(({ srs, declaration }) => matchCrs(declaration) !== srs)
    assert.deepEqual(
      wrong.map(({ kind, srs, declaration }) => `${kind} ${srs}: ${matchCrs(declaration)}`),
      [],
    )
  })

  it('reads PROJ strings where one datum alone fits', () => {
    assert.equal(matchCrs({ proj4: '+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs' }), 'EPSG:32633')
    assert.equal(matchCrs({ proj4: '+proj=longlat +datum=WGS84 +no_defs' }), 'EPSG:4326')
    assert.equal(matchCrs({ proj4: '+proj=longlat +ellps=GRS80 +no_defs' }), undefined)
  })

  it('does not believe an identifier that the content contradicts', () => {
    const wkt = findCrs('EPSG:25832')?.wkt.replace('AUTHORITY["EPSG","25832"]', 'AUTHORITY["EPSG","27700"]')
    assert.equal(matchCrs({ wkt: wkt ?? '' }), 'EPSG:25832')
  })

  it('finds nothing in other parameters, a web page or broken text', () => {
    const wkt = findCrs('EPSG:25832')?.wkt ?? ''
    const moved = wkt.replace('"central_meridian",9', '"central_meridian",9.5').replace(/,AUTHORITY\[.*/, ']')
    assert.equal(matchCrs({ wkt: moved }), undefined)
    assert.equal(matchCrs({ wkt: '<!DOCTYPE html><html><body>404 [not] found</body></html>' }), undefined)
    assert.equal(matchCrs({ wkt: wkt.slice(0, 200) }), undefined)
    assert.equal(matchCrs({ projjson: '{"type":"ProjectedCRS","base_crs":7}' }), undefined)
  })

  it('bears any text', () => {
    const marks = fc.constantFrom(
      'PROJCS',
      'GEOGCS',
      'DATUM',
      '[',
      ']',
      '(',
      '"',
      ',',
      '6378137',
      '{',
      '+proj=',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(marks, fc.string({ maxLength: 5 })), { maxLength: 60 }), (words) => {
        const text = words.join('')
        matchCrs({ wkt: text })
        matchCrs({ projjson: text })
        matchCrs({ proj4: text })
      }),
      { numRuns: 300 },
    )
    assert.equal(parseCrsWkt('A['.repeat(100_000)), undefined)
  })
})

describe('crsCandidates', () => {
  it('puts WGS 84 first for coordinates within longitude and latitude', () => {
    const [first] = crsCandidates(undefined, { minX: 5, minY: 47, maxX: 15, maxY: 55 })
    assert.equal(first?.srs, 'EPSG:4326')
    assert.ok((first?.confidence ?? 0) > 0.5)
  })

  it('names none for numbers that fit systems all over the earth', () => {
    const envelope = { minX: 2_600_000, minY: 1_190_000, maxX: 2_610_000, maxY: 1_210_000 }
    assert.deepEqual(crsCandidates(undefined, envelope), [])
  })

  it('offers every datum that a declaration without one leaves open', () => {
    const [declared, ...found] = crsCandidates({ proj4: '+proj=longlat +ellps=GRS80 +no_defs' })
    assert.equal(declared?.srs, null)
    assert.ok(found.length > 1)
    assert.ok(found.every(({ confidence }) => confidence < 0.5))
  })

  it('has none for nothing', () => {
    assert.deepEqual(crsCandidates(undefined), [])
  })
})
