import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedTime } from './shared-time.ts'

test('an item counts its whole time while there is a worker for it', () => {
  let now = 0
  const time = new SharedTime(2, () => now)
  const endFirst = time.begin()
  now = 1000
  const endSecond = time.begin()
  now = 3000
  assert.equal(endSecond(), 2)
  now = 4000
  assert.equal(endFirst(), 4)
})

test('more items than workers share the time', () => {
  let now = 0
  const time = new SharedTime(1, () => now)
  const ends = [time.begin(), time.begin(), time.begin(), time.begin()]
  now = 8000
  assert.deepEqual(
    ends.map((end) => end()),
    [2, 2, 2, 2],
  )
  const end = time.begin()
  now = 9000
  assert.equal(end(), 1)
})
