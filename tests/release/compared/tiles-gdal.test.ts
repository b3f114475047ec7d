import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import { runProgram } from '../../../src/core/process/process.ts'
import { createReprojector } from '../../../src/geo/crs-reproject.ts'
import type { Row } from '../../support/batches.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import { temporaryFiles } from '../../support/temporary-files.ts'
import { decodeTile, encodeRows } from '../../support/tiles.ts'

type Position = [number, number]

interface JsonFeature {
  properties: Record<string, unknown>
  geometry: { type: string; coordinates: unknown }
}

const random = seededRandom(7)
const reprojector = await createReprojector('EPSG:4326', 'EPSG:3857')

function star(x: number, y: number, radius: number, corners: number): Position[] {
  const ring = Array.from({ length: corners }, (_, at): Position => {
    const [angle, distance] = [(at / corners) * 2 * Math.PI, radius * (0.3 + random() * 0.7)]
    return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)]
  })
  return [...ring, ring[0] as Position]
}

/** Valid polygons with holes, lines and points all over the world, from a hundredth of a degree to thirty. */
const rows = Array.from({ length: 600 }, (_, at): Row => {
  const [x, y, radius] = [random() * 360 - 180, random() * 150 - 75, 10 ** (random() * 3.4 - 2)]
  const ring = star(x, y, radius, 13 + Math.floor(random() * 200))
  const values = [at - 300, `näme ${at % 7}`, at / 3, BigInt(at) * -(10n ** 12n), at % 2 === 0]
  if (at % 5 === 0) return { geometry: wkb('LineString', ring), values }
  if (at % 5 === 1) return { geometry: wkb('MultiPoint', ring), values }
  return { geometry: wkb('Polygon', [ring, star(x, y, radius * 0.2, 9).reverse()]), values }
})
const schema = schemaOf(
  { number: 'int32', name: 'text', share: 'float64', big: 'int64', yes: 'boolean' },
  'Geometry',
)

/** Returns positions with y up and closed rings, as GDAL reports them, as paths in their order. */
function pathsOf(coordinates: unknown): Position[][] {
  const list = coordinates as unknown[]
  if (typeof list[0] === 'number') return [[list as Position]]
  const [first] = list as unknown[][]
  if (typeof first?.[0] === 'number') return [list as Position[]]
  return list.flatMap(pathsOf)
}

describe('tiles read by GDAL', () => {
  const file = temporaryFiles()
  for (const tile of [
    { z: 0, x: 0, y: 0 },
    { z: 1, x: 0, y: 0 },
    { z: 3, x: 4, y: 3 },
    { z: 4, x: 15, y: 6 },
  ]) {
    it(`have the same positions and properties at ${tile.z}/${tile.x}/${tile.y}, and are valid`, async () => {
      const { bytes } = await encodeRows(rows, { schema, tile, crs: 'EPSG:4326', reprojector })
      const path = file(`${tile.z}.mvt`, bytes)
      const limit = { timeoutMs: 60_000 }
      const open = ['-oo', 'CLIP=NO']
      const { stdout } = await runProgram('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', path, ...open], limit)
      const theirs = JSON.parse(stdout.toString()).features as JsonFeature[]
      const ours = decodeTile(bytes)
      assert.equal(theirs.length, ours.length)
      assert.ok(ours.length > 10)
      for (const [at, { properties, geometry }] of theirs.entries()) {
        const feature = ours[at]
        const { mvt_id: id, ...rest } = properties
        assert.deepEqual([id, rest], [feature?.id, feature?.properties])
        const paths = pathsOf(geometry.coordinates).map((one) =>
          (geometry.type.endsWith('Polygon') ? one.slice(0, -1) : one).map(([x, y]) => `${x} ${4096 - y}`),
        )
        const own = feature?.paths.map((one) => one.map(([x, y]) => `${x} ${y}`))
        assert.deepEqual(paths.flat().toSorted(), own?.flat().toSorted())
      }
      const sql = 'select count(*) as invalid from rows where not ST_IsValid(geometry)'
      const counted = await runProgram('ogrinfo', [path, ...open, '-dialect', 'sqlite', '-sql', sql], limit)
      assert.match(counted.stdout.toString(), /invalid \(Integer\) = 0/)
    })
  }
})
