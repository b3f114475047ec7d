import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../tests/support/temporary-files.ts'
import { version } from '../core/config/version.ts'
import { runCommandLine } from './command-line.ts'

/** Runs a command that needs no server, and checks that it starts none. */
async function run(t: TestContext, args: string[]) {
  const output = { stdout: '', stderr: '' }
  const data = join(temporaryFolder(t), 'data')
  for (const name of ['stdout', 'stderr'] as const) {
    const write = process[name].write.bind(process[name])
    t.mock.method(process[name], 'write', (text: string | Uint8Array) => {
      // The test runner's own reports are bytes.
      if (typeof text !== 'string') return write(text)
      output[name] += text
      return true
    })
  }
  try {
    const code = await runCommandLine(args, { TERRANE_PORT: '0', TERRANE_DATA: data })
    assert.ok(!existsSync(data), `a server was started for: ${args.join(' ')}`)
    return { code, ...output }
  } finally {
    t.mock.restoreAll()
  }
}

describe('a command line with mistakes', () => {
  for (const [line, output] of [
    ['improt x', /no command "improt": did you mean import\?/],
    ['workspaces shwo x', /found "shwo": did you mean show\?/],
    ['workspaces show', /`terrane workspaces show` needs NAME/],
    ['workspaces show a b', /takes no "b"/],
    ['workspaces create a --recurse', /takes no --recurse/],
    ['workspaces create a --pubilc', /did you mean --public\?/],
    ['workspaces change a', /needs what to change/],
    ['workspaces change a --public --private', /exclude one another/],
    ['users create a --role boss', /--role is user, staff, admin/],
    ['workspaces create a --public --private', /exclude one another/],
    ['layers show a:b --workspace c', /names another workspace/],
    ['layers restore a x', /is not the number of a version/],
    ['stores change a', /needs what to change/],
    ['imports rejects x 0', /is not the id of an import/],
    ['monitoring services add', /goes on with list, add NAME or remove NAME/],
    ['monitoring services add a', /needs --type and --host/],
    ['monitoring load', /needs one file/],
    ['layers create', /are created by `terrane import`/],
    ['serve --prot 80', /`terrane serve` has no option --prot/],
    ['doctor now', /takes no "now"/],
    ['monitoring --jsn', /did you mean --json\?/],
    ['help improt', /did you mean import\?/],
  ] as const) {
    it(`is told so: ${line}`, async (t) => {
      const { code, stderr } = await run(t, line.split(' '))
      assert.equal(code, 2, stderr)
      assert.match(stderr, output)
    })
  }

  it('has help for each command, and the version under its usual names', async (t) => {
    const say = async (...args: string[]): Promise<string> => (await run(t, args)).stdout
    const commands = [...(await say('help')).matchAll(/^ {2}terrane ([a-z][a-z-]*)/gm)].map(
      ([, name]) => name ?? '',
    )
    assert.ok(commands.length >= 9)
    for (const name of commands) {
      const help = await say('help', name)
      assert.match(help, new RegExp(`^terrane ${name}`))
      assert.equal(await say(name, '--help'), help)
    }
    for (const word of ['-v', '-V', '--version', 'version']) assert.equal(await say(word), `${version}\n`)
  })
})
