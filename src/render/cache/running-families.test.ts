import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TileKey } from './cached-tile.ts'
import { RunningFamilies } from './running-families.ts'

function key(x: number, version = 1): TileKey {
  return { layerId: 1, version, variant: '', set: 'WebMercatorQuad', format: 'pbf', tile: { z: 22, x, y: 3 } }
}

describe('families of tiles that this process has begun', () => {
  it('are asked for in files until it is known that there is none', () => {
    const families = new RunningFamilies()
    assert.equal(families.mayHave(key(1)), true)
    assert.equal(families.mayHave(key(2)), true)
    families.begin(key(1))
    assert.equal(families.mayHave(key(2)), false)
    assert.equal(families.mayHave(key(2, 2)), true)
  })

  it('have what was kept while the first was looked for, and since', () => {
    const families = new RunningFamilies()
    families.mayHave(key(1))
    families.keep(key(1))
    families.begin(key(1))
    families.keep(key(4_194_303))
    assert.deepEqual(
      [1, 2, 4_194_303, 4_194_302].map((x) => families.mayHave(key(x))),
      [true, false, true, false],
    )
  })

  it('are asked for again when there were too many to remember', () => {
    const families = new RunningFamilies()
    families.mayHave(key(1))
    families.begin(key(1))
    for (let version = 2; version <= 1001; version += 1) families.mayHave(key(1, version))
    assert.equal(families.mayHave(key(1)), true)
  })
})
