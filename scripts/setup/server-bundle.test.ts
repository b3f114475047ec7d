import { strict as assert } from 'node:assert'
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { bundlesFolder, findBundle, recordFile } from '../../src/core/bundle/server-bundle.mjs'

const laterMs = 60_000

/**
 * Creates a tree of two sources and a bundle recorded as built from them, after their modification times are
 * final.
 */
function recordedTree(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'terrane-bundle-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  write(root, 'src/a.ts', 'export const a = 1\n')
  write(root, 'src/b.ts', 'export const b = 1\n')
  record(root, ['src/a.ts', 'src/b.ts', 'absent.json'])
  return root
}

function record(root: string, paths: string[], nowMs = Date.now() + laterMs): void {
  const files = Object.fromEntries(paths.map((path) => [path, recordFile(join(root, path), nowMs).record]))
  write(root, 'build/server/some-id/main.js', '')
  write(root, 'build/server/current.json', JSON.stringify({ id: 'some-id', files }))
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

describe('findBundle', () => {
  it('finds the bundle while no source has changed', (t) => {
    const root = recordedTree(t)
    assert.deepEqual(findBundle(root), { folder: join(bundlesFolder(root), 'some-id') })
  })

  it('says that nothing was built where there is no bundle, or what is there cannot be read', (t) => {
    const root = recordedTree(t)
    write(root, 'build/server/current.json', '{"id": "some')
    assert.deepEqual(findBundle(root), { reason: 'no bundle was built' })
    rmSync(join(root, 'build'), { recursive: true })
    assert.deepEqual(findBundle(root), { reason: 'no bundle was built' })
  })

  it('refuses a bundle whose folder is gone', (t) => {
    const root = recordedTree(t)
    rmSync(join(root, 'build/server/some-id'), { recursive: true })
    assert.deepEqual(findBundle(root), { reason: 'the bundle is missing' })
  })

  it('refuses a bundle after an edit that keeps the size and puts the modification time back', (t) => {
    const root = recordedTree(t)
    const path = join(root, 'src/b.ts')
    const { atime, mtime } = statSync(path)
    writeFileSync(path, 'export const b = 2\n')
    utimesSync(path, atime, mtime)
    assert.deepEqual(findBundle(root), { reason: 'src/b.ts has changed' })
  })

  it('refuses a bundle after an edit within the same time stamp as the build', (t) => {
    const root = recordedTree(t)
    record(root, ['src/a.ts'], Date.now())
    const { record: times } = recordFile(join(root, 'src/a.ts'))
    assert.equal(times.length, 2, 'a file that has just changed has no times to trust')
    writeFileSync(join(root, 'src/a.ts'), 'export const a = 2\n')
    assert.deepEqual(findBundle(root), { reason: 'src/a.ts has changed' })
  })

  it('refuses a bundle after a source has gone, or a file has come that was absent', (t) => {
    const root = recordedTree(t)
    write(root, 'absent.json', '{}')
    assert.deepEqual(findBundle(root), { reason: 'absent.json has changed' })
    rmSync(join(root, 'absent.json'))
    rmSync(join(root, 'src/a.ts'))
    assert.deepEqual(findBundle(root), { reason: 'src/a.ts has changed' })
  })

  it('finds the bundle of a copied tree, and of files that were touched but not changed', (t) => {
    const root = recordedTree(t)
    const copy = mkdtempSync(join(tmpdir(), 'terrane-bundle-'))
    t.after(() => rmSync(copy, { recursive: true, force: true }))
    cpSync(root, copy, { recursive: true })
    assert.equal(findBundle(copy).folder, join(bundlesFolder(copy), 'some-id'))
    utimesSync(join(root, 'src/a.ts'), new Date(), new Date())
    assert.equal(findBundle(root).folder, join(bundlesFolder(root), 'some-id'))
  })
})
