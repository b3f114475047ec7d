import { strict as assert } from 'node:assert'
import { describe, it } from 'node:test'
import { importDirectly } from './direct-imports.mjs'

const index = `// Red.
export { a, b as c, type D } from './deep/a.ts'
export type { E } from './e.ts'
export { f } from '../red/f.ts'
`
const direct = (text: string): string =>
  importDirectly('src/blue/x.ts', text, (path) => (path === 'src/red/index.ts' ? index : undefined))

describe('importDirectly', () => {
  it('imports each name from the file that declares it, and no types', () => {
    assert.equal(
      direct("import { a, c as own, type D, f } from '../red/index.ts'\na()"),
      "import { a, b as own } from '../red/deep/a.ts';import { f } from '../red/f.ts'\na()",
    )
    assert.equal(direct("import type { D } from '../red/index.ts'\nlet d: D"), '\nlet d: D')
    assert.equal(direct("export { a } from '../red/index.ts'"), "export { a } from '../red/deep/a.ts'")
  })

  it('keeps the numbers of lines', () => {
    assert.equal(
      direct("import {\n  a,\n} from '../red/index.ts'\na()"),
      "import { a } from '../red/deep/a.ts'\n\n\na()",
    )
  })

  it('leaves what an index declares itself, and other imports', () => {
    const text = "import { g } from '../red/index.ts'\nimport { h } from '../red/deep/a.ts'"
    assert.equal(direct(text), text)
  })

  it('refuses an index that is loaded later', () => {
    assert.throws(
      () => direct("const { a } = await import('../red/index.ts')"),
      /src\/blue\/x.ts loads an index.ts/,
    )
  })
})
