import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { literalSpreadProblems } from './literal-spreads.ts'

const problems = (text: string): string[] => literalSpreadProblems([{ path: 'src/geo/x.ts', text }])

describe('literalSpreadProblems', () => {
  it('finds literals that are spread in literals and calls', () => {
    assert.deepEqual(problems('const a = 1\nconst b = { ...{ a }, c: 2 }'), [
      'src/geo/x.ts:2 spreads a literal: write its members directly',
    ])
    assert.equal(problems('const a = [...[1, 2], 3]').length, 1)
    assert.equal(problems('run(...[1, 2], 3)').length, 1)
    assert.equal(problems("const a = [...(['x'] as const)]").length, 1)
    assert.equal(problems('const a = { b: [{ ...{ c: { ...{ d: 1 } } } }] }').length, 2)
  })

  it('accepts spreads of values, of conditions, and rest parameters', () => {
    assert.deepEqual(problems('const a = { ...b, ...(c ? { d: 1 } : {}), ...e() }'), [])
    assert.deepEqual(problems('const a = [...b, ...(c ? [1] : [])]'), [])
    assert.deepEqual(problems('function f(...[a, b]: [number, number]) {}'), [])
  })
})
