import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sourceFile } from './imports.ts'
import { testEnvironmentProblems } from './test-environment.ts'

const problemsOf = (path: string, text: string): string[] =>
  testEnvironmentProblems([sourceFile('/repository', path, text)])

it('finds tests that would use the data directory or the server of the machine', () => {
  const command = "import { runCommandLine } from './command-line.ts'\n"
  assert.deepEqual(problemsOf('src/cli/a.test.ts', `${command}runCommandLine([], {})`), [
    'src/cli/a.test.ts uses src/cli/command-line.ts without a TERRANE_DATA of its own: ./data is not for tests',
  ])
  assert.deepEqual(
    problemsOf('src/cli/a.test.ts', `${command}runCommandLine([], { TERRANE_DATA: data })`),
    [],
  )
  assert.deepEqual(problemsOf('src/cli/main.ts', command), [])
  const types = "import type { Terrane } from '../../src/app/app.ts'\n"
  assert.deepEqual(problemsOf('tests/contract/a.test.ts', types), [])
  assert.equal(problemsOf('tests/contract/a.test.ts', types.replace('type ', '')).length, 1)
  const spawning = "const program = join(root, 'bin', 'terrane.mjs')\n"
  assert.equal(problemsOf('tests/e2e/a.test.ts', spawning).length, 1)
  assert.deepEqual(problemsOf('tests/support/terrane-process.ts', spawning), [])
})
