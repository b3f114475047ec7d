import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { prepareDataDirectory } from '../core/config/data-directory.ts'
import { loadSettings } from '../core/config/settings.ts'
import { prepareScratch } from './open-files.ts'

describe('the scratch folder', () => {
  it('is emptied if the server made it, and refused if it has files of others', (t) => {
    const root = mkdtempSync(join(tmpdir(), 'terrane-scratch-'))
    t.after(() => rmSync(root, { recursive: true, force: true }))
    const settingsOf = (scratch: string) =>
      loadSettings({
        TERRANE_DATA: join(root, 'data'),
        TERRANE_DATABASE_URL: 'postgres://terrane@127.0.0.1/terrane',
        TERRANE_FILES: 's3://bucket',
        TERRANE_FILES_ACCESS_KEY: 'key',
        TERRANE_FILES_SECRET_KEY: 'secret',
        TERRANE_SCRATCH: scratch,
      })
    const prepare = (scratch: string): string => {
      const { data, files } = settingsOf(scratch)
      const closers: (() => void | Promise<void>)[] = []
      try {
        return prepareScratch(prepareDataDirectory(data), files, closers).uploads
      } finally {
        for (const close of closers.reverse()) void close()
      }
    }
    const copies = prepare(join(root, 'copies'))
    writeFileSync(join(copies, 'old'), 'x')
    assert.equal(prepare(join(root, 'copies')), copies)
    assert.ok(!existsSync(join(copies, 'old')))

    const others = join(root, 'others')
    mkdirSync(join(others, 'uploads'), { recursive: true })
    writeFileSync(join(others, 'uploads', 'thesis'), 'x')
    for (const folder of [others, join(root, 'data')])
      assert.throws(() => prepare(folder), /has other files, which would be deleted: set TERRANE_SCRATCH/)
    assert.ok(existsSync(join(others, 'uploads', 'thesis')))
  })
})
