import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { languageProblems } from './language.ts'
import { languageExceptions } from './language-exceptions.ts'

const inSource = (text: string, path = 'src/geo/x.ts'): string[] => languageProblems([{ path, text }], [], [])
const inPage = (text: string, path = 'docs/x.md'): string[] => languageProblems([], [{ path, text }], [])

describe('languageProblems', () => {
  it('finds phrases in comments and messages, with the line', () => {
    assert.deepEqual(inSource('\n/** A rehearsal of the import. */'), [
      'src/geo/x.ts:2 has "rehearsal": use a standard term, such as dry run',
    ])
    assert.equal(inSource("throw new Error('The version is brought back')").length, 1)
    assert.equal(inSource('const text = `Mend the $' + '{name}`').length, 1)
    assert.deepEqual(inSource("const word = 'recommended, amended, returns'"), [])
  })

  it('does not check the strings of tests, nor quoted names', () => {
    assert.deepEqual(inSource("it('is under way', run)", 'tests/contract/x.test.ts'), [])
    assert.deepEqual(inSource("const text = 'Name rules of `mended`'"), [])
  })

  it('finds words and phrases in identifiers', () => {
    for (const text of [
      'const askedTile = 1',
      'f(isWanted)',
      'class A { #ledger = 1 }',
      'const rowsLaidBy = 1',
      'putTableBack()',
    ])
      assert.equal(inSource(text).length, 1, text)
    assert.deepEqual(inSource('const requestedTile = task + shoulder'), [])
  })

  it('finds types named like sentences, and ambiguous words as names of types only', () => {
    for (const text of [
      'interface KeptTile {}',
      'type TileWish = string',
      'class Place {}',
      'type ColumnLook = 1',
    ])
      assert.equal(inSource(text).length, 1, text)
    assert.deepEqual(inSource('interface StoredTile {}\nconst kind = place.look'), [])
  })

  it('finds names of folders and files', () => {
    assert.equal(inSource('', 'src/geo/place/x.ts').length, 1)
    assert.equal(inSource('', 'src/geo/drop-trial.ts').length, 1)
    assert.deepEqual(inSource('', 'src/geo/place-names.ts'), [])
  })

  it('finds phrases in pages outside of code, and of decisions only in the title', () => {
    assert.deepEqual(inPage('one\nA job is under way.'), [
      'docs/x.md:2 has "under way": use a standard term, such as running, pending, in flight',
    ])
    assert.deepEqual(inPage('`nothing-mended`\n```\nmend\n```\n'), [])
    assert.equal(inPage('# A crew\ntext', 'docs/decisions/0001-x.md').length, 1)
    assert.deepEqual(inPage('# Title\nA crew', 'docs/decisions/0001-x.md'), [])
  })

  it('accepts exceptions, and refuses those that do not occur', () => {
    const exception = { where: 'src/geo/', what: 'crew', reason: 'a test' }
    assert.deepEqual(
      languageProblems([{ path: 'src/geo/x.ts', text: 'const crew = 1' }], [], [exception]),
      [],
    )
    assert.equal(languageProblems([], [], [exception]).length, 1)
  })

  it('has at most 100 exceptions, each with a reason', () => {
    assert.ok(languageExceptions.length <= 100)
    assert.ok(languageExceptions.every(({ reason }) => reason.length > 5))
  })
})
