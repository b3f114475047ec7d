import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { joinedConditions } from './joined-conditions.ts'

describe('conditions as one', () => {
  it('are taken by SQLite however many they are, and mean what they do in a row', () => {
    const db = new DatabaseSync(':memory:')
    const values = Array.from({ length: 9000 }, (_, at) => at * 2)
    const found = (sql: string): unknown => Object.values(db.prepare(`SELECT ${sql}`).get() ?? {})[0]
    const any = (value: number): string =>
      joinedConditions(
        values.map((one) => `${value} = ${one}`),
        'OR',
      )
    assert.deepEqual(
      [0, 7, 17_998, 18_000].map((value) => found(any(value))),
      [1, 0, 1, 0],
    )
    const all = (value: number): string =>
      joinedConditions(
        values.map((one) => `${value} <> ${one}`),
        'AND',
      )
    assert.deepEqual(
      [0, 7, 17_998, 18_000].map((value) => found(all(value))),
      [0, 1, 0, 1],
    )
    assert.equal(joinedConditions(['a', 'b'], 'OR'), '(a OR b)')
    db.close()
  })
})
