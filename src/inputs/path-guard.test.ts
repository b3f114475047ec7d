import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Failure } from '../core/errors/errors.ts'
import { resolveInRoots } from './path-guard.ts'
import { scanFile, scanFolder } from './scan.ts'

const signal = new AbortController().signal

async function folders(test: TestContext): Promise<{ root: string; outside: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'terrane-paths-')))
  test.after(() => rm(folder, { recursive: true, force: true }))
  const root = join(folder, 'root')
  const outside = join(folder, 'root-outside')
  await mkdir(join(root, 'sub'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(outside, 'secret.csv'), 'a\n1\n')
  await writeFile(join(root, 'sub', 'a.csv'), 'a\n1\n')
  return { root, outside }
}

const isOutside = (error: unknown): boolean =>
  error instanceof Failure &&
  error.code === 'path-outside-roots' &&
  error.message.includes('TERRANE_IMPORT_ROOTS')

describe('resolveInRoots', () => {
  it('takes absolute, relative and file: paths inside a root, whether they exist or not', async (test) => {
    const { root } = await folders(test)
    const path = join(root, 'sub', 'a.csv')
    assert.equal(await resolveInRoots(path, [root]), path)
    assert.equal(await resolveInRoots('sub/a.csv', [root]), path)
    assert.equal(await resolveInRoots(pathToFileURL(path).href, [root]), path)
    assert.equal(await resolveInRoots('new/b.csv', [root]), join(root, 'new', 'b.csv'))
  })

  it('refuses paths outside, also by .. and by a folder whose name begins alike', async (test) => {
    const { root, outside } = await folders(test)
    for (const path of [
      '../root-outside/secret.csv',
      join(outside, 'secret.csv'),
      '/etc/passwd',
      'file:///etc',
    ]) {
      await assert.rejects(resolveInRoots(path, [root]), isOutside)
    }
  })

  it('refuses a link that leads outside', async (test) => {
    const { root, outside } = await folders(test)
    await symlink(outside, join(root, 'link'))
    await assert.rejects(resolveInRoots('link/secret.csv', [root]), isOutside)
  })
})

describe('scanFolder', () => {
  it('goes down folders, skips hidden files and links that lead out', async (test) => {
    const { root, outside } = await folders(test)
    for (const folder of ['__MACOSX', '.git', 'deep/er']) await mkdir(join(root, folder), { recursive: true })
    for (const name of ['Thumbs.db', '.DS_Store', '__MACOSX/x.csv', '.git/y.csv', 'deep/er/z.csv']) {
      await writeFile(join(root, name), '')
    }
    await symlink(outside, join(root, 'link'))
    await symlink(root, join(root, 'loop'))
    const isAllowed = (path: string) => Promise.resolve(path.startsWith(`${root}/`) || path === root)
    const files = await scanFolder(root, { signal, maxEntries: 100, isAllowed })
    assert.deepEqual(
      files.map((file) => file.path),
      [join(root, 'deep/er/z.csv'), join(root, 'sub/a.csv')],
    )
  })

  it('stops at the limit of entries', async (test) => {
    const { root } = await folders(test)
    await assert.rejects(scanFolder(root, { signal, maxEntries: 1 }), /more than 1 entries/)
  })
})

describe('scanFile', () => {
  it('finds the sidecars of one file and says when there is none', async (test) => {
    const { root } = await folders(test)
    for (const name of ['r.shp', 'R.DBF', 'r2.dbf', 'r.prj']) await writeFile(join(root, name), '')
    const file = await scanFile(join(root, 'r.shp'), signal)
    assert.deepEqual(file, {
      path: join(root, 'r.shp'),
      sidecars: { dbf: join(root, 'R.DBF'), prj: join(root, 'r.prj') },
    })
    await assert.rejects(scanFile(join(root, 'none.shp'), signal), /File "none.shp" does not exist/)
  })
})
