import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { temporaryData } from '../../tests/support/terrane-process.ts'
import { runCommandLine } from './command-line.ts'
import { completedCommand } from './completion-command.ts'

/** Runs a command and returns its output and exit code. */
async function run(
  t: TestContext,
  args: string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' }
  const mocks = (['stdout', 'stderr'] as const).map((name) =>
    t.mock.method(process[name], 'write', (text: string) => {
      output[name] += text
      return true
    }),
  )
  const code = await runCommandLine(args, { TERRANE_DATA: temporaryData(t) })
  for (const mock of mocks) mock.mock.restore()
  return { code, ...output }
}

/** Runs bash completion for a line with an incomplete last word. */
function complete(script: string, words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ')
  const program = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _terrane; echo "\${COMPREPLY[*]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' })
  assert.equal(stderr, '')
  return stdout.trim().split(' ').sort()
}

describe('terrane completion', () => {
  it('completes commands, actions and options in bash', async (t) => {
    const { code, stdout } = await run(t, ['completion', 'bash'])
    assert.equal(code, 0)
    assert.deepEqual(complete(stdout, ['terrane', 'imp']), ['import', 'imports'])
    assert.deepEqual(complete(stdout, ['terrane', 'imports', 'set']), ['set-columns', 'set-crs'])
    assert.deepEqual(complete(stdout, ['terrane', 'serve', '--']), ['--data', '--help', '--host', '--port'])
    assert.deepEqual(complete(stdout, ['terrane', 'layers', 'change', 'x', '--ti']), ['--title'])
  })

  for (const shell of ['zsh', 'fish'])
    it(`has a script for ${shell}`, async (t) => {
      const { code, stdout } = await run(t, ['completion', shell])
      assert.equal(code, 0)
      assert.match(stdout, /set-crs/)
    })

  it('refuses other shells and none', async (t) => {
    assert.equal((await run(t, ['completion', 'tcsh'])).code, 2)
    assert.match((await run(t, ['completion'])).stderr, /needs a shell: bash, zsh, fish/)
  })

  for (const name of ['workspaces', 'stores', 'layers', 'styles', 'imports', 'users', 'tokens'])
    it(`knows each action of ${name}, since the help names it`, async (t) => {
      const { stderr } = await run(t, [name, 'no-such-action'])
      const actions = /knows ([^;]+);/.exec(stderr)?.[1]?.split(', ') ?? []
      assert.ok(actions.includes('list'))
      // Layers are created by imports: the action only explains that.
      const expected = actions.filter((action) => name !== 'layers' || action !== 'create')
      assert.deepEqual(completedCommand(name).actions.sort(), expected.sort())
    })
})
