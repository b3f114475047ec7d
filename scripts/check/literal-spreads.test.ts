import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conditionalSpreadProblems, literalSpreadProblems } from './literal-spreads.ts'

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

describe('conditionalSpreadProblems', () => {
  const found = (text: string, exceptions: string[] = []): string[] =>
    conditionalSpreadProblems([{ path: 'src/geo/x.ts', text }], exceptions)

  it('finds single members that are spread under a condition', () => {
    assert.deepEqual(found('const a = {\n  ...(b === undefined ? {} : { b }),\n}'), [
      'src/geo/x.ts:2 spreads a conditional member: write it directly',
    ])
    assert.equal(found('const a = { c, ...(b ? { b: b.d } : {}) }').length, 1)
    assert.equal(found('const a = { ...(b && { b }) }').length, 1)
  })

  it('accepts spreads after another one, of several members, of computed names, in arrays and in listed files', () => {
    assert.deepEqual(found('const a = { ...c, ...(b ? { b } : {}) }'), [])
    assert.deepEqual(found('const a = { ...(b ? { b, c } : {}) }'), [])
    assert.deepEqual(found('const a = { ...(b ? { [b]: 1 } : {}) }'), [])
    assert.deepEqual(found('const a = [...(b ? [b] : [])]'), [])
    assert.deepEqual(found('const a = { ...(b && { b }) }', ['src/geo/x.ts']), [])
  })
})
