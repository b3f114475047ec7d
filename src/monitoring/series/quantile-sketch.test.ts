import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QuantileSketch, quantileError } from './quantile-sketch.ts'

describe('quantiles', () => {
  it('of few values are the slow ones where they are asked for: none of two is the quick one at 95 %', () => {
    const sketch = sketchOf([14, 1224])

    isAbout(sketch.quantile(0.5), 14)
    isAbout(sketch.quantile(0.95), 1224)
    isAbout(sketch.quantile(0.99), 1224)
  })

  it('are the least value that the share does not exceed', () => {
    const sketch = sketchOf(Array.from({ length: 100 }, (_, index) => index + 1))

    for (const percent of [1, 50, 90, 95, 99, 100]) isAbout(sketch.quantile(percent / 100), percent)
    isAbout(sketch.quantile(0.991), 100)
    isAbout(sketch.quantile(0), 1)
    const shares = [0, 0.001, 0.5, 0.5, 0.95, 0.991, 1]
    assert.deepEqual(
      sketch.quantiles(shares),
      shares.map((share) => sketch.quantile(share)),
    )
  })

  it('are nothing of nothing', () => {
    assert.equal(new QuantileSketch().quantile(0.95), undefined)
    assert.deepEqual(new QuantileSketch().quantiles([0.5, 0.95]), [undefined, undefined])
  })
})

function sketchOf(values: readonly number[]): QuantileSketch {
  const sketch = new QuantileSketch()
  for (const value of values) sketch.add(value)
  return sketch
}

function isAbout(found: number | undefined, expected: number): void {
  assert.ok(found !== undefined)
  assert.ok(Math.abs(found - expected) <= expected * quantileError * 1.001, `${found} is not ${expected}`)
}
