import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { readSettings } from './settings.ts'

function writeFile(t: TestContext, text: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-config-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'terrane.toml')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

describe('the settings file', () => {
  it('sets texts, numbers, switches, lists and documents, with tables as prefixes of names', (t) => {
    const folders = [tmpdir(), '/']
    const path = writeFile(
      t,
      `port = 9000
sample = false
import_roots = ${JSON.stringify(folders)}
cors_origins = ["https://a.example", "https://b.example"]
[max]
upload = "500 MB"
[service.translations.ger]
title = "Karten"
`,
    )
    const { settings, problems } = readSettings({ TERRANE_CONFIG: path })
    assert.deepEqual(problems, [])
    assert.equal(settings.server.port, 9000)
    assert.equal(settings.data.sample, false)
    assert.equal(settings.data.importRoots.join(delimiter), folders.join(delimiter))
    assert.deepEqual(settings.server.corsOrigins, ['https://a.example', 'https://b.example'])
    assert.equal(settings.limits.maxUploadBytes, 500e6)
    assert.match(JSON.stringify(settings.service.translations), /Karten/)
  })

  it('gives the environment precedence, also between a secret and the name of its file', (t) => {
    const path = writeFile(t, 'port = 9000\nadmin_password_file = "/nowhere"\n')
    const env = { TERRANE_CONFIG: path, TERRANE_PORT: '9001', TERRANE_ADMIN_PASSWORD: 'long-enough' }
    const { settings, problems } = readSettings(env)
    assert.deepEqual(problems, [])
    assert.equal(settings.server.port, 9001)
    assert.equal(settings.adminPassword?.reveal(), 'long-enough')
  })

  it('lists unknown keys, wrong values and wrong types at once, with the key', (t) => {
    const path = writeFile(t, 'prot = 1\nport = "many"\nloads = 0\nhost = 1979-05-27\n')
    const { problems } = readSettings({ TERRANE_CONFIG: path, TERRANE_LOG: 'loud' })
    assert.deepEqual(problems, [
      `${path}: host must be a text, a number, a switch or a list of texts`,
      `${path}: prot is not a setting: did you mean port?`,
      `TERRANE_PORT must be a whole number from 0 to 65535, found "many" (port in ${path})`,
      'TERRANE_LOG must be one of debug, info, warn, error, fatal, silent, found "loud"',
      `TERRANE_LOADS must be a whole number from 1 to 1000000000, found "0" (loads in ${path})`,
    ])
  })

  it('names the line of a syntax error without its text, which may be a secret', (t) => {
    const path = writeFile(t, 'port = 9000\nadmin_password = hidden-word\n')
    const { problems } = readSettings({ TERRANE_CONFIG: path })
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', /cannot be read: line 2, column \d+: /)
    assert.doesNotMatch(problems[0] ?? '', /hidden-word/)
  })

  it('reports a named file that is missing, and takes a missing default file for none', () => {
    const { problems } = readSettings({ TERRANE_CONFIG: '/nowhere/terrane.toml' })
    assert.deepEqual(problems, ['/nowhere/terrane.toml cannot be read: there is no such file or folder'])
    assert.deepEqual(readSettings({}).problems, [])
  })

  it('warns of secrets that every user of the machine may read', (t) => {
    const text = 'admin_password = "long-enough"\n'
    const open = writeFile(t, text, 0o644)
    assert.deepEqual(readSettings({ TERRANE_CONFIG: open }).settings.notices, [
      `${open} has secrets (admin_password) and all users may read it: chmod o-r ${open}`,
    ])
    assert.deepEqual(readSettings({ TERRANE_CONFIG: writeFile(t, text, 0o640) }).settings.notices, [])
  })
})
