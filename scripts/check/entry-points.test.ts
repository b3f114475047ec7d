import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exportListProblems } from './entry-points.ts'

const head = '// Reads files. Knows no layer. Start reading at `a.ts`.\n\n'
const problems = (text: string, path = 'src/red/index.ts'): string[] => exportListProblems([{ path, text }])

describe('exportListProblems', () => {
  it('accepts named re-exports below a head comment of up to three sentences', () => {
    const text = `${head}export { a, type B } from './a.ts'\nexport type { C } from './deep/c.ts'\n`
    assert.deepEqual(problems(text), [])
  })

  it('refuses other statements, and exports without names', () => {
    for (const statement of ["export * from './a.ts'", 'export const a = 1', "import { a } from './a.ts'"])
      assert.match(problems(head + statement).join(), /src\/red\/index.ts must contain only/, statement)
  })

  it('refuses a missing or long head comment', () => {
    assert.match(problems("export { a } from './a.ts'").join(), /head comment/)
    assert.match(problems("// One. Two. Three. Four.\nexport { a } from './a.ts'").join(), /head comment/)
  })

  it('checks index.ts of any folder and worker.ts of a folder of src alone', () => {
    for (const path of ['src/red/deep/index.ts', 'src/red/worker.ts'])
      assert.equal(problems('export const a = 1', path).length, 2, path)
    for (const path of ['src/red/deep/worker.ts', 'src/red/a.ts', 'packages/one/index.ts'])
      assert.deepEqual(problems('export const a = 1', path), [], path)
  })
})
