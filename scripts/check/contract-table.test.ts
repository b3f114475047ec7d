import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contractProblems } from './contract-table.ts'

const tests = [
  { path: 'tests/contract/importer/flows.test.ts', text: "it('1: a directory becomes layers', () => {})" },
  { path: 'src/geo/x.test.ts', text: 'it("finds one\'s way", () => {})' },
]

function problemsOf(...proofs: string[]): string[] {
  const rows = proofs.map((proof) => `| a rule | ${proof} |`)
  const text = ['| rule | test |', '|---|---|', ...rows].join('\n')
  return contractProblems({ path: 'docs/x.md', text }, tests)
}

describe('contractProblems', () => {
  it('accepts whole titles, beginnings and whole files', () => {
    assert.deepEqual(
      problemsOf('`flows` "1: a directory", `src/geo/x.test.ts` "finds one\'s way"', '`flows`'),
      [],
    )
  })

  it('finds a test that is gone, in the file that is named before it', () => {
    assert.deepEqual(problemsOf('`flows` "2: gone", `src/geo/x.test.ts` "1: a directory"'), [
      'docs/x.md, "a rule": tests/contract/importer/flows.test.ts has no test that begins "2: gone"',
      'docs/x.md, "a rule": src/geo/x.test.ts has no test that begins "1: a directory"',
    ])
  })

  it('finds a file that is gone, and a row that names none', () => {
    assert.deepEqual(problemsOf('`audit-gone`', 'surely'), [
      'docs/x.md, "a rule": tests/contract/importer/audit-gone.test.ts does not exist',
      'docs/x.md, "a rule": names no test',
    ])
  })
})
