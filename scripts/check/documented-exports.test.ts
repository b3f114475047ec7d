import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { undocumentedExports } from './documented-exports.ts'

const problems = (text: string, path = 'src/core/x.ts'): string[] =>
  undocumentedExports([{ path, text }], ['src/catalog/door.ts'])

describe('undocumentedExports', () => {
  it('refuses an export without a comment of its own, in lib, geo, contracts and entryPoints', () => {
    const text = '/** One. */\nexport const a = 1\nexport function b(): void {}'
    assert.deepEqual(problems(text), ['src/core/x.ts:3 exports b without a comment'])
    for (const path of ['src/geo/deep/x.ts', 'src/stores/store.ts', 'src/catalog/door.ts'])
      assert.equal(problems(text, path).length, 1, path)
    assert.deepEqual(problems(text, 'src/catalog/inner.ts'), [])
  })

  it('wants a doc comment, of types too', () => {
    assert.equal(problems('// Why.\nexport interface A {}').length, 1)
    assert.equal(problems('/** Of the file. */\nconst a = 1\nexport type B = string').length, 1)
    assert.deepEqual(problems('/** A type. */\nexport interface A {}'), [])
  })

  it('lets constants on lines that follow one another share a comment', () => {
    assert.deepEqual(problems('/** Codes. */\nexport const a = 1\nexport const b = 2'), [])
    assert.equal(problems('/** Codes. */\nexport const a = 1\n\nexport const b = 2').length, 1)
    assert.equal(problems('/** Codes. */\nexport const a = 1\nexport type B = string').length, 1)
  })

  it('lets a type share the comment of the list from which it is made', () => {
    const list = "export const modes = ['a', 'b'] as const\nexport type Mode = (typeof modes)[number]"
    assert.deepEqual(problems(`/** Modes. */\n${list}`), [])
    assert.equal(problems(list).length, 2)
  })
})
