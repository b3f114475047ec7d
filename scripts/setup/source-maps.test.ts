import { strict as assert } from 'node:assert'
import { createRequire, SourceMap } from 'node:module'
import { describe, it } from 'node:test'
import { lineMap } from './source-maps.mjs'

const { build } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
const sources: Record<string, string> = {
  'src/main.ts': `import { twice } from './twice.ts'
import { loud } from '../node_modules/loud/index.ts'

interface Unused {
  text: string
}

export const words: Unused[] = ['a', 'b']
  .map((text) => ({ text }))
  .filter(({ text }) => text !== 'x')

console.log(loud(twice(words.length)))
throw new Error('the end')
`,
  'src/twice.ts': `/** A comment that the bundle does not have. */

export function twice(number: number): number {
  return number * 2
}
`,
  'node_modules/loud/index.ts': `export function loud(number) {
  return String(number) + '!'
}
`,
}

async function bundled(minifyWhitespace: boolean) {
  const { outputFiles } = await build({
    stdin: {
      contents: sources['src/main.ts'] ?? '',
      sourcefile: 'src/main.ts',
      resolveDir: '/',
      loader: 'ts',
    },
    plugins: [
      {
        name: 'sources',
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^\.{1,2}\// }, ({ path }) => ({
            path: path.replace('./', 'src/').replace(/^\.src\//, ''),
            namespace: 'memory',
          }))
          onLoad({ filter: /.*/, namespace: 'memory' }, ({ path }) => ({
            contents: sources[path] ?? '',
            loader: path.endsWith('.ts') ? 'ts' : 'js',
          }))
        },
      },
    ],
    bundle: true,
    format: 'esm',
    write: false,
    outdir: '/out',
    sourcemap: 'external',
    minifyWhitespace,
  })
  const text = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return { script: text('.js').split('\n'), map: JSON.parse(text('.js.map')) }
}

/** The source and line of a word in the bundle, counted from 1. */
function lineOf(map: object, script: string[], word: string): string | undefined {
  const line = script.findIndex((one) => one.includes(word))
  const found = new SourceMap(map as never).findEntry(line, script[line]?.indexOf(word) ?? 0)
  if (!('originalSource' in found) || found.originalSource === undefined) return undefined
  return `${found.originalSource.replace(/^(\.\.\/|memory:)+/, '')}:${found.originalLine + 1}`
}

for (const minified of [false, true]) {
  describe(`lineMap of ${minified ? 'a script on one line' : 'a script on several lines'}`, () => {
    it('tells the line of a source, and none for packages', async () => {
      const { script, map } = await bundled(minified)
      const lines = lineMap(map, (source) => !source.includes('node_modules/'))
      assert.ok(lines)
      assert.equal(lineOf(lines, script, 'new Error'), 'src/main.ts:13')
      assert.equal(lineOf(lines, script, 'console.log'), 'src/main.ts:12')
      assert.equal(lineOf(lines, script, minified ? '*2' : '* 2'), 'src/twice.ts:4')
      assert.equal(lineOf(lines, script, '"!"'), undefined)
    })

    it('is smaller than the map it was made of', async () => {
      const { map } = await bundled(minified)
      const lines = lineMap(map, (source) => !source.includes('node_modules/'))
      assert.ok((lines?.mappings.length ?? 0) < map.mappings.length / 2)
      assert.ok(lines?.sources.every((source) => !source.includes('node_modules')))
    })
  })
}

describe('lineMap', () => {
  it('gives none for a script without a wanted source', async () => {
    const { map } = await bundled(false)
    assert.equal(
      lineMap(map, () => false),
      undefined,
    )
  })
})
