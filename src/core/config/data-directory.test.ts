import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { freeStoreFile, lockDataDirectory, prepareDataDirectory } from './data-directory.ts'

const root = mkdtempSync(join(tmpdir(), 'terrane-data-'))
after(() => rmSync(root, { recursive: true }))

function settingsFor(name: string) {
  return { directory: join(root, name), importRoots: [], sample: false }
}

describe('prepareDataDirectory', () => {
  it('makes a key that only the owner reads, and keeps it', () => {
    const first = prepareDataDirectory(settingsFor('key'))
    const second = prepareDataDirectory(settingsFor('key'))
    assert.equal(first.key.length, 32)
    assert.deepEqual(second.key, first.key)
    assert.equal(statSync(join(root, 'key', 'secret.key')).mode & 0o777, 0o600)
  })

  it('refuses a key file that holds no key instead of replacing it', () => {
    mkdirSync(join(root, 'broken'))
    writeFileSync(join(root, 'broken', 'secret.key'), 'short')
    assert.throws(
      () => prepareDataDirectory(settingsFor('broken')),
      /secret\.key is damaged: it must hold 64/,
    )
  })
})

describe('lockDataDirectory', () => {
  it('refuses a second holder with the process id of the first, and lets the next in afterwards', () => {
    prepareDataDirectory(settingsFor('lock'))
    const release = lockDataDirectory(join(root, 'lock'))
    assert.throws(
      () => lockDataDirectory(join(root, 'lock')),
      new RegExp(`in use.*process ${process.pid}.*TERRANE_DATA`),
    )
    release()
    lockDataDirectory(join(root, 'lock'))()
  })

  it('is given back when the process is killed', async () => {
    prepareDataDirectory(settingsFor('killed'))
    const program = join(root, 'hold.mjs')
    const module = new URL('./data-directory.ts', import.meta.url).href
    writeFileSync(
      program,
      `import { lockDataDirectory } from ${JSON.stringify(module)}
      lockDataDirectory(${JSON.stringify(join(root, 'killed'))})
      process.send('held')
      setInterval(() => {}, 1000)`,
    )
    const child = fork(program, { stdio: 'ignore' })
    await once(child, 'message')
    assert.throws(() => lockDataDirectory(join(root, 'killed')), /in use/)
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockDataDirectory(join(root, 'killed'))()
  })
})

const none: ReadonlySet<string> = new Set()

describe('freeStoreFile', () => {
  it('never names a file that is there or promised', () => {
    const directory = prepareDataDirectory(settingsFor('free'))
    const first = freeStoreFile(directory, 'a', 'roads.gpkg', none)
    assert.equal(first, join(directory.stores, 'a', 'roads.gpkg'))
    mkdirSync(join(directory.stores, 'a'))
    writeFileSync(first, '')
    assert.equal(
      freeStoreFile(directory, 'a', 'roads.gpkg', none),
      join(directory.stores, 'a', 'roads0.gpkg'),
    )
    const taken = new Set([join(directory.stores, 'a', 'roads0.gpkg')])
    assert.equal(
      freeStoreFile(directory, 'a', 'roads.gpkg', taken),
      join(directory.stores, 'a', 'roads1.gpkg'),
    )
  })
})
