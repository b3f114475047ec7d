import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { functionProblems } from './function-lines.ts'

const body = (lines: number, line = '  run()'): string => Array.from({ length: lines }, () => line).join('\n')
const problems = (text: string, path = 'src/geo/x.ts'): string[] => functionProblems([{ path, text }])

describe('functionProblems', () => {
  it('counts from the signature to the closing brace', () => {
    assert.deepEqual(problems(`function a(): void {\n${body(78)}\n}`), [])
    assert.deepEqual(problems(`const b = 1\nfunction a(): void {\n${body(79)}\n}`), [
      'src/geo/x.ts:2 is a function of 81 lines: 80 are the most',
    ])
  })

  it('counts blank lines, comments, and the lines of functions inside', () => {
    assert.equal(problems(`const a = () => {\n${body(79, '')}\n}`).length, 1)
    assert.equal(problems(`const a = () => {\n${body(79, '  // more')}\n}`).length, 1)
    assert.equal(problems(`const a = () => {\n${body(40, '  on(() => {\n  })')}\n}`).length, 1)
  })

  it('counts methods with their name, and leaves tests alone', () => {
    const method = `class A {\n  async run(\n    a: number,\n  ): Promise<void> {\n${body(77)}\n  }\n}`
    assert.equal(problems(method).length, 1)
    assert.deepEqual(problems(method, 'src/geo/x.test.ts'), [])
    assert.deepEqual(problems(method, 'tests/support/x.ts'), [])
  })
})
