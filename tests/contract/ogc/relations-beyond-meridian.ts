import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { spatialRelations } from '../../../src/filters/expression.ts'
import type { FilterSamples } from '../../support/filter-samples.ts'
import { findByFes, findInFile, findRows, serveFilterSamples } from '../../support/filter-samples.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { runSql } from '../../support/postgres.ts'

/**
 * Boxes, triangles, lines, points and boxes in two parts around the 180th meridian and elsewhere, some stored beyond
 * it on either side. Two end at the meridian; a copy at a distance of 360 degrees is exact.
 */
const sourceSql = `
create schema source;
create table source.samples as
select n, ST_SetSRID(geom, 4326) as geom from (
  select n, (case n % 5
    when 0 then ST_MakeEnvelope(x, y, x + w, y + h)
    when 1 then ST_MakePolygon(ST_MakeLine(array[ST_Point(x, y), ST_Point(x + w, y + 1), ST_Point(x + 2, y + h + 1), ST_Point(x, y)]))
    when 2 then ST_MakeLine(array[ST_Point(x, y), ST_Point(x + w, y + h), ST_Point(x + w + 3, y)])
    when 3 then ST_Point(x, y)
    else ST_WrapX(ST_WrapX(ST_MakeEnvelope(x, y, x + w, y + h), 180, -360), -180, 360) end) as geom
  from (
    select n, (case n % 4 when 0 then 170 when 1 then -195 when 2 then 165 else -180 end) + n * 7 % 60 * 0.25 + 0.125 as x,
      -10 + n % 13 as y, 2 + n % 6 * 3.25 as w, 1 + n % 4 as h
    from generate_series(1, 400) n) numbers
  union all select 1001, ST_MakeEnvelope(170, 60, 180, 70)
  union all select 1002, ST_MakeEnvelope(-190, 60, -180, 70)) shapes`

/** The geometry between -180 and 180, in parts on both sides of the meridian. */
const split = (geometry: string): string => `ST_WrapX(ST_WrapX(${geometry}, 180, -360), -180, 360)`
const moved = (wkt: string, degrees: number): string =>
  wkt.replaceAll(/(-?[\d.]+) (-?[\d.]+)/g, (_, x: string, y: string) => `${Number(x) + degrees} ${y}`)
const box = (west: number, south: number, east: number, north: number): string =>
  `POLYGON((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`

/** Geometries of filters; each is also asked for one turn to the west and to the east. */
const geometries = [
  box(168.125, -12, 195.375, 7),
  box(179.625, -4, 180.375, -1),
  box(172.09375, -6.0625, 183.59375, -2.0625),
  'POLYGON((171.25 -8, 188.5 -3, 176.5 5, 171.25 -8))',
  'LINESTRING(169.5 -7.5, 181.5 -2.5, 190.25 3.5)',
  'POINT(181.125 -3)',
  'MULTIPOINT((173.125 -2.5), (182.125 -3.5))',
  `MULTI${box(174.125, -9, 179.125, -5).replace('((', '(((')}, ((-179.125 -9, -170.125 -9, -170.125 -5, -179.125 -5, -179.125 -9)))`,
  box(-177.25, -6, -171.75, 4),
  box(20.125, -5, 30.125, 5),
]

/**
 * Compares relations with those of PostGIS. `shiftsOf` takes the number of a geometry, and gives the degrees by which it is also
 * requested.
 */
export function describeRelationsBeyondMeridian(shiftsOf: (geometry: number) => number[]): void {
  describe('relations across the 180th meridian', needsGdal, () => {
    const cleanups: (() => unknown)[] = []
    let samples: FilterSamples
    before(async () => {
      samples = await serveFilterSamples(
        { after: (cleanup) => void cleanups.push(cleanup as () => unknown) },
        sourceSql,
      )
    })
    after(async () => {
      await samples.server.close()
      for (const cleanup of cleanups.reverse()) await cleanup()
    })
    const numbers = async (condition: string): Promise<number[]> => {
      const rows = await runSql(samples.url, `select n from source.samples where ${condition} order by n`)
      return rows.map(({ n }) => Number(n))
    }
    /** Geometries of rows as filters, so that some rows are equal. */
    const stored = async (): Promise<string[]> => {
      const rows = await runSql(
        samples.url,
        `select ST_AsText(geom) as wkt from source.samples where n % 37 = 0`,
      )
      return rows.map(({ wkt }) => String(wkt))
    }

    for (const relation of spatialRelations)
      it(`${relation} finds in each store what PostGIS finds with split geometries`, async () => {
        let matches = 0
        for (const [at, wkt] of [...geometries, ...(await stored())].entries()) {
          const literal = split(`ST_GeomFromText('${wkt}', 4326)`)
          const expected = await numbers(`ST_${relation.slice(2)}(${split('geom')}, ${literal})`)
          matches += expected.length
          for (const degrees of shiftsOf(at)) {
            const filter = `${relation.toUpperCase()}(geometry, ${moved(wkt, degrees)})`
            assert.deepEqual(await findRows(samples, 'of_table', { filter }), expected, `PostGIS: ${filter}`)
            assert.deepEqual(
              await findRows(samples, 'of_file', { filter }),
              expected,
              `GeoPackage: ${filter}`,
            )
            assert.deepEqual(await findInFile(samples, filter), expected, `file: ${filter}`)
          }
        }
        assert.ok(matches > 5, `${matches} rows are too few to prove anything`)
      })

    it('DWITHIN measures across the meridian', async () => {
      for (const wkt of ['POINT(-179.5 -3)', 'POINT(179.25 2)', box(176.125, -6, 178.125, -2)]) {
        const near = [-720, -360, 0, 360, 720].map(
          (degrees) => `ST_Distance(geom, ST_Translate(ST_GeomFromText('${wkt}', 4326), ${degrees}, 0)) <= 3`,
        )
        const expected = await numbers(near.join(' or '))
        assert.ok(expected.length > 5)
        for (const degrees of [0, -360, 360]) {
          const filter = `DWITHIN(geom, ${moved(wkt, degrees)}, 3, degrees)`
          for (const layer of ['of_table', 'of_file'])
            assert.deepEqual(
              await findByFes(samples, layer, filter, 'cql_filter'),
              expected,
              `${layer}: ${filter}`,
            )
        }
      }
    })

    it('geometries that touch at the meridian touch, whichever side is stored', async () => {
      for (const wkt of ['POINT(180 65)', 'POINT(-180 65)', box(-180, 60, -170, 70), box(180, 60, 190, 70)])
        for (const [relation, rows] of [
          ['S_TOUCHES', [1001, 1002]],
          ['S_INTERSECTS', [1001, 1002]],
          ['S_OVERLAPS', []],
        ] as const) {
          const filter = `${relation}(geometry, ${wkt})`
          for (const layer of ['of_table', 'of_file'])
            assert.deepEqual(await findRows(samples, layer, { filter }), rows, `${layer}: ${filter}`)
          assert.deepEqual(await findInFile(samples, filter), rows, filter)
        }
    })
  })
}
