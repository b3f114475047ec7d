import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/temporary-files.ts'
import { commandEnvironment } from '../support/terrane-process.ts'

const root = join(import.meta.dirname, '..', '..')
const guard = join(root, 'tests', 'support', 'forbid-defaults.ts')

/** A port of this machine that counts who connects to it. */
async function startRecorder(test: TestContext) {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

async function runNode(args: string[], cwd: string, env: Record<string, string>) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  const printed = await Promise.all([text(child.stdout), text(child.stderr)])
  await closed
  return { code: child.exitCode, printed: printed.join('') }
}

const runGuarded = (script: string, cwd: string) =>
  runNode(['--import', guard, '--input-type=module', '--eval', script], cwd, {})

describe('tests of commands', () => {
  it('pass in an empty and in a hostile environment, and leave the data and servers of the machine alone', async (test) => {
    const recorder = await startRecorder(test)
    const folder = temporaryFolder(test)
    const { PATH = '', HOME = '' } = process.env
    const hostile = {
      TERRANE_DATA: join(folder, 'hostile'),
      TERRANE_HOST: '127.0.0.1',
      TERRANE_PORT: String(recorder.port),
      TERRANE_URL: `http://127.0.0.1:${recorder.port}`,
      TERRANE_PASSWORD: 'wrong-password',
      TERRANE_NEW_PASSWORD: 'wrong-password',
      TERRANE_TOKEN: 'trn_wrong',
      TERRANE_DATABASE_URL: `postgres://u:p@127.0.0.1:${recorder.port}/x`,
      TERRANE_BASE_PATH: '/else',
      TERRANE_LOG: 'trace',
      TERRANE_MONITORING: 'off',
    }
    const files = globSync('src/{cli,config}/**/*.test.ts', { cwd: root }).map((path) => join(root, path))
    assert.ok(files.length > 5)
    for (const env of [{}, hostile]) {
      const args = ['--import', guard, '--test', '--test-isolation=none', '--test-reporter=dot', ...files]
      const { code, printed } = await runNode(args, folder, { PATH, HOME, ...env })
      assert.equal(code, 0, printed)
      assert.deepEqual(readdirSync(folder), [], 'nothing is written where the tests run')
    }
    assert.equal(recorder.connections(), 0)
  })

  it('get a data directory of their own, no port, and nothing of the environment', (test) => {
    const cleanups: (() => void)[] = []
    const t = { after: (work: () => void) => void cleanups.push(work) }
    test.mock.property(process, 'env', {
      PATH: '/bin',
      HOME: '/nowhere',
      TERRANE_TOKEN: 'x',
      TERRANE_DATA: '/x',
    })
    const { TERRANE_DATA = '', ...others } = commandEnvironment(t, { TERRANE_LOG: 'warn' })
    assert.deepEqual(others, { PATH: '/bin', HOME: '/nowhere', TERRANE_PORT: '0', TERRANE_LOG: 'warn' })
    assert.ok(existsSync(TERRANE_DATA))
    for (const cleanUp of cleanups) cleanUp()
    assert.ok(!existsSync(TERRANE_DATA))
    assert.equal(commandEnvironment(t, { TERRANE_DATA: '/own' })['TERRANE_DATA'], '/own')
  })
})

describe('the guard of the defaults', () => {
  it('refuses the default port and ./data, by whatever function, and nothing else', async (test) => {
    const folder = temporaryFolder(test)
    const wrong = [
      "import { connect } from 'node:net'; connect(8080, '127.0.0.1')",
      "import { connect } from 'node:net'; connect({ port: 8080 })",
      "const e = await fetch('http://localhost:8080/health').catch((e) => e); if (/port 8080/.test(e.cause)) throw e.cause",
      "import { mkdirSync } from 'node:fs'; mkdirSync('data/incoming', { recursive: true })",
      "import { mkdir } from 'node:fs/promises'; await mkdir('./data')",
    ]
    for (const script of wrong) {
      const { code, printed } = await runGuarded(script, folder)
      assert.equal(code, 1, script)
      assert.match(printed, /Error: A test (?:connects to port 8080|creates \S*data)/)
    }
    const right = `import { mkdirSync } from 'node:fs'; import { connect } from 'node:net'
      mkdirSync('database'); connect(1, '127.0.0.1').on('error', () => {})`
    const { code, printed } = await runGuarded(right, folder)
    assert.equal(code, 0, printed)
    assert.deepEqual(readdirSync(folder), ['database'])
  })
})
