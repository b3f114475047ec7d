import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'

const repository = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const dayMs = 86_400_000

/** Small program with a thread, a child process and a file next to a source, on the real worker modules. */
const program: Record<string, string> = {
  'src/main.ts': `import { readFileSync } from 'node:fs'
import { bundleFolder, holdBundle } from './core/bundle/bundle-folder.ts'
import { greetings } from './greetings/greetings.ts'
import { mapStackTraces } from './core/bundle/stack-traces.ts'

mapStackTraces()
if (process.argv[2] === 'fail') throw new Error('failed on purpose')
if (process.argv[2] === 'hold') {
  const release = holdBundle()
  process.stdin.resume().on('end', async () => {
    const { late } = await import('./late.ts')
    console.log(JSON.stringify([late(), ...(await greetings())]))
    release()
  })
  console.log('ready')
} else {
  const text = readFileSync(new URL('./greetings/text.txt', import.meta.url), 'utf8')
  console.log(JSON.stringify({ isBundled: bundleFolder !== undefined, text, greetings: await greetings() }))
}
`,
  'src/late.ts': `export const late = (): string => 'loaded later'\n`,
  'src/greetings/text.txt': 'hello',
  'src/greetings/greetings.ts': `import { startProcess } from '../core/workers/start-process.ts'
import { startThread } from '../core/workers/start-thread.ts'
import type { GreetHandlers } from './greet-work.ts'

const file = new URL('./greet-work.ts', import.meta.url)

/** Returns the messages of a thread and a child process, with the location of each failure. */
export async function greetings(): Promise<string[]> {
  const said: string[] = []
  for (const start of [startThread<GreetHandlers>, startProcess<GreetHandlers>]) {
    const worker = start(file)
    said.push(await worker.call('greet'))
    said.push(await worker.call('fail').catch((error: Error) => error.constructor.name + ' ' + (error.stack ?? '')))
    await worker.end()
  }
  return said
}
`,
  'src/greetings/greet-work.ts': `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleFolder } from '../core/bundle/bundle-folder.ts'
import { invalid } from '../core/errors/errors.ts'
import { serveWork } from '../core/workers/serve-work.ts'

interface Unused {
  field: string
}

const handlers = {
  greet: (): string =>
    (bundleFolder === undefined ? 'sources: ' : 'bundle: ') + readFileSync(join(import.meta.dirname, 'text.txt'), 'utf8'),
  fail: (): Promise<Unused> => {
    throw invalid('greeting', 'not today')
  },
}

export type GreetHandlers = typeof handlers
serveWork(handlers)
`,
}

/** Creates a tree with that program, and with the set-up and the packages of the repository. */
function smallTree(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'terrane-bundle-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const path of ['bin', 'scripts/setup', 'src/core', 'package.json']) {
    cpSync(join(repository, path), join(root, path), { recursive: true })
  }
  mkdirSync(join(root, 'node_modules'))
  for (const name of readdirSync(join(repository, 'node_modules'))) {
    if (!name.startsWith('.'))
      symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name))
  }
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{"packages": 1}')
  for (const [path, text] of Object.entries(program)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const buildScript = `import('./scripts/setup/server.mjs').then(({ buildServer }) => buildServer(process.cwd()))`

/** Runs the part of the set-up that builds the server, in a process as the set-up is. */
async function build(root: string): Promise<void> {
  await run(process.execPath, ['-e', buildScript], { cwd: root })
}

const terrane = (root: string): string => join(root, 'bin/terrane.mjs')

async function answer(root: string): Promise<{ isBundled: boolean; text: string; greetings: string[] }> {
  const { stdout } = await run(process.execPath, [terrane(root), 'greet'])
  return JSON.parse(stdout)
}

function bundles(root: string): string[] {
  return readdirSync(join(root, 'build/server')).filter((name) => name !== 'current.json')
}

function current(root: string): string {
  return JSON.parse(readFileSync(join(root, 'build/server/current.json'), 'utf8')).id
}

function edit(root: string, path: string, from: string, to: string): void {
  const text = readFileSync(join(root, path), 'utf8')
  assert.ok(text.includes(from))
  writeFileSync(join(root, path), text.replace(from, to))
}

function age(path: string): void {
  const old = new Date(Date.now() - 2 * dayMs)
  utimesSync(path, old, old)
}

describe('the bundle of the server', () => {
  it('is what runs in the process, its threads and its child processes, and finds files beside sources', async (t) => {
    const root = smallTree(t)
    assert.equal((await answer(root)).isBundled, false)
    await build(root)
    const { isBundled, text, greetings } = await answer(root)
    assert.deepEqual({ isBundled, text }, { isBundled: true, text: 'hello' })
    assert.deepEqual([greetings[0], greetings[2]], ['bundle: hello', 'bundle: hello'])
  })

  it('is not used after an edit, until it was built again', async (t) => {
    const root = smallTree(t)
    await build(root)
    edit(root, 'src/greetings/greet-work.ts', "'sources: '", "'SOURCES: '")
    const edited = await answer(root)
    assert.equal(edited.isBundled, false)
    assert.deepEqual([edited.greetings[0], edited.greetings[2]], ['SOURCES: hello', 'SOURCES: hello'])
    edit(root, 'src/greetings/greet-work.ts', "'bundle: '", "'BUNDLE: '")
    await build(root)
    assert.equal((await answer(root)).greetings[0], 'BUNDLE: hello')
  })

  it('is not used after other packages were installed', async (t) => {
    const root = smallTree(t)
    await build(root)
    writeFileSync(join(root, 'node_modules/.package-lock.json'), '{"packages": 2}')
    assert.equal((await answer(root)).isBundled, false)
  })

  it('is used in a copy of the tree', async (t) => {
    const root = smallTree(t)
    await build(root)
    const copy = `${root}-copy`
    t.after(() => rmSync(copy, { recursive: true, force: true }))
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true })
    rmSync(root, { recursive: true })
    const { isBundled, greetings } = await answer(copy)
    assert.equal(isBundled, true)
    assert.equal(greetings[2], 'bundle: hello')
  })

  it('gives workers to a process that runs the sources it was made of', async (t) => {
    const root = smallTree(t)
    await build(root)
    const { stdout } = await run(process.execPath, [join(root, 'src/main.ts'), 'greet'])
    const { isBundled, greetings } = JSON.parse(stdout)
    assert.equal(isBundled, false)
    assert.deepEqual([greetings[0], greetings[2]], ['bundle: hello', 'bundle: hello'])
  })

  it('names files and lines of the sources in stack traces, and keeps the classes of errors', async (t) => {
    const root = smallTree(t)
    await build(root)
    const failed = run(process.execPath, [terrane(root), 'fail'])
    await assert.rejects(failed, ({ stderr }: { stderr: string }) => {
      assert.match(stderr, /Error: failed on purpose\n\s+at .*src\/main\.ts:7\n/)
      return true
    })
    const { greetings } = await answer(root)
    for (const failure of [greetings[1], greetings[3]]) {
      assert.match(failure ?? '', /^Failure /)
      assert.match(failure ?? '', /at .*src\/greetings\/greet-work\.ts:15\)\n/)
      assert.match(failure ?? '', /at .*src\/core\/workers\/serve-work\.ts:\d+/)
    }
  })

  it('is built once by set-ups that run at the same time', async (t) => {
    const root = smallTree(t)
    await Promise.all([build(root), build(root), build(root)])
    assert.deepEqual(bundles(root), [current(root)])
    assert.equal((await answer(root)).isBundled, true)
  })

  it('stays what a running server uses when a newer one was built', async (t) => {
    const root = smallTree(t)
    await build(root)
    const first = current(root)
    const held = execFile(process.execPath, [terrane(root), 'hold'])
    t.after(() => held.kill('SIGKILL'))
    let output = ''
    await new Promise<void>((resolve) => {
      held.stdout?.on('data', (chunk: string) => {
        output += chunk
        if (output.includes('ready')) resolve()
      })
    })
    age(join(root, 'build/server', first))
    edit(root, 'src/late.ts', 'loaded later', 'second build')
    await build(root)
    edit(root, 'src/late.ts', 'second build', 'third build')
    await build(root)
    const ended = new Promise((resolve) => held.once('close', resolve))
    held.stdin?.end()
    await ended
    const [late, greeting] = JSON.parse(output.split('\n')[1] ?? '')
    assert.deepEqual([late, greeting], ['loaded later', 'bundle: hello'])
    assert.equal(existsSync(join(root, 'build/server', first, 'users', String(held.pid))), false)
    edit(root, 'src/late.ts', 'third build', 'fourth build')
    age(join(root, 'build/server', first))
    await build(root)
    assert.equal(bundles(root).includes(first), false, 'nobody uses it any more, and it is old')
  })

  it('leaves no half bundle behind when the sources cannot be bundled', async (t) => {
    const root = smallTree(t)
    edit(root, 'src/late.ts', 'export', 'export export')
    await assert.rejects(build(root), /The server could not be bundled/)
    assert.deepEqual(bundles(root), [])
  })

  it('is refused where esbuild would rename the class of an error that threads tell each other by name', async (t) => {
    const root = smallTree(t)
    edit(
      root,
      'src/core/bundle/bundle-folder.ts',
      'export const',
      'class Failure {}\nconsole.log(Failure)\nexport const',
    )
    await assert.rejects(build(root), /an error that crosses threads is Failure2 there/)
  })
})
