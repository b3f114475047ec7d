import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type LayerVersion, wayBack } from './undo-target.ts'

const made = (version: number, by: number | null, cause = 'import', restorable = true): LayerVersion => ({
  version,
  cause,
  import: by,
  restorable,
})

describe('the way back from an import', () => {
  it('leads to what was before, to no layer where there was none, and forth again', () => {
    assert.deepEqual(wayBack([made(2, 7), made(1, 3)], 7), { to: 1, isRedo: false })
    assert.deepEqual(wayBack([made(1, 7)], 7), { to: undefined, isRedo: false })
    assert.deepEqual(wayBack([made(3, null, 'restore'), made(2, 7), made(1, 3)], 7), { to: 2, isRedo: true })
    assert.deepEqual(wayBack([made(2, null, 'delete'), made(1, 7)], 7), { to: 1, isRedo: true })
    const redone = [made(3, null, 'restore'), made(2, null, 'delete'), made(1, 7)]
    assert.deepEqual(wayBack(redone, 7), { to: undefined, isRedo: false })
  })

  it('is closed where others changed the layer, or nothing is kept', () => {
    assert.equal(wayBack([], 7), undefined)
    assert.equal(wayBack([made(3, 9), made(2, 7)], 7), undefined)
    assert.equal(wayBack([made(3, null, 'outside'), made(2, 7)], 7), undefined)
    assert.equal(wayBack([made(2, 7), made(1, 3, 'import', false)], 7), undefined)
    assert.equal(wayBack([made(4, null, 'restore'), made(3, 9), made(2, 7)], 7), undefined)
  })
})
