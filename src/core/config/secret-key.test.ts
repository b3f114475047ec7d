import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { readSecretKey } from './secret-key.ts'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-key-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('readSecretKey', () => {
  it('makes a key of 32 bytes once, and leaves nothing beside it', (t) => {
    const folder = folderFor(t)
    const path = join(folder, 'secret.key')
    const made = readSecretKey(path)
    assert.equal(made.length, 32)
    assert.deepEqual(readSecretKey(path), made)
    assert.deepEqual(readdirSync(folder), ['secret.key'])
  })

  for (const [what, text, found] of [
    ['empty', '', 'is empty'],
    ['cut', 'ab'.repeat(20), 'is damaged'],
    ['too long', 'ab'.repeat(33), 'is damaged'],
    ['not hexadecimal', 'xy'.repeat(32), 'is damaged'],
  ] as const) {
    it(`refuses a key that is ${what}, and says what to do`, (t) => {
      const path = join(folderFor(t), 'secret.key')
      writeFileSync(path, text)
      assert.throws(() => readSecretKey(path), {
        message: new RegExp(`^The key file ${path} ${found}: it must hold 64 .*Restore it from the backup`),
      })
    })
  }

  it('says why a key cannot be read, in plain words', (t) => {
    const path = join(folderFor(t), 'secret.key')
    mkdirSync(path)
    assert.throws(() => readSecretKey(path), {
      message: /^The key file \S+secret\.key cannot be read: it is a folder\. Make it readable/,
    })
    // Root can read every file.
    if (process.getuid?.() === 0) return
    rmSync(path, { recursive: true })
    writeFileSync(path, 'ab'.repeat(32))
    chmodSync(path, 0)
    assert.throws(() => readSecretKey(path), { message: /the server has no permission/ })
  })

  it('removes what an earlier process left while it made a key, and nothing of one that is making it', (t) => {
    const folder = folderFor(t)
    const path = join(folder, 'secret.key')
    writeFileSync(`${path}.12.0123abcd`, '')
    writeFileSync(`${path}.13.0123abcd`, 'ab'.repeat(32))
    utimesSync(`${path}.13.0123abcd`, 1, 1)
    writeFileSync(`${path}.14.0123abcd`, 'ab'.repeat(32))
    writeFileSync(`${path}.backup`, 'ab'.repeat(32))
    readSecretKey(path)
    assert.deepEqual(readdirSync(folder).sort(), [
      'secret.key',
      'secret.key.14.0123abcd',
      'secret.key.backup',
    ])
  })
})
