import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requireStrength } from './password-strength.ts'

const weak = { code: 'weak-password', kind: 'invalid' }

describe('the strength of a password', () => {
  it('is too low for common words, repetitions and the name of the user', async () => {
    for (const password of ['password', 'aaaaaaaaaaaa', '12345678', 'qwertyuiop'])
      await assert.rejects(requireStrength(password, 2), weak, password)
    await assert.rejects(requireStrength('annamueller1', 2, ['annamueller']), weak)
  })

  it('is enough for unusual words, and for anything where none is required', async () => {
    await requireStrength('granite otter umbrella', 3)
    await requireStrength('password', 0)
  })

  it('judges the longest password that is accepted without a delay', async () => {
    const before = process.cpuUsage()
    await requireStrength('aB3$'.repeat(256), 1)
    const { user } = process.cpuUsage(before)
    assert.ok(user < 3_000_000, `${user} µs of CPU time`)
  })
})
