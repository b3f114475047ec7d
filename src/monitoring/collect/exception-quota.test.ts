import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ExceptionQuota } from './exception-quota.ts'

const created = Date.UTC(2026, 10, 1)

it('lets so many of a minute through, again where they could not be kept', async () => {
  const quota = new ExceptionQuota(3)
  const take = () =>
    [1, 2, 3, 4, 5].map((at) => ({ created: created + at })).filter((one) => quota.take(one.created))
  for (let turn = 0; turn < 4; turn += 1) {
    const taken = take()
    assert.equal(taken.length, 3)
    await assert.rejects(
      quota.whileKept(taken, () => Promise.reject(new Error('disk full'))),
      /disk full/,
    )
  }
  const elsewhere = take()
  assert.equal(await quota.whileKept(elsewhere, () => Promise.resolve(false)), false)
  const taken = take()
  assert.equal(taken.length, 3)
  assert.equal(await quota.whileKept(taken, () => Promise.resolve(true)), true)
  assert.deepEqual(take(), [])
})
