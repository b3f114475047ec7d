import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { seededRandom } from '../../../bench/random.ts'
import type { Reprojector } from '../../../src/geo/crs-projector.ts'
import { createReprojector } from '../../../src/geo/crs-reproject.ts'
import { reprojectGeometry } from '../../../src/geo/reproject-geometry.ts'
import type { GeometryType, Schema } from '../../../src/geo/schema.ts'
import type { TileAddress } from '../../../src/tiles/tile-matrix-sets.ts'
import type { Row } from '../../support/batches.ts'
import { batchesOf, wkb } from '../../support/batches.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import type { DecodedFeature } from '../../support/tiles.ts'
import { decodeTile, encodeRows, shapeProblems, shapeText } from '../../support/tiles.ts'

type Position = [number, number]

/** Each CRS with a place within its area, in degrees; poles and the antimeridian among them. */
const systems: [code: number, longitude: number, latitude: number][] = [
  [4326, 10, 50],
  [4326, 179.2, -17],
  [4326, -60, -84],
  [3857, -70, 40],
  [25832, 9, 48],
  [2056, 7.5, 46.9],
  [27700, -2, 53],
  [28992, 5.4, 52.1],
  [3035, 12, 44],
  [2154, 2.4, 46.5],
  [5070, -98, 39],
  [3031, 40, -75],
  [3413, -50, 72],
  [32760, 176, -38],
  [4258, 15, 59],
  [31467, 9.2, 48.8],
  [2193, 174, -41],
  [3067, 25, 62],
  [4269, -105, 35],
  [3006, 16, 60],
  [6933, 30, -20],
]
const zooms = Array.from({ length: 19 }, (_, z) => z)
const rowsEach = 28

const random = seededRandom(20_261_122)
const between = (least: number, most: number): number => least + random() * (most - least)

function star(x: number, y: number, radius: number, corners: number): Position[] {
  const ring = Array.from({ length: corners }, (_, at): Position => {
    const angle = (at / corners) * 2 * Math.PI
    const distance = radius * between(0.4, 1)
    return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)]
  })
  return [...ring, ring[0] as Position]
}

/** A geometry of a type around a place, as large as `radius`. */
function shape(type: GeometryType, x: number, y: number, radius: number): Uint8Array {
  const walk = (): Position[] => {
    const way: Position[] = [[x, y]]
    for (let step = 0; step < 3 + random() * 40; step += 1) {
      const [fromX, fromY] = way.at(-1) as Position
      way.push([fromX + between(-radius, radius) / 4, fromY + between(-radius, radius) / 4])
    }
    return way
  }
  const corners = Math.floor(between(3, 60))
  const hole = star(x, y, radius * 0.3, 7).reverse()
  const polygon = [star(x, y, radius, corners), ...(random() < 0.5 && corners > 12 ? [hole] : [])]
  switch (type) {
    case 'Point':
      return wkb(type, [x, y])
    case 'MultiPoint':
      return wkb(type, walk())
    case 'LineString':
      return wkb(type, walk())
    case 'MultiLineString':
      return wkb(type, [walk(), walk()])
    case 'Polygon':
      return wkb(type, polygon)
    default:
      return wkb('MultiPolygon', [polygon, [star(x + radius * 2.1, y, radius, corners)]])
  }
}

const types: GeometryType[] = [
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
]

interface Case {
  code: number
  schema: Schema
  rows: Row[]
  /** The rows in EPSG:3857 by our transformation. */
  images: Uint8Array[]
  reprojector: Reprojector
  tiles: TileAddress[]
}

async function makeCase([code, longitude, latitude]: (typeof systems)[number]): Promise<Case> {
  const crs = `EPSG:${code}`
  const there = await createReprojector('EPSG:4326', crs, { canUsePrograms: false })
  const reprojector = await createReprojector(crs, 'EPSG:3857', { canUsePrograms: false })
  const place = { x: longitude, y: latitude }
  there.transformPlace?.(place, 0)
  const isDegrees = [4326, 4258, 4269].includes(code)
  const schema: Schema = {
    attributes: [
      { name: 'number', type: 'int32' },
      { name: 'word', type: 'text' },
      { name: 'real', type: 'float64' },
      { name: 'yes', type: 'boolean' },
    ],
    geometry: { name: 'geom', type: 'Geometry', hasZ: false, hasM: false, crs: { srs: crs } },
  }
  const rows = Array.from({ length: rowsEach }, (_, at): Row => {
    const radius = 10 ** between(-0.5, 5) / (isDegrees ? 111_000 : 1)
    const away = () => (random() < 0.5 ? 0 : between(-radius, radius) * 2)
    const type = types[at % types.length] as GeometryType
    return {
      geometry: shape(type, place.x + away(), place.y + away(), radius),
      values: [at - 5, at % 3 === 0 ? null : `wörd ${at % 4}`, at / 7, at % 2 === 0],
    }
  })
  const images: Uint8Array[] = []
  for await (const batch of batchesOf(schema, rows)) {
    if (batch.geometry === undefined) continue
    const { geometry } = reprojector.isIdentity
      ? { geometry: batch.geometry }
      : await reprojectGeometry(batch.geometry, batch.rowCount, reprojector)
    for (let row = 0; row < batch.rowCount; row += 1) {
      images.push(geometry.bytes.slice(geometry.offsets[row], geometry.offsets[row + 1]))
    }
  }
  const middle = { x: place.x, y: place.y }
  reprojector.transformPlace?.(middle, 0)
  const whole = 2 * 20037508.342789244
  const tiles = zooms.map((z) => ({
    z,
    x: Math.floor((middle.x / whole + 0.5) * 2 ** z),
    y: Math.floor((0.5 - middle.y / whole) * 2 ** z),
  }))
  return { code, schema, rows, images, reprojector, tiles }
}

/**
 * For each row: the result of ST_AsMVTGeom, the validity of our result, and the distance of both from the
 * exact geometry: the image of the row in units of the tile, unrounded and clipped.
 */
const comparison = `
with given as (
  select n, ST_SetSRID(ST_GeomFromWKB(image), 3857) as image, nullif(text, '') as text
  from unnest($4::bytea[], $5::text[]) with ordinality as c(image, text, n)
), placed as (
  select n, ST_SetSRID(ST_AsMVTGeom(image, ST_TileEnvelope($1, $2, $3), 4096, 64, true), 0) as theirs,
    ST_GeomFromText(text) as ours,
    ST_SetSRID(ST_Affine(image, s, 0, 0, -s, -x0 * s, y1 * s), 0) as truth
  from given, (select ST_XMin(e) as x0, ST_YMax(e) as y1, 4096 / (ST_XMax(e) - ST_XMin(e)) as s
    from ST_TileEnvelope($1, $2, $3) as e) as tile
), clipped as (
  select *, ST_Intersection(truth, ST_MakeEnvelope(-64, -64, 4160, 4160)) as shown from placed
)
select n, theirs is not null as "isTheirs", ST_IsEmpty(shown) as "isOutside", ST_IsValid(ours) as "isValid",
  ST_Dimension(truth) as dimension,
  case when ours is null then null
    when ST_Dimension(truth) = 2 then ST_Area(ST_SymDifference(ST_Buffer(ours, 0), shown))
      - (ST_Perimeter(shown) * 0.75 + 4)
    else far(ours, shown) - 1 end as "beyondTruth",
  case when ours is null or theirs is null then null
    when ST_Dimension(truth) = 2 then ST_Area(ST_SymDifference(ST_Buffer(ours, 0), ST_Buffer(theirs, 0)))
      - (ST_Perimeter(shown) * 1.5 + 8)
    else far(ours, theirs) - 2 end as "beyondTheirs"
from clipped order by n`

/** Greatest distance of a point of one geometry from another geometry. */
const farFunction = `
create function far(a geometry, b geometry) returns float8 language sql immutable as
$$ select max(ST_Distance(p.geom, b)) from ST_DumpPoints(case when ST_Dimension(a) = 1 and ST_Length(a) < 20000
   then ST_Segmentize(a, 4) else a end) as p $$`

interface Verdict {
  n: string
  isTheirs: boolean
  isOutside: boolean
  isValid: boolean | null
  dimension: number
  beyondTruth: number | null
  beyondTheirs: number | null
}

describe('tiles beside ST_AsMVT', () => {
  let client: Client
  before(async () => {
    client = new Client({ connectionString: await fileDatabase() })
    await client.connect()
    await client.query(farFunction)
  })
  after(() => client.end())

  const seen: Record<string, number> = {}
  for (const system of systems) {
    it(`have the same features of EPSG:${system[0]} at ${system[1]} ${system[2]}, within one unit`, async () => {
      const one = await makeCase(system)
      const wrong: string[] = []
      for (const tile of one.tiles) wrong.push(...(await compareTile(client, one, tile, seen)))
      assert.deepEqual(wrong.slice(0, 8), [])
    })
  }

  it('differ by the rules alone that the documents tell', () => {
    assert.ok((seen['same'] ?? 0) > 1000, JSON.stringify(seen))
    assert.ok((seen['collapsed'] ?? 0) > 100, JSON.stringify(seen))
    assert.ok((seen['edge of the buffer'] ?? 0) < (seen['same'] ?? 0) / 50, JSON.stringify(seen))
  })

  it('have the same properties and ids', async () => {
    const { rows, schema, images, reprojector } = await makeCase([25832, 9, 48])
    const tile = { z: 0, x: 0, y: 0 }
    const { bytes } = await encodeRows(rows, { schema, tile, crs: 'EPSG:25832', reprojector })
    const { rows: made } = await client.query<{ mvt: Buffer }>(
      `select ST_AsMVT(t, 'rows', 4096, 'geom', 'fid') as mvt from (
        select n::int as fid, ST_AsMVTGeom(ST_Buffer(ST_Centroid(ST_SetSRID(ST_GeomFromWKB(w), 3857)), 1e5),
          ST_TileEnvelope(0, 0, 0), 4096, 64) as geom, number, word, "real", yes
        from unnest($1::bytea[], $2::int[], $3::text[], $4::float8[], $5::boolean[])
          with ordinality as c(w, number, word, "real", yes, n)) as t`,
      [
        images.map((image) => Buffer.from(image)),
        ...[0, 1, 2, 3].map((at) => rows.map(({ values }) => values[at])),
      ],
    )
    const reported = (features: DecodedFeature[]): unknown[] =>
      features.map(({ id, properties }) => [id, properties]).toSorted((a, b) => Number(a[0]) - Number(b[0]))
    assert.deepEqual(reported(decodeTile(bytes)), reported(decodeTile(made[0]?.mvt ?? new Uint8Array())))
  })
})

async function compareTile(
  client: Client,
  { code, schema, rows, images, reprojector }: Case,
  tile: TileAddress,
  seen: Record<string, number>,
): Promise<string[]> {
  const { bytes, counts } = await encodeRows(rows, { schema, tile, crs: `EPSG:${code}`, reprojector })
  const ours = new Map(decodeTile(bytes).map((feature) => [feature.id, feature]))
  const verdicts = await client.query<Verdict>(comparison, [
    tile.z,
    tile.x,
    tile.y,
    images.map((image) => Buffer.from(image)),
    images.map((_, at) => {
      const feature = ours.get(at + 1)
      return feature === undefined ? '' : shapeText(feature)
    }),
  ])
  const problems = [...ours.values()].flatMap((feature) =>
    shapeProblems(feature).map((text) => `${feature.id}: ${text}`),
  )
  for (const verdict of verdicts.rows) {
    const rule = ruleOf(verdict, ours.get(Number(verdict.n)))
    seen[rule] = (seen[rule] ?? 0) + 1
    if (rule.startsWith('wrong'))
      problems.push(`${verdict.n} of ${JSON.stringify(tile)}: ${rule} ${JSON.stringify(verdict)}`)
  }
  if (counts.withoutImage + counts.invalid + counts.overLimit > 0) problems.push(JSON.stringify(counts))
  return problems
}

/** Returns the rule that explains the two results; see `docs/compared-with-postgis-tiles.md`. */
function ruleOf(verdict: Verdict, feature: DecodedFeature | undefined): string {
  const { isTheirs, isOutside, isValid, beyondTruth, beyondTheirs } = verdict
  if (feature === undefined) {
    if (!isTheirs) return isOutside ? 'neither' : 'edge of the buffer'
    return isOutside ? 'edge of the buffer' : 'wrong: theirs alone'
  }
  if (isValid === false) return 'wrong: not valid'
  if (beyondTruth !== null && beyondTruth > 0) {
    return isOutside ? 'edge of the buffer' : 'wrong: beyond the truth'
  }
  if (!isTheirs) return 'collapsed'
  return beyondTheirs !== null && beyondTheirs > 0 ? 'theirs farther from the truth' : 'same'
}
