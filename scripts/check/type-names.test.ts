import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { extensionPoints } from './extension-points.ts'
import { typeNameProblems } from './type-names.ts'

const problems = (text: string, path = 'src/catalog/x.ts'): string[] =>
  typeNameProblems(
    [{ path, text }],
    [
      { entry: 'store', names: ['GeoPackage', 'PostGIS'], home: ['src/stores'] },
      { entry: 'channel', names: ['user'], home: ['src/notify/channels'], within: ['src/notify'] },
    ],
  )

describe('typeNameProblems', () => {
  it('refuses comparisons, cases, keys and lists that name an entry of a seam', () => {
    assert.deepEqual(problems("\nconst a = store.type === 'PostGIS'"), [
      'src/catalog/x.ts:2 asks for the store "PostGIS" by name, outside src/stores',
    ])
    for (const text of [
      "const a = 'PostGIS' != type",
      "switch (type) { case 'PostGIS': run() }",
      'const makers = { PostGIS: make }',
      "const makers = { 'PostGIS': make }",
      "const is = ['PostGIS', 'other'].includes(type)",
      "const known = new Set(['PostGIS'])",
      "const makers = new Map([['PostGIS', make]])",
    ])
      assert.equal(problems(text).length, 1, text)
  })

  it('lets values be given, and the home of the seam and tests tell its entries apart', () => {
    assert.deepEqual(problems("create({ type: 'GeoPackage' })"), [])
    assert.deepEqual(problems("const message = 'PostGIS'"), [])
    assert.deepEqual(problems("const a = type === 'PostGIS'", 'src/stores/registry.ts'), [])
    assert.deepEqual(problems("const a = type === 'PostGIS'", 'src/catalog/x.test.ts'), [])
  })

  it('looks for words of everyday use in the folders that mean them so, and not among keys', () => {
    assert.equal(problems("const a = kind === 'user'", 'src/notify/x.ts').length, 1)
    assert.deepEqual(problems("const a = kind === 'user'", 'src/notify/channels/mail.ts'), [])
    assert.deepEqual(problems("const a = kind === 'user'"), [])
    assert.deepEqual(problems('const a = { user: 1 }', 'src/notify/x.ts'), [])
  })

  it('knows the names of the registries', () => {
    for (const { entry, names } of extensionPoints) assert.ok(names.length > 0, entry)
    assert.ok(extensionPoints.some(({ names }) => names.includes('Shapefile')))
  })
})
