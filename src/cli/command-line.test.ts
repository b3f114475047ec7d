import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { version } from '../config/version.ts'
import { runCommandLine } from './command-line.ts'

/** What a command says that needs no server. */
async function run(t: TestContext, args: string[]) {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    const write = process[name].write.bind(process[name])
    t.mock.method(process[name], 'write', (text: string | Uint8Array) => {
      // The test runner's own reports are bytes.
      if (typeof text !== 'string') return write(text)
      said[name] += text
      return true
    })
  }
  try {
    const code = await runCommandLine(args, { TERRANE_PASSWORD: 'none', TERRANE_PORT: '0' })
    return { code, ...said }
  } finally {
    t.mock.restoreAll()
  }
}

describe('a command line with mistakes', () => {
  for (const [line, said] of [
    ['improt x', /no command "improt": did you mean import\?/],
    ['workspaces shwo x', /found "shwo": did you mean show\?/],
    ['workspaces show', /`terrane workspaces show` needs NAME/],
    ['workspaces show a b', /takes no "b"/],
    ['workspaces create a --recurse', /takes no --recurse/],
    ['workspaces create a --pubilc', /did you mean --public\?/],
    ['workspaces change a', /needs what to change/],
    ['workspaces change a --public --private', /exclude one another/],
    ['users create a --role boss', /--role is user, staff, admin/],
    ['layers create', /come into being by `terrane import`/],
    ['serve --prot 80', /`terrane serve` has no option --prot/],
    ['doctor now', /takes no "now"/],
    ['monitoring --jsn', /did you mean --json\?/],
    ['help improt', /did you mean import\?/],
  ] as const) {
    it(`is told so: ${line}`, async (t) => {
      const { code, stderr } = await run(t, line.split(' '))
      assert.equal(code, 2, stderr)
      assert.match(stderr, said)
    })
  }

  it('has help for each command, and the version under its usual names', async (t) => {
    const say = async (...args: string[]): Promise<string> => (await run(t, args)).stdout
    const commands = [...(await say('help')).matchAll(/^ {2}terrane ([a-z]+)/gm)].map(
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
