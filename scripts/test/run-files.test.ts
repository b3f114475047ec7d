import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { patienceMs } from '../../tests/support/until.ts'
import { runTool } from '../check/run-tool.ts'
import { timesVariable } from './file-times.ts'
import { remarksVariable } from './reporter.ts'

const build = join(import.meta.dirname, '..', '..', 'build', 'tests')
const runner = new URL('./run-files.ts', import.meta.url).href
const withoutAsyncHook = new URL('./without-async-hook.ts', import.meta.url).href

/** Runs files with these contents in one process of node's test runner. Returns its exit code and output. */
async function runTogether(
  t: TestContext,
  files: Record<string, string>,
): Promise<{ code: number | null; output: string; log: string }> {
  mkdirSync(build, { recursive: true })
  const folder = mkdtempSync(join(build, 'run-files-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log')
  writeFileSync(log, '')
  const head = `import { after, before, describe, it } from 'node:test'
import { appendFileSync } from 'node:fs'
const log = (text) => appendFileSync(${JSON.stringify(log)}, text + '\\n')\n`
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), head + text)
  const shard = join(folder, 'shard.ts')
  writeFileSync(
    shard,
    `import { runTestFiles } from '${runner}'\nawait runTestFiles(${JSON.stringify(folder)}, ${JSON.stringify(Object.keys(files))}, ${2 ** 30})\n`,
  )
  const reporter = new URL('./reporter.ts', import.meta.url).href
  const { NODE_TEST_CONTEXT: _inner, ...env } = process.env
  const { code, output } = await runTool(
    folder,
    process.execPath,
    [
      '--test',
      `--import=${withoutAsyncHook}`,
      `--test-reporter=${reporter}`,
      '--test-reporter-destination=stdout',
      shard,
    ],
    { ...env, [timesVariable]: join(folder, 'times.jsonl'), [remarksVariable]: 'a remark' },
  )
  return { code, output, log: readFileSync(log, 'utf8') }
}

/** The counts of node's summary. */
function countsOf(output: string): Record<string, number> {
  return Object.fromEntries(
    [...output.matchAll(/^ℹ (tests|pass|fail|cancelled) (\d+)$/gm)].map(([, name, count]) => [
      name,
      Number(count),
    ]),
  )
}

describe('runTestFiles', () => {
  it('runs each file with its own hooks, after the tests and hooks of the file before', async (t) => {
    const { code, output, log } = await runTogether(t, {
      'a.test.ts': `before(() => log('before a'))
after(() => log('after a'))
log('a is loaded')
it('one', () => log('one of a'))
describe('more of a', () => { it('two', () => log('two of a')) })`,
      'b.test.ts': `log('b is loaded')\nit('one', () => log('one of b'))`,
    })
    assert.equal(code, 0, output)
    assert.deepEqual(log.trim().split('\n'), [
      'a is loaded',
      'before a',
      'one of a',
      'two of a',
      'after a',
      'b is loaded',
      'one of b',
    ])
    assert.deepEqual(countsOf(output), { tests: 3, pass: 3, fail: 0, cancelled: 0 })
  })

  it('goes on behind a file that cannot be loaded and behind a hook that throws', {
    timeout: patienceMs,
  }, async (t) => {
    const { code, output, log } = await runTogether(t, {
      'broken.test.ts': `throw new Error('cannot be loaded')`,
      'before.test.ts': `before(() => { throw new Error('before fails') })\nit('one', () => log('one of before'))`,
      'after.test.ts': `after(() => { throw new Error('after fails') })\nit('one', () => log('one of after'))
describe('nested', () => { after(() => { throw new Error('nested fails') }); it('two', () => log('two of after')) })
it('three', () => log('three of after'))`,
      'last.test.ts': `it('one', () => log('one of last'))`,
    })
    assert.equal(code, 1)
    assert.match(output, /✖ broken\.test\.ts/)
    assert.match(output, /cannot be loaded/)
    assert.match(output, /before fails/)
    assert.match(output, /after fails/)
    assert.match(output, /nested fails/)
    assert.match(log, /one of after\ntwo of after\nthree of after\n/)
    assert.match(log, /one of last/)
  })

  it('names the file in which the process ended, and ends with the summary of node', async (t) => {
    const { code, output, log } = await runTogether(t, {
      'a.test.ts': `it('one', () => log('one of a'))`,
      'crash.test.ts': `it('one', () => process.exit(7))`,
      'never.test.ts': `it('one', () => log('one of never'))`,
    })
    assert.equal(code, 1)
    assert.equal(log, 'one of a\n')
    const lines = output.split('\n')
    const summary = lines.findIndex((line) => line.startsWith('ℹ tests '))
    const before = lines.slice(0, summary).join('\n')
    assert.match(
      before,
      /A process ended while it ran crash\.test\.ts \(.*shard\.ts\); the files after it did not run\./,
    )
    assert.match(before, /slowest 1 files/)
    assert.match(before, /a remark/)
    assert.match(lines.slice(summary).join('\n'), /^ℹ tests \d+\nℹ suites/)
  })

  it('runs no asynchronous hook of node, and reports errors after an await under their test', async (t) => {
    const { code, output, log } = await runTogether(t, {
      // Asynchronous resources have an id of their own only while a hook is active.
      'ids.test.ts': `import { executionAsyncId } from 'node:async_hooks'
it('one', async () => { await 1; log('id ' + executionAsyncId()) })`,
      'errors.test.ts': `await 1
const pause = () => new Promise((resolve) => setTimeout(resolve, 100))
describe('group', () => {
  it('has a timer that throws', async () => {
    await 1
    setTimeout(() => { throw new Error('thrown by a timer') })
    await pause()
  })
  it('rejects', async () => {
    await 1
    Promise.reject(new Error('rejected by nobody'))
    await pause()
  })
})`,
      'hooks.test.ts': `describe('hooks', () => {
  after(async () => { await 1; throw new Error('thrown by a hook') })
  it('one', async (inner) => { await 1; await inner.test('inner', () => log('inner')) })
})`,
    })
    assert.equal(code, 1, output)
    assert.deepEqual(log.trim().split('\n'), ['id 0', 'inner'])
    assert.match(
      output,
      /✖ has a timer that throws[^✖✔]*\n {4}✖ rejects[^✖✔]*\n {2}✖ group[^✖✔]*\n✖ errors\.test\.ts/,
    )
    assert.match(output, /✖ has a timer that throws.*\n {2}Error: thrown by a timer/)
    assert.match(output, /✖ rejects.*\n {2}Error: rejected by nobody/)
    assert.match(output, /✖ hooks.*\n {2}Error: thrown by a hook/)
  })
})
