import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runTerrane } from '../support/terrane-process.ts'

const secret = 'a-secret-of-the-file'

function settingsFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-config-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'terrane.toml')
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

describe('terrane config', () => {
  it('shows each setting with its source, without secrets', async (t) => {
    const file = settingsFile(t, `admin_password = "${secret}"\nloads = 3\nhost = "::1"\n`)
    const env = { TERRANE_CONFIG: file, TERRANE_HOST: '127.0.0.9' }
    const { code, stdout, stderr } = await runTerrane(t, ['config', 'show', '--json'], env)
    assert.equal(code, 0, stderr)
    assert.ok(!stdout.includes(secret))
    const { settings } = JSON.parse(stdout) as { settings: { name: string }[] }
    const find = (name: string) => settings.find((one) => one.name === name)
    assert.deepEqual(find('TERRANE_ADMIN_PASSWORD'), {
      name: 'TERRANE_ADMIN_PASSWORD',
      value: '***',
      source: 'file',
    })
    assert.deepEqual(find('TERRANE_LOADS'), { name: 'TERRANE_LOADS', value: '3', source: 'file' })
    assert.deepEqual(find('TERRANE_HOST'), {
      name: 'TERRANE_HOST',
      value: '127.0.0.9',
      source: 'environment',
    })
    assert.deepEqual(find('TERRANE_DIALECT'), {
      name: 'TERRANE_DIALECT',
      value: 'contract',
      source: 'default',
    })
  })

  it('lists every mistake and ends with code 2', async (t) => {
    const file = settingsFile(t, 'loads = 0\nhosst = "::1"\n')
    const { code, stderr } = await runTerrane(t, ['config', 'check', '--file', file], {})
    assert.equal(code, 2)
    assert.match(stderr, /hosst is not a setting: did you mean host\?/)
    assert.match(stderr, /TERRANE_LOADS must be a whole number .*\(loads in .*terrane\.toml\)/)
  })

  it('stops the server before it starts if the file is wrong', async (t) => {
    const file = settingsFile(t, 'port = "many"\n')
    const env = { TERRANE_CONFIG: file, TERRANE_PORT: '' }
    const { code, stderr } = await runTerrane(t, ['serve'], env)
    assert.equal(code, 2)
    assert.match(stderr, /TERRANE_PORT must be a whole number from 0 to 65535, found "many"/)
  })
})
