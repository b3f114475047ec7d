import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { CachedMapFiles } from './cached-map-files.ts'

it('removes folders of ended processes, and leaves those of other servers alone', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-map-files-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const first = new CachedMapFiles(folder)
  const path = await first.keep('MAP END', 'map')
  const [, host = ''] = /-([0-9a-f]{6})$/.exec(dirname(path)) ?? assert.fail(path)
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const [dead, foreign, old] = [`000000-${ended}-${host}`, '000000-1-ffffff', '000000-2-ffffff']
  for (const name of [dead, foreign, old]) mkdirSync(join(folder, name))
  const longAgo = new Date(Date.now() - 8 * 86_400_000)
  utimesSync(join(folder, old), longAgo, longAgo)

  const second = new CachedMapFiles(folder)
  const other = await second.keep('MAP END', 'map')
  assert.notEqual(other, path)
  assert.equal(readFileSync(path, 'utf8'), 'MAP END')
  const names = [dirname(path), dirname(other)].map((one) => one.slice(folder.length + 1))
  assert.deepEqual(readdirSync(folder).sort(), [...names, foreign].sort())

  await second.close()
  assert.ok(existsSync(path) && !existsSync(other))
  await first.close()
})
