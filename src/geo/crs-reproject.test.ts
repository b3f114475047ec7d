import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { findProgram } from '../core/process/process.ts'
import { findCrs } from './crs-database.ts'
import { createReprojector } from './crs-reproject.ts'
import { GeometryBuilder } from './geometry-builder.ts'
import { reprojectGeometry } from './reproject-geometry.ts'

interface Pair {
  from: string
  to: string
  points: [[number, number], [number, number]][]
}

const pairs = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/crs/pairs.json', import.meta.url), 'utf8'),
) as Pair[]
const own = { canUsePrograms: false }
const hasGdal = (await findProgram('gdaltransform')) !== undefined

async function move(from: string, to: string, x: number, y: number, z = 0): Promise<[number, number]> {
  const reprojector = await createReprojector(from, to, own)
  const coordinates = Float64Array.of(x, y, z)
  await reprojector.transform(coordinates)
  return [coordinates[0] as number, coordinates[1] as number]
}

describe('createReprojector', () => {
  it('agrees with PROJ to 1 mm, or 1e-8 degrees, on every pair of the table', async () => {
    const wrong: string[] = []
    for (const { from, to, points } of pairs) {
      const tolerance = findCrs(to)?.kind === 'geographic' ? 1e-8 : 1e-3
      for (const [[x, y], [expectedX, expectedY]] of points) {
        const [foundX, foundY] = await move(from, to, x, y)
        const error = Math.max(Math.abs(foundX - expectedX), Math.abs(foundY - expectedY))
        if (!(error < tolerance)) wrong.push(`${from} to ${to} at ${x} ${y}: ${error}`)
      }
    }
    assert.deepEqual(wrong, [])
    assert.ok(pairs.length > 100)
  })

  it('comes back to where it started', async () => {
    const [x, y] = await move('EPSG:4326', 'EPSG:3857', 13.4, 52.5)
    const [longitude, latitude] = await move('EPSG:3857', 'EPSG:4326', x, y)
    assert.ok(Math.abs(longitude - 13.4) < 1e-12 && Math.abs(latitude - 52.5) < 1e-12)
  })

  it('does nothing between equal CRSs', async () => {
    const reprojector = await createReprojector('EPSG:25832', 'urn:ogc:def:crs:EPSG::25832', own)
    assert.equal(reprojector.isIdentity, true)
  })

  it('reads a definition that has no code', async () => {
    const wkt = findCrs('EPSG:25832')?.wkt.replace('"central_meridian",9', '"central_meridian",10') ?? ''
    const reprojector = await createReprojector(
      { wkt: wkt.replace(/,AUTHORITY\["EPSG","25832"\]/, '') },
      'EPSG:4258',
      own,
    )
    const coordinates = Float64Array.of(500_000, 5_000_000, 0)
    await reprojector.transform(coordinates)
    assert.ok(Math.abs((coordinates[0] as number) - 10) < 1e-9)
  })

  it('gives no place beyond the reach of the projection', async () => {
    assert.ok(!Number.isFinite((await move('EPSG:4326', 'EPSG:3857', 0, 90))[1]))
    assert.ok(!Number.isFinite((await move('EPSG:4326', 'EPSG:25832', Number.NaN, 50))[0]))
  })

  it('names the missing grid of a better transformation, and goes on without', async () => {
    const { messages } = await createReprojector('EPSG:27700', 'EPSG:4326', own)
    const isHere = messages.length === 0
    assert.ok(isHere || messages[0]?.code === 'grid-missing')
    assert.ok(isHere || messages[0]?.message.includes('uk_os_OSTN15_NTv2_OSGBtoETRS.tif'))
  })

  it('takes the datum of a CRS with heights for that without', async () => {
    const { messages } = await createReprojector('EPSG:4937', 'EPSG:4326', own)
    assert.deepEqual(messages, [])
  })

  it('says when no datum transformation is known', async () => {
    const { messages } = await createReprojector('EPSG:3375', 'EPSG:4326', own)
    assert.equal(messages[0]?.code, 'no-datum-shift')
  })

  it('refuses unknown CRSs, and projections that only GDAL has when it may not be used', async () => {
    await assert.rejects(createReprojector('EPSG:999999', 'EPSG:4326', own), { code: 'unknown-crs' })
    await assert.rejects(createReprojector('EPSG:4326', 'ESRI:54030', own), { code: 'no-transformation' })
  })

  it('moves through GDAL what it has no arithmetic for', { skip: !hasGdal }, async () => {
    const reprojector = await createReprojector('EPSG:4326', 'ESRI:54030')
    try {
      for (const count of [1, 3000, 2]) {
        const coordinates = new Float64Array(count * 3)
        for (let at = 0; at < coordinates.length; at += 3) coordinates.set([10 + at / 1000, 50, 0], at)
        await reprojector.transform(coordinates)
        assert.ok(Math.abs((coordinates[0] as number) - 819_964.610_241) < 1e-3)
        assert.ok(coordinates.every(Number.isFinite))
      }
    } finally {
      await reprojector.close()
    }
  })
})

describe('reprojectGeometry', () => {
  it('moves x and y of every part, keeps Z and M, and computes envelopes', async () => {
    const builder = new GeometryBuilder(4)
    builder.header(2, true, true)
    builder.count(2)
    for (const [x, y, z, m] of [
      [9, 0, 7, 1],
      [9, 50, 8, 2],
    ] as const) {
      builder.coordinate(x, y)
      builder.ordinate(z)
      builder.ordinate(m)
    }
    builder.endGeometry()
    builder.appendNull()
    builder.appendWkb(Buffer.from('0101000000000000000000f87f000000000000f87f', 'hex'))
    const before = builder.finish()
    const untouched = before.bytes.slice()
    const reprojector = await createReprojector('EPSG:4326', 'EPSG:32632', own)
    const { geometry, failedRows } = await reprojectGeometry(before, 3, reprojector)
    const view = new DataView(geometry.bytes.buffer, geometry.bytes.byteOffset)
    assert.deepEqual(failedRows, [])
    assert.deepEqual(before.bytes, untouched)
    assert.ok(Math.abs(view.getFloat64(9, true) - 500_000) < 1e-6)
    assert.ok(Math.abs(view.getFloat64(17, true)) < 1e-6)
    assert.equal(view.getFloat64(25, true), 7)
    assert.equal(view.getFloat64(33, true), 1)
    assert.ok(Math.abs((geometry.envelopes[3] as number) - 5_538_630.7027) < 1e-3)
    assert.ok(geometry.envelopes.subarray(4).every(Number.isNaN))
  })

  it('tells the rows with a point that has no place in the target', async () => {
    const builder = new GeometryBuilder(3)
    for (const latitude of [10, 90, 20]) {
      builder.header(1, false, false)
      builder.coordinate(0, latitude)
      builder.endGeometry()
    }
    const reprojector = await createReprojector('EPSG:4326', 'EPSG:3857', own)
    const { failedRows } = await reprojectGeometry(builder.finish(), 3, reprojector)
    assert.deepEqual(failedRows, [1])
  })
})
