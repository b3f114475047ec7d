import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import { UnitCoverage } from './unit-coverage.ts'

const points = 64
const width = 64

/** Units drawn of a square of units of which each is covered to `share`, by features of one point each. */
function drawnOf(share: number, tile = { z: 3, x: 2, y: 5 }) {
  const random = seededRandom(5)
  const coverage = new UnitCoverage(tile, () => points)
  let features = 0
  for (let unit = 0; unit < width * width; unit += 1)
    for (let point = 0; point < points; point += 1) {
      if (random() >= share) continue
      const [unitX, unitY] = [unit % width, Math.floor(unit / width)]
      coverage.add({ feature: features, unitX, unitY, cell: unit * points + point, isOfUnit: point === 17 })
      features += 1
    }
  coverage.round()
  const drawn: [number, number, number][] = []
  for (let feature = 0; feature < features; feature += 1)
    coverage.unitsOf(feature, (x, y) => drawn.push([feature, x, y]))
  return { drawn, area: features / points }
}

describe('the part of units that is covered', () => {
  it('is rounded so that the tile, and each quarter of it, has the sum of its parts', () => {
    for (const share of [0.003, 0.1, 0.6]) {
      const { drawn, area } = drawnOf(share)
      assert.ok(Math.abs(drawn.length - area) <= 0.5, `${drawn.length} of ${area}`)
      const half = width / 2
      const inQuarter = drawn.filter(([, x, y]) => x < half && y < half).length
      assert.ok(Math.abs(inQuarter - area / 4) < area / 40 + 2, `${inQuarter} of ${area / 4}`)
      assert.equal(new Set(drawn.map(([, x, y]) => y * width + x)).size, drawn.length)
    }
  })

  it('leaves no hole where units are covered whole', () => {
    assert.equal(drawnOf(1).drawn.length, width * width)
  })

  it('is drawn in as many tiles as it comes to, where each has a part of a unit', () => {
    let drawn = 0
    for (let x = 0; x < 30; x += 1)
      for (let y = 0; y < 30; y += 1) {
        const coverage = new UnitCoverage({ z: 7, x, y }, () => points)
        for (let cell = 0; cell < 20; cell += 1)
          coverage.add({ feature: cell, unitX: 100, unitY: 200, cell, isOfUnit: false })
        coverage.round()
        for (let feature = 0; feature < 20; feature += 1) coverage.unitsOf(feature, () => (drawn += 1))
      }
    const expected = (900 * 20) / points
    assert.ok(Math.abs(drawn / expected - 1) < 0.05, `${drawn} of ${expected}`)
  })

  it('counts a point once that several polygons hold, and leaves out what lies beyond the tile', () => {
    const coverage = new UnitCoverage({ z: 0, x: 0, y: 0 }, () => points)
    for (let feature = 0; feature < 600; feature += 1) {
      coverage.add({ feature, unitX: 5, unitY: 5, cell: feature % 20, isOfUnit: false })
      coverage.add({ feature, unitX: -1, unitY: 5, cell: feature, isOfUnit: true })
    }
    coverage.round()
    let drawn = 0
    for (let feature = 0; feature < 600; feature += 1) coverage.unitsOf(feature, () => (drawn += 1))
    assert.equal(drawn, 0)
  })
})
