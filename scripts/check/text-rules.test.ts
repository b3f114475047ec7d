import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lookupProblems, nameProblems, textProblems } from './text-rules.ts'

const problems = (text: string, path = 'src/geo/x.ts'): string[] => textProblems([{ path, text }])

describe('textProblems', () => {
  it('finds a path of one machine and says in which line', () => {
    assert.deepEqual(problems(`const a = 1\nconst b = '${'/home'}/ann/data'`), [
      'src/geo/x.ts:2 names a path of one machine',
    ])
  })

  it('accepts unfinished work only with an issue number', () => {
    assert.equal(problems(`// ${'TO'}DO later`).length, 1)
    assert.deepEqual(problems(`// ${'TO'}DO #12 later`), [])
  })

  it('finds checks that are switched off and tests that are skipped', () => {
    assert.equal(problems(`// @ts-${'ignore'}`).length, 1)
    assert.equal(problems(`it.${'skip'}('x', () => {})`, 'src/geo/x.test.ts').length, 1)
  })

  it('finds a relative import without its file ending', () => {
    assert.equal(problems("import { a } from './a'").length, 1)
    assert.deepEqual(problems("import { a } from './a.ts'"), [])
  })

  it('finds doc comments that begin with a question word', () => {
    assert.equal(problems(`/** ${'Whether'} it is so. */`).length, 1)
    assert.equal(problems(`/**\n * ${'What'} it is.\n */`).length, 1)
    assert.deepEqual(problems('/** True if it is so. What follows is free. */'), [])
  })

  it('finds a comparison of the dialect outside of src/api/compat', () => {
    const text = "if (dialect === 'geoserver') return"
    assert.equal(problems(text, 'src/api/rest/importer/x.ts').length, 1)
    assert.deepEqual(problems(text, 'src/api/compat/x.ts'), [])
  })
})

describe('lookupProblems', () => {
  const table = 'const names: Record<string, number> = {\n  a: 1,\n}\n'
  const found = (use: string, path = 'src/geo/x.ts') => lookupProblems([{ path, text: table + use }])

  it('finds keys that are looked up in an object', () => {
    assert.deepEqual(found('const a = names[word]'), [
      'src/geo/x.ts:4 looks up a key in the table names: use a Map, or ownValue of src/core/values/record-keys.ts',
    ])
    assert.equal(found('if (word in names) {}').length, 1)
  })

  it('accepts those that only the table itself can have', () => {
    assert.deepEqual(found('const a = ownValue(names, word)'), [])
    assert.deepEqual(found('if (Object.hasOwn(names, word)) {}'), [])
    assert.deepEqual(found('const a = names[word]', 'tests/x.ts'), [])
  })
})

describe('nameProblems', () => {
  it('accepts kebab-case alone', () => {
    assert.deepEqual(nameProblems(['src/geo/crs-table.test.ts', 'src/geo/0001-first.ts']), [])
    assert.equal(nameProblems(['src/geo/CrsTable.ts', 'src/geo/crs_table.ts']).length, 2)
  })
})
