import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { ColumnView } from '../coordinate-columns.ts'
import { createReprojector } from '../crs-reproject.ts'
import type { Envelope } from '../envelope.ts'
import type { CountryBox } from './countries.ts'
import type { ExpectedArea } from './expected-area.ts'
import { findExpectedArea } from './expected-area.ts'
import type { EvaluatedCrs } from './find-crs.ts'
import { findCrsFor } from './find-crs.ts'
import { systems } from './systems.ts'

/** Systems that surveys, cities and projects keep their data in, each with its country and a name for the place. */
const kept = `
25832 Germany Deutschland|25833 Germany DE|31467 Germany Allemagne|31468 Germany Niemcy|2056 Switzerland Schweiz|21781 Switzerland Suisse
31287 Austria Österreich|31256 Austria AT|31370 Belgium Belgique|3812 Belgium België|28992 Netherlands Nederland|2154 France FR
27572 France Frankreich|27700 United Kingdom|2157 Ireland IE|29902 Ireland Irland|25830 Spain España|25829 Spain ES|3763 Portugal PT
32632 Italy Italia|3003 Italy IT|3004 Italy Italien|25832 Denmark Danmark|25833 Norway Norge|32633 Norway NO|3006 Sweden Sverige
3021 Sweden SE|3067 Finland Suomi|3301 Estonia Estonie|3059 Latvia Lettland|3346 Lithuania LT|2180 Poland Polska|2178 Poland Polen
5514 Czechia Česko|5514 Slovakia SK|23700 Hungary Ungarn|3844 Romania RO|7801 Bulgaria Bulgarien|2100 Greece Ελλάδα|3765 Croatia HR
3794 Slovenia Slowenien|5254 Turkey Türkiye|2039 Israel IL|32637 Ethiopia ET|21037 Kenya KE|32736 Tanzania TZ|2048 South Africa ZA
32628 Senegal SN|26191 Morocco Maroc|22992 Egypt مصر|2193 New Zealand NZ|7855 Australia AU|28356 Australia New South Wales|3112 Australia
6677 Japan 日本|5186 South Korea KR|5179 South Korea Südkorea|3826 Taiwan TW|32648 Vietnam VN|3405 Vietnam|32643 India Rajasthan
31983 Brazil Brasil|31984 Brazil BR|5880 Brazil Brasilien|32719 Chile CL|5367 Costa Rica|6372 Mexico México|32614 Mexico MX
3116 Colombia CO|5070 United States of America|26918 United States of America New York|3347 Canada CA|26917 Canada Ontario|3005 Canada British Columbia
4326 Peru PE|4326 Indonesia ID|3857 Germany Germania|3857 Japan JP|3035 Germany Tyskland|3034 Spain Spanien|32638 Iraq IQ|4326 Iceland IS
32740 Madagascar MG|32750 Malaysia MY|32647 Thailand TH|32642 Pakistan PK|32645 Nepal NP|32721 Paraguay PY|32733 Namibia NA`

interface CrsCase {
  srs: string
  country: string
  title: string
}

const countryNames = [
  'United Kingdom',
  'South Africa',
  'New Zealand',
  'South Korea',
  'Costa Rica',
  'United States of America',
]

function parseKept(text: string): CrsCase[] {
  return text
    .trim()
    .split(/[|\n]/)
    .map((entry) => {
      const [, code = '', rest = ''] = /^(\d+) (.*)$/.exec(entry.trim()) ?? []
      const long = countryNames.find((name) => rest.startsWith(name))
      const country = long ?? rest.split(' ')[0] ?? ''
      return { srs: `EPSG:${code}`, country, title: rest.slice(country.length).trim() || country }
    })
}

type Position = [number, number]

interface Feature {
  properties: Record<string, string>
  geometry: { type: string; coordinates: unknown }
}

const source = new URL('../../../sample/natural-earth/countries.geojson', import.meta.url)
const { features } = JSON.parse(readFileSync(source, 'utf8')) as { features: Feature[] }

/** The outer rings of a country, the longest first. */
function ringsOf(country: string): Position[][] {
  const found = features.find(({ properties }) =>
    [properties['NAME_EN'], properties['NAME'], properties['NAME_LONG']].includes(country),
  )
  assert.ok(found !== undefined, country)
  const { type, coordinates } = found.geometry
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as Position[][][]
  return polygons.map(([outer = []]) => outer).sort((a, b) => b.length - a.length)
}

function boxOf(points: Position[]): CountryBox {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

function isWithin([w, s, e, n]: CountryBox, [west, south, east, north]: CountryBox): boolean {
  return w >= west && e <= east && s >= south && n <= north
}

/**
 * Up to three layers of a country that lie in a system's area of use: a part of it (an island, or all of it), and two
 * stretches of its outline, a long one and a short one.
 */
function layersOf({ country, title }: CrsCase, area: CountryBox): Position[][] {
  const named = findExpectedArea(title)?.boxes ?? []
  const isNamed = (box: CountryBox): boolean => named.some((one) => isWithin(box, one))
  const rings = ringsOf(country)
  const parts = rings.filter((ring) => isWithin(boxOf(ring), area) && isNamed(boxOf(ring)))
  const stretches = [30, 8].map((length) =>
    rings
      .flatMap((ring) =>
        Array.from({ length: Math.floor(ring.length / length) }, (_, at) =>
          ring.slice(at * length, (at + 1) * length),
        ),
      )
      .filter((stretch) => isWithin(boxOf(stretch), area) && isNamed(boxOf(stretch))),
  )
  return [parts, ...stretches].flatMap((all) => all.slice(Math.floor(all.length / 2)).slice(0, 1))
}

async function taken(srs: string, points: Position[]): Promise<Envelope> {
  const reprojector = await createReprojector('EPSG:4326', srs, { canUsePrograms: false })
  const xs: number[] = []
  const ys: number[] = []
  for (const [x, y] of points) {
    const place = { x, y }
    reprojector.transformPlace?.(place, 0)
    xs.push(place.x)
    ys.push(place.y)
  }
  return { minX: Math.min(...xs), minY: Math.min(...ys), maxX: Math.max(...xs), maxY: Math.max(...ys) }
}

async function placed(srs: string, { minX, minY, maxX, maxY }: Envelope): Promise<Position> {
  const reprojector = await createReprojector(srs, 'EPSG:4326', { canUsePrograms: false })
  const place = { x: (minX + maxX) / 2, y: (minY + maxY) / 2 }
  reprojector.transformPlace?.(place, 0)
  return [place.x, place.y]
}

/** True if a CRS puts the data within a metre of their position in the right one. */
async function isRight(found: EvaluatedCrs | undefined, srs: string, envelope: Envelope): Promise<boolean> {
  if (found === undefined || found.evidence.includes('Only if')) return false
  if (found.srs === srs) return true
  const [x, y] = await placed(srs, envelope)
  const [otherX, otherY] = await placed(found.srs ?? '', envelope).catch(
    (): Position => [Number.NaN, Number.NaN],
  )
  return Math.hypot((x - otherX) * Math.cos((y * Math.PI) / 180), y - otherY) * 111_200 <= 1
}

/** Another layer beside it, of about its size. */
function besides(points: Position[]): ExpectedArea {
  const [west, south, east, north] = boxOf(points)
  const size = Math.max(east - west, north - south, 0.05)
  return {
    label: 'layer topp:beside',
    boxes: [[west - size, south - size / 2, west + size / 4, south + size / 2]],
  }
}

function placeNamed(name: string): ExpectedArea {
  const place = findExpectedArea(name)
  assert.ok(place !== undefined, name)
  return place
}

describe('systems of data that name none', () => {
  it('are told in words and places', () => {
    const envelope = { minX: 393_000, minY: 5_810_000, maxX: 395_000, maxY: 5_820_000 }
    const [first, ...rest] = findCrsFor({ envelope, places: [placeNamed('Berlin')] }).candidates
    assert.equal(first?.srs, 'EPSG:25833')
    assert.match(
      first?.evidence ?? '',
      /^The data would lie in Germany, 13\.423° E.*They touch Berlin\. Made for: Europe/,
    )
    assert.ok(first?.alike?.includes('EPSG:32633'))
    assert.ok(rest.every(({ confidence }) => confidence <= (first?.confidence ?? 0)))
  })

  it('are found where the axes are swapped, and where the numbers are millimetres', () => {
    const swapped = { minX: 5_810_000, minY: 393_000, maxX: 5_820_000, maxY: 395_000 }
    const [found] = findCrsFor({ envelope: swapped, places: [placeNamed('Berlin')] }).candidates
    assert.match(found?.evidence ?? '', /Only if the axes are swapped/)
    const tiny = { minX: 393_000_000, minY: 5_810_000_000, maxX: 395_000_000, maxY: 5_820_000_000 }
    const [first] = findCrsFor({ envelope: tiny, places: [placeNamed('Berlin')] }).candidates
    assert.match(first?.evidence ?? '', /Only if the coordinates are in millimetres/)
  })

  it('are zones that go on beyond what they are made for, where a layer beside tells the place', () => {
    const beside = (west: number, south: number): ExpectedArea => ({
      label: 'layer topp:beside',
      boxes: [[west, south, west + 1, south + 1]],
    })
    const firstOf = (envelope: Envelope, place: ExpectedArea): EvaluatedCrs | undefined =>
      findCrsFor({ envelope, places: [place] }).candidates[0]
    const farms = { minX: 961_000, minY: 6_198_000, maxX: 1_036_000, maxY: 6_258_000 }
    const found = firstOf(farms, beside(20, -34.5))
    assert.equal(found?.srs, 'EPSG:32733')
    assert.match(
      found?.evidence ?? '',
      /lie in South Africa, 20\.\d° E.*Outside the area of use of the CRS: /,
    )
    const saxony = { minX: 860_000, minY: 5_670_000, maxX: 880_000, maxY: 5_690_000 }
    assert.equal(firstOf(saxony, beside(14, 50.5))?.srs, 'EPSG:25832')
    const berlin = { minX: 393_000, minY: 5_810_000, maxX: 395_000, maxY: 5_820_000 }
    assert.equal(firstOf(berlin, beside(13, 52))?.srs, 'EPSG:25833')
  })

  it('are asked for a place where their numbers fit the whole earth', () => {
    const envelope = { minX: 393_000, minY: 5_810_000, maxX: 395_000, maxY: 5_820_000 }
    assert.deepEqual(findCrsFor({ envelope, places: [] }), { candidates: [], needsPlace: true })
  })

  it('are told by names and values of the data too, as evidence for the region', () => {
    const zones = { minX: 317_465, minY: 4_293_572, maxX: 374_721, maxY: 4_349_300 }
    const firstBy = (
      names: string[],
      columns: { name: string; example: string }[],
    ): EvaluatedCrs | undefined =>
      findCrsFor({ envelope: zones, places: [placeNamed('US')], clues: { names, columns } }).candidates[0]
    assert.equal(firstBy(['parcels_utm18n'], [])?.srs, 'EPSG:26918')
    assert.equal(firstBy(['parcels_26918'], [])?.srs, 'EPSG:26918')
    const columns = [
      { name: 'lat', example: '39.1' },
      { name: 'lon', example: '-76.7' },
    ]
    const found = firstBy(['parcels'], columns)
    assert.equal(found?.srs, 'EPSG:26918')
    assert.match(found?.evidence ?? '', /Columns "lon" and "lat" have -76\.7 and 39\.1/)
  })

  it('are told by cities and states in names and values', () => {
    const oregon = { minX: 7_600_000, minY: 650_000, maxX: 7_700_000, maxY: 720_000 }
    const chicago = { minX: 425_000, minY: 4_612_000, maxX: 455_000, maxY: 4_650_000 }
    const firstBy = (
      envelope: Envelope,
      name: string,
      columns: ColumnView[] = [],
    ): EvaluatedCrs | undefined =>
      findCrsFor({ envelope, places: [placeNamed('US')], clues: { names: [name], columns } }).candidates[0]
    const named = firstBy(oregon, 'oregon_roads')
    assert.equal(named?.srs, 'EPSG:2269')
    assert.match(named?.evidence ?? '', /Named "oregon_roads"/)
    assert.match(firstBy(oregon, 'roads_or')?.evidence ?? '', /Named "roads_or"/)
    const byValue = firstBy(oregon, 'roads', [{ name: 'STATE_NAME', example: 'Oregon' }])
    assert.equal(byValue?.srs, 'EPSG:2269')
    assert.match(byValue?.evidence ?? '', /Column "STATE_NAME" has "Oregon"/)
    assert.equal(firstBy(chicago, 'ChicagoWards')?.srs, 'EPSG:26916')
    assert.doesNotMatch(firstBy(chicago, 'wards_2014')?.evidence ?? '', /Named/)
  })

  it('are told by names and values without a place, less surely', () => {
    const envelope = { minX: 393_000, minY: 5_810_000, maxX: 395_000, maxY: 5_820_000 }
    const found = (name: string): EvaluatedCrs[] =>
      findCrsFor({ envelope, places: [], clues: { names: [name], columns: [] } }).candidates
    for (const name of ['berlin_trees', 'trees_25833']) {
      const [first] = found(name)
      assert.equal(first?.srs, 'EPSG:25833', name)
      assert.ok((first?.confidence ?? 1) <= 0.6, name)
    }
    assert.deepEqual(found('trees'), [])
  })

  it('are likelier where people live, where data have the extent of a state, and where a country uses them', () => {
    const firstIn = (place: string, envelope: Envelope): string | null | undefined =>
      findCrsFor({ envelope, places: [placeNamed(place)] }).candidates[0]?.srs
    const toronto = { minX: 622_000, minY: 4_832_000, maxX: 640_000, maxY: 4_850_000 }
    assert.equal(firstIn('Canada', toronto), 'EPSG:26917')
    const minnesota = { minX: 190_000, minY: 4_817_000, maxX: 761_500, maxY: 5_472_000 }
    assert.equal(firstIn('US', minnesota), 'EPSG:26915')
    const finland = { minX: 380_000, minY: 6_670_000, maxX: 390_000, maxY: 6_680_000 }
    assert.equal(firstIn('Finland', finland), 'EPSG:3067')
  })

  it('are told by words for projections and datums, and by columns of degrees with further words', () => {
    const firstBy = (
      { minX, minY, maxX, maxY }: Envelope,
      names: string[],
      columns: ColumnView[] = [],
    ): EvaluatedCrs | undefined =>
      findCrsFor({
        envelope: { minX, minY, maxX, maxY },
        places: [placeNamed('US')],
        clues: { names, columns },
      }).candidates[0]
    const soils = { minX: 1_157_454, minY: 2_027_315, maxX: 1_163_013, maxY: 2_032_925 }
    assert.notEqual(firstBy(soils, ['soils'])?.srs, 'EPSG:5070')
    assert.equal(firstBy(soils, ['soils_aea'])?.srs, 'EPSG:5070')
    const sites = { minX: 487_000, minY: 4_300_000, maxX: 501_000, maxY: 4_310_000 }
    const old = firstBy(sites, ['sites_NAD27', 'co_survey'])
    assert.equal(old?.srs, 'EPSG:26713')
    assert.match(old?.evidence ?? '', /Named "sites_NAD27"/)
    const glaciers = [
      { name: 'CenLon', example: '-104.99' },
      { name: 'CenLat', example: '38.90' },
    ]
    assert.equal(firstBy(sites, ['sites'], glaciers)?.srs, 'EPSG:26913')
    const addresses = { minX: 677_462, minY: 4_957_720, maxX: 678_565, maxY: 4_958_442 }
    assert.equal(firstBy(addresses, ['points', 'us-wy-park'])?.srs, 'EPSG:26912')
  })

  it('are told by the outline of a country in their coordinates', () => {
    const firstIn = (place: string, envelope: Envelope): string | null | undefined =>
      findCrsFor({ envelope, places: [placeNamed(place)] }).candidates[0]?.srs
    const conic = { minX: -2_360_208, minY: -1_503_704, maxX: 2_257_384, maxY: 1_407_254 }
    assert.equal(firstIn('US', conic), 'ESRI:102004')
    const albers = { minX: -2_356_000, minY: -1_338_000, maxX: 2_258_000, maxY: 1_566_000 }
    assert.equal(firstIn('US', albers), 'ESRI:102003')
  })

  it('lie in one piece across the 180th meridian', () => {
    const envelope = { minX: -1_827_000, minY: 265_000, maxX: 1_773_000, maxY: 2_365_000 }
    const { candidates } = findCrsFor({
      envelope,
      places: [placeNamed('Alaska')],
      clues: { names: ['tiles'], columns: [] },
    })
    const found = candidates.find(({ srs }) => srs === 'EPSG:3338')
    const [west = 0, , east = 0] = found?.falls ?? []
    assert.ok(east - west < 90, JSON.stringify(candidates))
  })

  it('are national systems before newer ones that the country uses less', () => {
    const envelope = { minX: 147_969, minY: 169_032, maxX: 148_522, maxY: 169_435 }
    const [first] = findCrsFor({ envelope, places: [placeNamed('Belgium')] }).candidates
    assert.equal(first?.srs, 'EPSG:31370')
  })

  it('are found in data that overshoot the 180th meridian by rounding', () => {
    const envelope = {
      minX: -180.0000000000001,
      minY: -89.99892578124998,
      maxX: 180.0000000000001,
      maxY: 83.6,
    }
    assert.equal(findCrsFor({ envelope, places: [] }).candidates[0]?.srs, 'EPSG:4326')
    assert.equal(findCrsFor({ envelope, places: [placeNamed('DE')] }).candidates[0]?.srs, 'EPSG:4326')
  })

  it('take degrees for WGS 84, and know nothing of data without bounds', () => {
    const degrees = { minX: 5, minY: 47, maxX: 15, maxY: 55 }
    assert.equal(findCrsFor({ envelope: degrees, places: [] }).candidates[0]?.srs, 'EPSG:4326')
    assert.deepEqual(findCrsFor({ places: [placeNamed('Berlin')] }), { candidates: [], needsPlace: false })
    const nowhere = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity }
    assert.deepEqual(findCrsFor({ envelope: nowhere, places: [placeNamed('Berlin')] }).candidates, [])
  })

  it('are found by a layer beside, a country or a name, as the right one or one within a metre of it', async () => {
    const outcomes: { srs: string; rank: number; by: string }[] = []
    for (const [at, entry] of parseKept(kept).entries()) {
      const system = systems().find(({ row }) => row.srs === entry.srs)
      assert.ok(system !== undefined, entry.srs)
      for (const [number, points] of layersOf(entry, system.area).entries()) {
        const envelope = await taken(entry.srs, points)
        const by = ['layer', 'country', 'name'][(at + number) % 3] ?? ''
        const place =
          by === 'layer' ? besides(points) : findExpectedArea(by === 'name' ? entry.title : entry.country)
        assert.ok(place !== undefined, `${entry.country} ${entry.title}`)
        const { candidates } = findCrsFor({ envelope, places: [place] })
        const right = await Promise.all(
          candidates.slice(0, 3).map((one) => isRight(one, entry.srs, envelope)),
        )
        outcomes.push({ srs: entry.srs, rank: right.indexOf(true), by })
      }
    }
    const share = (test: (rank: number) => boolean): number =>
      outcomes.filter(({ rank }) => test(rank)).length / outcomes.length
    const first = share((rank) => rank === 0)
    const amongThree = share((rank) => rank >= 0)
    const figures = `${outcomes.length} layers of ${new Set(outcomes.map(({ srs }) => srs)).size} systems: first ${first}, among three ${amongThree}`
    assert.ok(outcomes.length >= 150, figures)
    assert.ok(
      first >= 0.8 && amongThree >= 0.95,
      `${figures}: ${JSON.stringify(outcomes.filter(({ rank }) => rank < 0))}`,
    )
  })
})
