import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blocksOf, runCommands } from '../../support/document-commands.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'

const password = 'report-password'
const root = join(import.meta.dirname, '..', '..', '..')
const skip = ['curl', 'bash'].some((one) => spawnSync(one, ['--version']).status !== 0)
  ? 'curl or bash is not installed'
  : false

describe('docs/usage-report.md', { skip }, () => {
  it('has examples that work on a fresh server', async (test) => {
    const settings = {
      TERRANE_DATA: temporaryData(test),
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_ADMIN_PASSWORD: password,
    }
    const server = startTerrane(test, ['serve'], settings)
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    const file = join(root, '2026.csv')
    test.after(() => rmSync(file, { force: true }))
    const env = {
      TERRANE_PASSWORD: password,
      TERRANE_DATA: settings.TERRANE_DATA,
      TERRANE_PORT: new URL(url).port,
    }
    const outputs: string[] = []
    for (const { code } of blocksOf('docs/usage-report.md', 'sh')) {
      const commands = code
        .replaceAll('http://localhost:8080', url)
        .replaceAll('usage report', `usage report --url ${url}`)
      const output = await runCommands(commands, env)
      assert.equal(output.code, 0, output.stdout + output.stderr)
      outputs.push(output.stdout)
    }
    assert.match(outputs[0] ?? '', /"report":\{"from":"2026-10"/)
    assert.match(outputs[1] ?? '', /^country +requests/)
    assert.match(readFileSync(file, 'utf8'), /^key,title,owner,hits/)
    assert.match(outputs[2] ?? '', /"subscription":\{"id":1,"emails":\["gis@example\.org"\]/)
  })
})
