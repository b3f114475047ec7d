import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { divideIntoShards, longFiles } from './shards.ts'

const file = (path: string, imports: string[] = [], text = '') => ({ path, imports, text })
const sources = [
  file('tests/support/app.ts', ['src/app/app.ts']),
  file('tests/pages/support/shown-pages.ts', ['tests/support/app.ts']),
]

/** The files of each shard, by its name. */
function divide(...tests: ReturnType<typeof file>[]): Record<string, string[]> {
  const shards = divideIntoShards(tests, [...sources, ...tests])
  return Object.fromEntries(shards.map(({ name, files }) => [name, files]))
}

describe('divideIntoShards', () => {
  it('puts files together that need the application, a browser, or neither', () => {
    assert.deepEqual(
      divide(
        file('src/geo/a.test.ts'),
        file('tests/contract/b.test.ts', ['tests/support/app.ts']),
        file('tests/pages/c.test.ts', ['tests/pages/support/shown-pages.ts']),
        file('src/geo/d.test.ts'),
      ),
      {
        'application 1': ['tests/contract/b.test.ts'],
        'browser 1': ['tests/pages/c.test.ts'],
        'unit 1': ['src/geo/a.test.ts', 'src/geo/d.test.ts'],
      },
    )
  })

  it('gives a process of its own to a file that changes or measures its process', () => {
    const texts = [
      "process.env.PATH = ''",
      "process.env['TZ'] = 'UTC'",
      "setFlagsFromString('--expose-gc')",
      'await leavesNothingOpen(work)',
      "readdirSync('/proc/self/fd')",
    ]
    const tests = texts.map((text, at) => file(`src/geo/${at}.test.ts`, [], text))
    const shards = divideIntoShards(
      [...tests, file('src/geo/reads.test.ts', [], 'f(process.env.PATH)')],
      sources,
    )
    assert.deepEqual(
      shards.map(({ files }) => files),
      [...tests.map(({ path }) => [path]), ['src/geo/reads.test.ts']],
    )
  })

  it('starts files that take minutes first, the longest before the others, each in a process of its own', () => {
    const shards = divideIntoShards(
      ['a', 'fairness-reads', 'b', 'kills/kill'].map((name) =>
        file(`tests/extended/${name}.test.ts`, ['tests/support/app.ts']),
      ),
      sources,
      { isExtended: true },
    )
    assert.deepEqual(
      shards.map(({ files }) => files.map((path) => path.split('/').at(-1))),
      [['kill.test.ts'], ['fairness-reads.test.ts'], ['a.test.ts', 'b.test.ts']],
    )
  })

  it('knows no long file that does not exist', () => {
    const root = join(import.meta.dirname, '..', '..')
    assert.deepEqual(
      longFiles.filter((path) => !existsSync(join(root, path))),
      [],
    )
  })

  it('spreads neighbouring files over shards of about the same size, each file once', () => {
    const tests = Array.from({ length: 30 }, (_, at) =>
      file(`tests/contract/${at}.test.ts`, ['tests/support/app.ts']),
    )
    const shards = Object.values(divide(...tests))
    assert.deepEqual(shards.flat().toSorted(), tests.map(({ path }) => path).toSorted())
    assert.ok(shards.length > 1)
    assert.ok(
      Math.max(...shards.map(({ length }) => length)) - Math.min(...shards.map(({ length }) => length)) <= 1,
    )
    assert.notEqual(
      shards.findIndex((files) => files.includes('tests/contract/0.test.ts')),
      shards.findIndex((files) => files.includes('tests/contract/1.test.ts')),
    )
  })
})
