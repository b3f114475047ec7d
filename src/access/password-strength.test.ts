import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requireStrength } from './password-strength.ts'

const weak = { code: 'weak-password', kind: 'invalid' }

describe('the strength of a password', () => {
  it('is too low for common words, repetitions and the name of the user', () => {
    for (const password of ['password', 'aaaaaaaaaaaa', '12345678', 'qwertyuiop'])
      assert.throws(() => requireStrength(password, 2), weak, password)
    assert.throws(() => requireStrength('annamueller1', 2, ['annamueller']), weak)
  })

  it('is enough for unusual words, and for anything where none is required', () => {
    requireStrength('granite otter umbrella', 3)
    requireStrength('password', 0)
  })

  it('judges the longest password that is accepted without a delay', () => {
    const before = process.cpuUsage()
    requireStrength('aB3$'.repeat(256), 1)
    const { user } = process.cpuUsage(before)
    assert.ok(user < 3_000_000, `${user} µs of CPU time`)
  })
})
