import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { importSpecifiers, sourceFile } from './imports.ts'
import { cycleProblems, layerProblems } from './layers.ts'

const file = (path: string, text: string): ReturnType<typeof sourceFile> => sourceFile('/project', path, text)

describe('importSpecifiers', () => {
  it('finds plain, typed, several-line, side-effect, re-exported, dynamic and worker imports', () => {
    const text = [
      "import { a } from './a.ts'",
      "import type { B } from './b.ts'",
      'import {',
      '  c,',
      '  d,',
      "} from './c.ts'",
      "import './e.ts'",
      "export { f } from './f.ts'",
      "const g = await import('./g.ts')",
      "new Worker(new URL('./h.ts', import.meta.url))",
    ].join('\n')
    assert.deepEqual(
      importSpecifiers(text).sort(),
      'abcefgh'.split('').map((letter) => `./${letter}.ts`),
    )
  })
})

describe('layerProblems', () => {
  it('accepts imports from the same folder and from folders before it', () => {
    const text = "import { a } from '../geo/a.ts'\nimport { b } from './b.ts'\nimport { c } from 'pg'"
    assert.deepEqual(layerProblems([file('src/stores/x.ts', text)]), [])
  })

  it('refuses an import from a folder that comes later, also of a type', () => {
    const problems = layerProblems([file('src/geo/x.ts', "import type { S } from '../stores/store.ts'")])
    assert.deepEqual(problems, ['src/geo/x.ts imports src/stores/store.ts: geo comes before stores'])
  })

  it('refuses that sources, transforms and stores know each other', () => {
    const problems = layerProblems([file('src/stores/x.ts', "import { s } from '../sources/scan.ts'")])
    assert.match(problems.join(), /stores and sources do not know each other/)
  })

  it('refuses that monitoring knows the importer, and its query the collecting', () => {
    const files = [
      file('src/monitoring/x.ts', "import { i } from '../importer/i.ts'"),
      file('src/monitoring/query/x.ts', "import { i } from '../collect/i.ts'"),
    ]
    assert.equal(layerProblems(files).length, 2)
  })

  it('refuses that the program imports tests or scripts, and lets tests import anything', () => {
    const text = "import { t } from '../../tests/support/t.ts'"
    assert.equal(layerProblems([file('src/geo/x.ts', text)]).length, 1)
    assert.equal(layerProblems([file('src/geo/x.test.ts', text)]).length, 0)
  })

  it('names a folder that has no place in the order', () => {
    assert.match(layerProblems([file('src/new/x.ts', "import '../geo/a.ts'")]).join(), /missing/)
  })
})

describe('cycleProblems', () => {
  it('shows a circle of imports from file to file', () => {
    const files = [
      file('src/geo/a.ts', "import { b } from './b.ts'"),
      file('src/geo/b.ts', "import type { C } from './c.ts'"),
      file('src/geo/c.ts', "import { a } from './a.ts'"),
    ]
    assert.deepEqual(cycleProblems(files), [
      'circle of imports: src/geo/a.ts -> src/geo/b.ts -> src/geo/c.ts -> src/geo/a.ts',
    ])
  })

  it('accepts two ways to one file', () => {
    const files = [
      file('src/geo/a.ts', "import './b.ts'\nimport './c.ts'"),
      file('src/geo/b.ts', "import './c.ts'"),
      file('src/geo/c.ts', ''),
    ]
    assert.deepEqual(cycleProblems(files), [])
  })
})
