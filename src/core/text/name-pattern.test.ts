import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { matchesPatterns } from './name-pattern.ts'

const matches = (name: string, pattern: string): boolean =>
  matchesPatterns(name, { include: [pattern], exclude: [] })

describe('matchesPatterns', () => {
  it('matches text for *, a character for ?, and everything else literally', () => {
    for (const [name, pattern, is] of [
      ['roads', 'road*', true],
      ['road', 'road*', true],
      ['roads', 'road?', true],
      ['road', 'road?', false],
      ['Roads', 'road*', false],
      ['a.b', 'a?b', true],
      ['axb', 'a.b', false],
      ['old_roads_2', '*_roads_*', true],
      ['aXbXc', 'a*X', false],
      ['', '*', true],
      ['straße', 's*ß?', true],
      ['🗺x', '?x', true],
    ] as const)
      assert.equal(matches(name, pattern), is, `${name} ${pattern}`)
  })

  it('includes all names without a pattern, and never an excluded one', () => {
    assert.equal(matchesPatterns('a', { include: [], exclude: [] }), true)
    assert.equal(matchesPatterns('a_old', { include: [], exclude: ['*_old'] }), false)
    assert.equal(matchesPatterns('a_old', { include: ['a*'], exclude: ['*_old'] }), false)
  })

  it('agrees with a regular expression, and stays fast where one does not', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
    fc.assert(
      fc.property(name, text, (one, pattern) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`)
        assert.equal(matches(one, pattern), expression.test(one))
      }),
    )
    assert.equal(matches('a'.repeat(300), `${'*a'.repeat(90)}b`), false)
  })
})
