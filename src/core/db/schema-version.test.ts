import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isNeighbour, schemaVersionOf } from './schema-version.ts'

const all = ['0001-a', '0002-b', '0003-c', '0004-d']

describe('the version of the tables', () => {
  it('is 1 before the first release', () => {
    assert.equal(schemaVersionOf(all, []), 1)
  })

  it('rises once for each release that adds migrations, and once for those not released', () => {
    assert.equal(schemaVersionOf(all.slice(0, 2), ['0002-b']), 1)
    assert.equal(schemaVersionOf(all.slice(0, 3), ['0002-b']), 2)
    assert.equal(schemaVersionOf(all, ['0002-b']), 2)
    assert.equal(schemaVersionOf(all, ['0002-b', '0003-c']), 3)
    assert.equal(schemaVersionOf(all.slice(0, 1), ['0002-b']), 1)
  })

  it('may differ by one between two servers of a catalogue', () => {
    assert.deepEqual(
      [1, 2, 3, 4].map((one) => isNeighbour(2, one)),
      [true, true, true, false],
    )
  })
})
