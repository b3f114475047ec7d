import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cycleProblems, layerProblems, planProblems } from './import-order.ts'
import { importSpecifiers, sourceFile } from './imports.ts'
import type { ModuleRules } from './module-rules.ts'

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

/** Small example: two layers, the second with packages. */
const moduleRules: ModuleRules = {
  modules: {
    src: ['lib', ['red', 'blue'], 'app', 'main.ts'],
    'src/app': ['.', 'model', ['left', 'right'], 'registry.ts'],
  },
  entryPoints: { 'src/app/left': ['left.ts'], 'src/blue': ['index.ts', 'worker.ts'] },
  forbidden: { 'src/app': ['src/red'] },
  unordered: [],
  withoutIndex: ['src/lib', 'src/red', 'src/app'],
}

/** Returns the problems of a single import. */
const problems = (from: string, specifier: string): string[] =>
  layerProblems([file(from, `import { a } from '${specifier}'`)], moduleRules)

describe('layerProblems', () => {
  it('accepts imports from the same folder and from those before it, and of packages', () => {
    assert.deepEqual(problems('src/red/x.ts', './y.ts'), [])
    assert.deepEqual(problems('src/red/x.ts', '../lib/y.ts'), [])
    assert.deepEqual(problems('src/main.ts', './app/model/y.ts'), [])
    assert.deepEqual(problems('src/lib/x.ts', 'pg'), [])
  })

  it('refuses an import from a folder that comes later, also of a type', () => {
    const text = "import type { S } from '../red/store.ts'"
    assert.deepEqual(layerProblems([file('src/lib/x.ts', text)], moduleRules), [
      'src/lib/x.ts imports src/red/store.ts: lib comes before red',
    ])
  })

  it('takes every other sub-folder for an entry, which knows no other entry and nothing that stands behind them', () => {
    const extensionPoint: ModuleRules = {
      ...moduleRules,
      modules: { ...moduleRules.modules, 'src/blue': ['*', '.'] },
    }
    const entryProblems = (from: string, specifier: string): string[] =>
      layerProblems([file(from, `import { a } from '${specifier}'`)], extensionPoint)
    assert.deepEqual(entryProblems('src/blue/all.ts', './square/y.ts'), [])
    assert.deepEqual(entryProblems('src/blue/round/x.ts', './y.ts'), [])
    assert.deepEqual(entryProblems('src/blue/round/x.ts', '../square/y.ts'), [
      'src/blue/round/x.ts imports src/blue/square/y.ts: round and square do not know each other',
    ])
    assert.deepEqual(entryProblems('src/blue/round/x.ts', '../all.ts'), [
      'src/blue/round/x.ts imports src/blue/all.ts: round comes before the files of src/blue',
    ])
  })

  it('refuses an import against the order of the modules of a folder', () => {
    assert.deepEqual(problems('src/app/model/x.ts', '../left/left.ts'), [
      'src/app/model/x.ts imports src/app/left/left.ts: model comes before left',
    ])
    assert.deepEqual(problems('src/app/left/x.ts', '../model/deep/y.ts'), [])
  })

  it('knows the place of a file that the order names, and of the other files of a folder', () => {
    assert.deepEqual(problems('src/app/registry.ts', './right/y.ts'), [])
    assert.deepEqual(problems('src/app/right/x.ts', '../registry.ts'), [
      'src/app/right/x.ts imports src/app/registry.ts: right comes before registry.ts',
    ])
    assert.deepEqual(problems('src/app/right/x.ts', '../contract.ts'), [])
    assert.deepEqual(problems('src/app/contract.ts', './right/x.ts'), [
      'src/app/contract.ts imports src/app/right/x.ts: the files of src/app comes before right',
    ])
  })

  it('refuses that modules which stand side by side know each other', () => {
    assert.match(problems('src/red/x.ts', '../blue/y.ts').join(), /red and blue do not know each other/)
    assert.match(problems('src/app/right/x.ts', '../left/left.ts').join(), /right and left do not know/)
  })

  it('refuses what is strange to a folder although it stands before it', () => {
    assert.match(problems('src/app/model/x.ts', '../../red/y.ts').join(), /src\/app and src\/red do not know/)
    assert.deepEqual(problems('src/app/model/x.ts', '../../blue/index.ts'), [])
  })

  it('refuses to enter a module beside its door', () => {
    assert.deepEqual(problems('src/app/registry.ts', './left/inner.ts'), [
      'src/app/registry.ts imports src/app/left/inner.ts: src/app/left is entered through left.ts',
    ])
    assert.deepEqual(problems('src/app/registry.ts', './left/left.ts'), [])
    assert.deepEqual(problems('src/app/left/left.ts', './inner.ts'), [])
  })

  it('lets other folders import only the index of a folder, and the files that are listed beside it', () => {
    for (const name of ['index.ts', 'worker.ts'])
      assert.deepEqual(problems('src/app/x.ts', `../blue/${name}`), [])
    assert.deepEqual(problems('src/app/x.ts', '../blue/inner.ts'), [
      'src/app/x.ts imports src/blue/inner.ts: src/blue is entered through index.ts or worker.ts',
    ])
    assert.deepEqual(problems('src/app/x.test.ts', '../blue/inner.ts'), [])
  })

  it('lets an index import any file of its folder, and no file of the folder the index', () => {
    assert.deepEqual(problems('src/app/index.ts', './left/inner.ts'), [])
    assert.deepEqual(problems('src/blue/worker.ts', './deep/y.ts'), [])
    assert.match(problems('src/app/index.ts', '../red/y.ts').join(), /src\/app and src\/red do not know/)
    assert.match(problems('src/blue/deep/x.ts', '../index.ts').join(), /import each other directly/)
  })

  it('lets the program enter a package through index.ts, and lets a package import itself alone', () => {
    assert.deepEqual(problems('src/red/x.ts', '../../packages/one/index.ts'), [])
    assert.match(problems('src/red/x.ts', '../../packages/one/inner.ts').join(), /entered through index.ts/)
    assert.deepEqual(problems('packages/one/x.ts', './inner.ts'), [])
    assert.match(problems('packages/one/x.ts', '../../src/red/x.ts').join(), /outside packages\/one/)
    assert.match(problems('packages/one/x.ts', '../two/index.ts').join(), /outside packages\/one/)
  })

  it('refuses that the program imports tests or scripts, and lets tests import anything', () => {
    assert.equal(problems('src/red/x.ts', '../../tests/support/t.ts').length, 1)
    assert.equal(problems('src/red/x.ts', './y.test.ts').length, 1)
    assert.equal(problems('src/red/x.test.ts', '../../tests/support/t.ts').length, 0)
  })
})

describe('planProblems', () => {
  const modules = [
    'app/contract.ts',
    'app/model/m.ts',
    'app/left/left.ts',
    'app/right/r.ts',
    'app/registry.ts',
  ]
  const paths = [...modules, 'lib/a.ts', 'red/a.ts', 'blue/index.ts', 'blue/worker.ts', 'main.ts'].map(
    (path) => `src/${path}`,
  )

  it('accepts a plan that names every module', () => {
    assert.deepEqual(planProblems(paths, moduleRules), [])
  })

  it('names a folder that has no place in the order, and a place that has no folder', () => {
    assert.deepEqual(planProblems([...paths, 'src/new/x.ts'], moduleRules), [
      'scripts/check/layers.ts does not say where new stands among the modules of src',
      'scripts/check/layers.ts does not list index.ts first among the entry points of src/new',
    ])
    const without = paths.filter((path) => !path.startsWith('src/blue/'))
    assert.deepEqual(planProblems(without, moduleRules), [
      'scripts/check/layers.ts names src/blue, which does not exist',
      'scripts/check/layers.ts names src/blue/index.ts, which does not exist',
      'scripts/check/layers.ts names src/blue/worker.ts, which does not exist',
    ])
  })

  it('wants an index for every folder that is not listed as without', () => {
    const { 'src/blue': _, ...entryPoints } = moduleRules.entryPoints
    assert.deepEqual(planProblems(paths, { ...moduleRules, entryPoints }), [
      'scripts/check/layers.ts does not list index.ts first among the entry points of src/blue',
    ])
    const withoutIndex = [...moduleRules.withoutIndex, 'src/blue']
    assert.match(
      planProblems(paths, { ...moduleRules, withoutIndex }).join(),
      /says that src\/blue has no index/,
    )
  })

  it('wants an order for every folder with modules', () => {
    const more = [...paths, 'src/red/b/x.ts', 'src/red/b/c/x.ts']
    assert.deepEqual(planProblems(more, moduleRules), [
      'scripts/check/layers.ts gives the modules of src/red no order',
      'scripts/check/layers.ts gives the modules of src/red/b no order',
    ])
    assert.deepEqual(planProblems(more, { ...moduleRules, unordered: ['src/red', 'src/red/b'] }), [])
    assert.match(
      planProblems(paths, { ...moduleRules, unordered: ['src/app'] }).join(),
      /remove it from the list/,
    )
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
