import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { findProgram } from '../core/process/process.ts'
import { createReprojector } from './crs-reproject.ts'
import type { Envelope } from './envelope.ts'
import { betweenMeridians, coverEnvelope, reprojectEnvelope } from './reproject-envelope.ts'

const hasGdal = (await findProgram('gdaltransform')) !== undefined

/** Numbers that are the same in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe('coverEnvelope', () => {
  // Within the area of use: beyond it, grid lines bend without limit.
  for (const [srs, west, south, east, north] of [
    ['EPSG:3857', -180, -90, 180, 90],
    ['EPSG:3395', -180, -90, 180, 90],
    ['EPSG:8857', -180, -90, 180, 90],
    ['EPSG:3035', -50, 10, 70, 90],
    ['EPSG:25832', -31, -80, 49, 84],
    ['EPSG:2154', -40, 0, 50, 80],
    ['EPSG:3995', -180, 0, 180, 90],
    ['EPSG:3031', -180, -90, 180, 0],
  ] as const)
    it(`holds the image of every place of a box in ${srs}`, async () => {
      const reprojector = await createReprojector('EPSG:4326', srs, { canUsePrograms: false })
      const random = numbersFrom(5)
      let [inside, wasOutside] = [0, 0]
      for (let round = 0; round < 60; round += 1) {
        const share = [1, 0.2, 0.01, 0.0001][round % 4] as number
        const [width, height] = [(east - west) * share, (north - south) * share]
        const minX = west + random() * (east - west - width)
        const minY = south + random() * (north - south - height)
        const box: Envelope = { minX, minY, maxX: minX + width, maxY: minY + height }
        const image = await coverEnvelope(reprojector, box)
        const rough = await reprojectEnvelope(reprojector, box)
        for (let point = 0; point < 400; point += 1) {
          // Many on the edges, where the image ends.
          const [u, v] = [random(), random()].map((one) => Math.min(1, Math.max(0, one * 1.2 - 0.1)))
          const place = { x: minX + (u as number) * width, y: minY + (v as number) * height }
          // Closer to a pole than a centimetre web mercator ends for the search too.
          if (Math.abs(place.y) > 90 - 1e-5) continue
          const [longitude, latitude] = [place.x, place.y]
          reprojector.transformPlace?.(place, 0)
          if (!(Number.isFinite(place.x) && Number.isFinite(place.y))) continue
          inside += 1
          assert.ok(
            image !== undefined && holds(image, place),
            `${JSON.stringify(box)} ${longitude} ${latitude} is ${place.x} ${place.y}, outside of ${JSON.stringify(image)}`,
          )
          if (rough === undefined || !holds(rough, place)) wasOutside += 1
        }
      }
      assert.ok(inside > 10_000, `${inside}`)
      // Positions that the grid alone would have missed.
      if (srs === 'EPSG:3857') assert.ok(wasOutside > 100, `${wasOutside}`)
    })

  it('is no larger than the image where edges stay straight', async () => {
    const reprojector = await createReprojector('EPSG:4326', 'EPSG:3857', { canUsePrograms: false })
    const box = { minX: 3, minY: 50, maxX: 7, maxY: 54 }
    assert.deepEqual(await coverEnvelope(reprojector, box), await reprojectEnvelope(reprojector, box))
  })

  it('searches the end of a CRS through GDAL too', { skip: !hasGdal }, async () => {
    const reprojector = await createReprojector('EPSG:4326', 'ESRI:54030')
    try {
      const box = { minX: -180, minY: -90, maxX: 180, maxY: 90 }
      const image = await coverEnvelope(reprojector, box)
      assert.ok(image !== undefined && image.maxX >= 17_005_833.33 && image.maxY >= 8_625_154.66)
    } finally {
      await reprojector.close()
    }
  })
})

function holds({ minX, minY, maxX, maxY }: Envelope, { x, y }: { x: number; y: number }): boolean {
  const loose = 1e-9 * Math.max(1, Math.abs(x), Math.abs(y))
  return x >= minX - loose && x <= maxX + loose && y >= minY - loose && y <= maxY + loose
}

describe('betweenMeridians', () => {
  it('cuts what goes beyond 180 degrees, and turns it round', () => {
    const boxes = (minX: number, maxX: number): [number, number][] =>
      betweenMeridians({ minX, minY: -1, maxX, maxY: 1 }).map((box) => [box.minX, box.maxX])
    assert.deepEqual(boxes(-180, 180), [[-180, 180]])
    assert.deepEqual(boxes(170, 190), [
      [170, 180],
      [-180, -170],
    ])
    assert.deepEqual(boxes(-190, -170), [
      [170, 180],
      [-180, -170],
    ])
    assert.deepEqual(boxes(190, 200), [[-170, -160]])
    assert.deepEqual(boxes(-380, -370), [[-20, -10]])
    assert.deepEqual(boxes(-200, 200), [[-180, 180]])
  })
})

describe('longitudes that overshoot the 180th meridian', () => {
  it('stay where they are, or come round, as those of PROJ', { skip: !hasGdal }, async () => {
    const longitudes = [
      180, 180.00000000000006, 180.00000000001, 180.0000001, -180.00000000000006, -180.0000001, 190,
    ]
    const reprojector = await createReprojector('EPSG:4326', 'EPSG:3857', { canUsePrograms: false })
    const input = longitudes.map((one) => `${one} 10`).join('\n')
    const nonSharedBuffer = execFileSync(
      'gdaltransform',
      ['-s_srs', 'OGC:CRS84', '-t_srs', 'EPSG:3857', '-output_xy'],
      { input },
    )
    const expected = String(nonSharedBuffer)
      .trim()
      .split('\n')
      .map((line) => Number(line.split(' ')[0]))
    for (const [at, longitude] of longitudes.entries()) {
      const place = { x: longitude, y: 10 }
      reprojector.transformPlace?.(place, 0)
      assert.ok(
        Math.abs(place.x - (expected[at] as number)) < 0.001,
        `${longitude}: ${place.x}, PROJ ${expected[at]}`,
      )
    }
  })
})
