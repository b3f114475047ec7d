import assert from 'node:assert/strict'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { requestLogOf } from '../../support/request-log.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const name = 'monitoring.sqlite'
const damages: [what: string, damage: (path: string) => void][] = [
  ['holds something else', (path) => writeFileSync(path, 'no database '.repeat(1000))],
  ['is cut off in its head', (path) => writeFileSync(path, readFileSync(path).subarray(0, 60))],
  ['has zeros for a head', (path) => writeFileSync(path, readFileSync(path).fill(0, 0, 100))],
  [
    'is a folder',
    (path) => {
      rmSync(path)
      mkdirSync(path)
    },
  ],
]

const monitored = (dataDir: string): Promise<TestApp> =>
  createTestApp({ dataDir, env: { TERRANE_MONITORING: 'on' } })

/** Returns the data directory of a server that has recorded one request and stopped. */
async function usedDirectory(test: TestContext): Promise<string> {
  const dataDir = temporaryFolder(test)
  const app = await monitored(dataDir)
  await app.app.inject('/before')
  await app.monitoring?.catchUp()
  await app.close()
  // The content of these files could repair the database.
  for (const end of ['-wal', '-shm']) rmSync(join(dataDir, name + end), { force: true })
  return dataDir
}

async function healthOf({ app }: TestApp) {
  const { status, monitoring } = (await app.inject('/health')).json()
  assert.equal(status, 'ok')
  return monitoring
}

/** Returns the number of file descriptors of this process that refer to the file. */
function openFiles(path: string): number {
  const folder = '/proc/self/fd'
  return readdirSync(folder).filter((fd) => linkOf(join(folder, fd))?.startsWith(path)).length
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

describe('a file of the series that is damaged', () => {
  for (const [what, damage] of damages) {
    it(`and ${what} lets the server start, serve, say so, and go on once it is away`, async (test) => {
      const dataDir = await usedDirectory(test)
      const path = join(dataDir, name)
      damage(path)
      const app = await monitored(dataDir)
      test.after(() => app.close())
      for (let round = 0; round < 20; round += 1) {
        assert.equal((await app.app.inject('/meanwhile')).statusCode, 404)
        await app.monitoring?.catchUp()
      }
      const health = await healthOf(app)
      assert.equal(health.status, 'degraded')
      assert.ok(health.problems.includes('Requests wait to be recorded'), health.problems.join())
      assert.ok(openFiles(path) <= 3, `${openFiles(path)} descriptors`)
      const url = '/monitoring/api/notifications/'
      const { data } = (await app.app.inject({ url, headers: app.admin })).json()
      assert.match(data.problems[0].message, /cannot be checked: its values cannot be read/)

      renameSync(path, `${path}-damaged`)
      await app.monitoring?.catchUp()
      await app.monitoring?.tick()
      assert.deepEqual(await healthOf(app), { status: 'ok', problems: [] })
      const paths = (await requestLogOf(app)).map(({ texts }) => texts.path)
      assert.deepEqual(paths, Array(20).fill('/meanwhile'))
    })
  }

  it('is told by its path, with what to do, as the problem of a service', async (test) => {
    const dataDir = await usedDirectory(test)
    writeFileSync(join(dataDir, name), 'no database '.repeat(1000))
    const app = await monitored(dataDir)
    test.after(() => app.close())
    await app.monitoring?.catchUp()
    const reply = await app.app.inject({ url: '/monitoring/api/services/', headers: app.admin })
    const { services } = reply.json() as { services: { type: string; id: number }[] }
    const host = services.find(({ type }) => type === 'hostapp')?.id ?? 0
    const problem = app.monitoring?.problemOf(host) ?? ''
    assert.match(
      problem,
      /monitoring\.sqlite cannot be opened \(the file is not a SQLite database\): if it is damaged/,
    )
  })

  it('or may only be read lets the server serve and say so', async (test) => {
    const dataDir = await usedDirectory(test)
    const path = join(dataDir, name)
    try {
      await runProgram('mount', ['--bind', path, path])
    } catch {
      test.diagnostic('a file can only be made so by root, where the system allows it')
      return
    }
    try {
      await runProgram('mount', ['-o', 'remount,bind,ro', path])
      const app = await monitored(dataDir)
      assert.equal((await app.app.inject('/meanwhile')).statusCode, 404)
      await app.monitoring?.catchUp()
      const health = await healthOf(app)
      await app.close()
      assert.equal(health.status, 'degraded')
      assert.ok(health.problems.includes('Requests wait to be recorded'), health.problems.join())
    } finally {
      await runProgram('umount', ['--lazy', path])
    }
  })
})
