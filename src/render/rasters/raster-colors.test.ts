import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RasterSymbolizer } from '../../styles/model.ts'
import { colorizer } from './raster-colors.ts'
import { spreadOf } from './spread-of-values.ts'

/** Returns the shade of each value in a band with these values. */
function shadesOf(values: number[], symbol: Partial<RasterSymbolizer>): number[] {
  const facts = { bands: [{ color: 'Gray', dataType: 'Float32' }], stretches: [spreadOf(values)] }
  const colorize = colorizer(facts, { kind: 'raster', opacity: 1, ...symbol })
  return values.map((value) => {
    const out = new Uint8Array(4)
    colorize([value], 0, out)
    return out[0] ?? 0
  })
}

describe('the contrast of rasters', () => {
  const skewed = Array.from({ length: 10_000 }, (_, at) => (at / 10_000) ** 4 * 1000)

  it('by histogram has all shades equally often', () => {
    const shades = shadesOf(skewed, { enhancement: 'histogram' })
    const counts = new Array<number>(16).fill(0)
    for (const shade of shades) counts[shade >> 4] = (counts[shade >> 4] ?? 0) + 1
    for (const count of counts) assert.ok(count > 500 && count < 750, `${counts}`)
    assert.deepEqual(
      shades,
      shades.toSorted((one, other) => one - other),
    )
    const plain = shadesOf(skewed, { enhancement: 'normalize' })
    assert.ok(plain.filter((shade) => shade < 16).length > 4000)
  })

  it('by histogram begins at black, also where most values are the least one, and is one shade for one value', () => {
    const flat = [...new Array<number>(700).fill(5), ...Array.from({ length: 300 }, (_, at) => 6 + at)]
    const shades = shadesOf(flat, { enhancement: 'histogram' })
    assert.deepEqual([shades[0], shades.at(-1)], [0, 255])
    assert.equal(shades[850] && Math.abs(shades[850] - 128) < 6, true)
    assert.equal(new Set(shadesOf([7, 7, 7], { enhancement: 'histogram' })).size, 1)
  })

  it('by values that the style says goes before', () => {
    const bands = { gray: { band: 1, stretch: { min: 0, max: 1000 } } }
    assert.deepEqual(shadesOf([0, 500, 1000], { enhancement: 'histogram', bands }), [0, 128, 255])
  })
})
