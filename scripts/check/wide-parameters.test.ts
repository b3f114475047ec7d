import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wideParameterProblems } from './wide-parameters.ts'

const deps = `
export class Catalog {}
export class Importer {}
export interface Numbers { a: number; b: number; c: number; d: number; e: number; f: number; g: number; h: number }
export interface Deps { catalog: Catalog; importer: Pick<Importer, 'run'>; a: 1; b: 2; c: 3; d: 4; e: 5; f: 6 }
export interface Few { catalog: Catalog; importer: Importer; a: 1 }
export interface Wider extends Omit<Deps, 'a'> { g: 7 }
export interface Store { catalog: Catalog; importer: Importer; a(): 1; b(): 2; c(): 3; d(): 4; e(): 5; f(): 6 }
`

const problems = (text: string, path = 'src/use.ts'): string[] =>
  wideParameterProblems([
    { path: 'src/deps.ts', text: deps },
    {
      path,
      text: `import type { Deps, Few, Numbers, Store, Wider } from '${path.startsWith('src/api/') ? '.' : ''}./deps.ts'\nimport { other } from './other.ts'\n${text}`,
    },
    {
      path: 'src/other.ts',
      text: "import type { Deps } from './deps.ts'\nexport const other = ({ a, b, c }: Deps) => 0\n",
    },
  ]).filter((problem) => !problem.startsWith('src/other.ts'))

describe('wideParameterProblems', () => {
  it('finds containers of which a function uses fewer than half of the members', () => {
    assert.deepEqual(problems('function f(deps: Deps) { return deps.a + deps.b }'), [
      'src/use.ts:3 f uses 2 of 8 members of Deps: take these as parameters',
    ])
    assert.equal(problems('const f = { run: ({ a, b }: Deps) => a + b }').length, 1)
    assert.equal(problems('class C { run(deps: Deps) { const { a, b } = deps } }').length, 1)
    assert.equal(problems('function f(deps: Wider) { return deps.catalog }').length, 1)
    assert.equal(problems('function f({ a }: Few) { return a }').length, 1)
    assert.equal(problems('type Both = Wider & Deps\nfunction f(deps: Both) { return deps.g }').length, 1)
  })

  it('counts what the functions use that receive the container', () => {
    assert.match(
      problems('function f(deps: Deps) { return other(deps) + deps.a }')[0] ?? '',
      /f uses 3 of 8 members of Deps/,
    )
    assert.deepEqual(problems('function f(deps: Deps) { return other(deps) + deps.f }'), [])
    assert.deepEqual(problems('function f(deps: Deps) { return unknown(deps) }'), [])
    assert.deepEqual(problems('function f(deps: Deps) { return { ...deps } }'), [])
    assert.equal(
      problems('function f(deps: Deps, n: number) { if (n > 0) f(deps, n - 1); return deps.a }').length,
      1,
    )
  })

  it('finds every member too many in the handlers of the API', () => {
    const text = 'const o = { handle: ({ catalog, a }: Few) => a }'
    assert.deepEqual(problems(text), [])
    assert.equal(problems(text, 'src/api/use.ts').length, 1)
    assert.deepEqual(problems('const handle = (deps: Few) => run(deps)', 'src/api/use.ts'), [])
    assert.deepEqual(problems("const f = ({ a }: Pick<Few, 'a'>) => a", 'src/api/use.ts'), [])
  })

  it('accepts narrow types, data, services, and use of half of the members', () => {
    assert.deepEqual(problems("function f(deps: Pick<Deps, 'a' | 'b'>) { return deps.a }"), [])
    assert.deepEqual(problems('function f({ a }: Numbers) { return a }'), [])
    assert.deepEqual(problems('function f(store: Store) { return store.a() }'), [])
    assert.deepEqual(problems('function f({ a, b, c, d }: Deps) { return a + b + c + d }'), [])
  })
})
