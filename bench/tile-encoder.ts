// Measures the tile encoder alone, without a store: `node bench/tile-encoder.ts [rounds]`. Encodes polygons
// of five to ten corners and points, with seven attributes, in EPSG:4326. The number of features per tile is
// that of the tables of `bench/results.md` at some zooms.
import type { FeatureBatch } from '../src/geo/batch.ts'
import { BatchBuilder } from '../src/geo/batch.ts'
import { createReprojector } from '../src/geo/crs-reproject.ts'
import type { Schema } from '../src/geo/schema.ts'
import { createTileEncoder } from '../src/tiles/encode-tile.ts'
import { getTileMatrixSet } from '../src/tiles/tile-matrix-sets.ts'
import { quantile } from './quantile.ts'
import { seededRandom } from './random.ts'

const rounds = Number(process.argv[2] ?? 15)
const set = getTileMatrixSet('WebMercatorQuad')
const tile = { z: 10, x: 530, y: 343 }
const [west, width] = [(530 / 1024) * 360 - 180, 360 / 1024]
const [south, height] = [50.78, 0.22]
const random = seededRandom(11)
const whole = (limit: number): number => Math.floor(random() * limit)

const schema = (type: 'Point' | 'Polygon'): Schema => ({
  attributes: [
    { name: 'ident', type: 'int32' },
    { name: 'name', type: 'text' },
    { name: 'kind', type: 'text' },
    { name: 'people', type: 'int64' },
    { name: 'height', type: 'float64' },
    { name: 'year', type: 'int16' },
    { name: 'seen', type: 'date' },
  ],
  geometry: { name: 'geom', type, hasZ: false, hasM: false, crs: { srs: 'EPSG:4326' } },
})

function append(builder: BatchBuilder, row: number): void {
  const [ident, name, kind, people, tall, year, seen] = builder.columns
  if (ident?.kind === 'fixed') ident.append(row)
  if (name?.kind === 'var') name.appendString(`place ${whole(100_000)}`)
  if (kind?.kind === 'var') kind.appendString(`class ${whole(12)}`)
  if (people?.kind === 'big') people.append(BigInt(whole(5_000_000)))
  if (tall?.kind === 'fixed') tall.append(Math.round(random() * 4_000_000) / 1000)
  if (year?.kind === 'fixed') year.append(1900 + whole(125))
  if (seen?.kind === 'fixed') seen.append(7000 + whole(12_000))
}

function appendPolygon(builder: BatchBuilder, x: number, y: number, radius: number): void {
  const geometry = builder.geometry
  if (geometry === undefined) return
  const corners = 5 + whole(6)
  geometry.header(3, false, false)
  geometry.count(1)
  geometry.count(corners + 1)
  const far = Array.from({ length: corners }, () => radius * (0.5 + random() / 2))
  for (let corner = 0; corner <= corners; corner += 1) {
    const angle = ((corner % corners) / corners) * 2 * Math.PI
    const distance = far[corner % corners] ?? 0
    geometry.coordinate(x + distance * Math.cos(angle), y + distance * Math.sin(angle))
  }
  geometry.endGeometry()
}

function batches(type: 'Point' | 'Polygon', rows: number): FeatureBatch[] {
  const made: FeatureBatch[] = []
  let builder = new BatchBuilder(schema(type))
  const radius = (width / Math.sqrt(rows)) * 0.6
  for (let row = 0; row < rows; row += 1) {
    append(builder, row)
    const [x, y] = [west + random() * width, south + random() * height]
    if (type === 'Polygon') appendPolygon(builder, x, y, radius)
    else {
      builder.geometry?.header(1, false, false)
      builder.geometry?.coordinate(x, y)
      builder.geometry?.endGeometry()
    }
    builder.endRow(row + 1)
    if (!builder.isFull) continue
    made.push(builder.finish())
    builder = new BatchBuilder(schema(type))
  }
  if (!builder.isEmpty) made.push(builder.finish())
  return made
}

const reprojector = await createReprojector('EPSG:4326', set.srs)
for (const [type, rows] of [
  ['Polygon', 14],
  ['Polygon', 184],
  ['Polygon', 2_777],
  ['Polygon', 38_615],
  ['Point', 1_190],
  ['Point', 16_141],
] as const) {
  const pages = batches(type, rows).map((batch) => ({
    batch,
    ids: Array.from(batch.rowNumbers, (number) => String(number)),
  }))
  const times: number[] = []
  let size = 0
  const repeats = rows < 1000 ? 100 : 1
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const encoder = createTileEncoder({
        name: 'bench',
        schema: schema(type),
        set,
        tile,
        crs: 'EPSG:4326',
        reprojector,
        limits: { features: 100_000 },
      })
      for (const page of pages) await encoder.add(page)
      size = encoder.finish().bytes.length
    }
    times.push((performance.now() - start) / repeats)
  }
  const median = quantile(times, 0.5)
  console.log(
    `${type} ${rows}: ${median.toFixed(3)} ms, best ${Math.min(...times).toFixed(3)} ms, ${size} bytes, ${((median * 1000) / rows).toFixed(2)} us each`,
  )
}
