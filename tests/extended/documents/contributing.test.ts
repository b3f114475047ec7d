import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runTool } from '../../../scripts/check/run-tool.ts'
import { without } from '../../../src/core/values/defined.ts'
import { blockAt } from '../../support/document-blocks.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const commands = blockAt('CONTRIBUTING.md > Start > sh 1')
  .split('\n')
  .map((line) => line.replace(/\s+#.*$/, ''))
/** Commands that run this test or take as long as it, and commands that take hours and are run by hand. */
const left = [
  'npm run check',
  'npm test',
  'npm run test:extended',
  'npm run test:release',
  'npm run test:kill -- --runs 200',
]

function run(command: string): ReturnType<typeof runTool> {
  const env = without(process.env, 'NODE_TEST_CONTEXT')
  return runTool(root, 'bash', ['-c', command], env)
}

describe('the commands of CONTRIBUTING.md', () => {
  it('are scripts of the project', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    for (const command of commands) {
      const [, name = ''] = /^npm (?:run )?([\w:]+)/.exec(command) ?? []
      assert.ok(Object.hasOwn(scripts, name), command)
    }
  })

  for (const command of commands.filter((one) => !left.includes(one))) {
    it(`run: ${command}`, async () => {
      const { code, output, complained } = await run(command)
      assert.equal(code, 0, output + complained)
    })
  }
})
