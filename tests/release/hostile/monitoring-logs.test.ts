import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { createGzip, gzipSync } from 'node:zlib'
import { LogFollower } from '../../../src/monitoring/collect/access-log/log-follower.ts'
import { addedMegabytes } from '../../support/added-memory.ts'
import { seriesPlace } from '../../support/host-series.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import type { WatchedService } from '../../support/watched-service.ts'
import { watchService } from '../../support/watched-service.ts'

const now = Date.UTC(2025, 9, 10, 12)
const minute = 60_000
const megabyte = 1 << 20

interface Facts {
  time?: string
  path?: string
  client?: string
  user?: string
  agent?: string
}

function line({
  time = '10/Oct/2025:11:00:00',
  path = '/a',
  client = '192.0.2.1',
  user,
  agent,
}: Facts = {}): string {
  return `${client} - ${user ?? '-'} [${time} +0000] "GET ${path} HTTP/1.1" 200 100 "-" "${agent ?? 'QGIS'}"\n`
}

interface Watched {
  path: string
  service: WatchedService
}

async function watched(test: TestContext): Promise<Watched> {
  const path = join(temporaryFolder(test), 'access.log')
  const service = await watchService(await seriesPlace(test, 'sqlite'), {
    id: 7,
    name: 'maps',
    type: 'mapserver',
    url: 'https://maps.example.org/',
    checkIntervalSeconds: 60,
    source: { kind: 'log', path },
  })
  test.after(() => service.close())
  return { path, service }
}

/** Fails when the work adds more than so many megabytes to this process. */
async function within(megabytes: number, work: () => Promise<void>): Promise<void> {
  const added = await addedMegabytes(work)
  assert.ok(added < megabytes, `${Math.round(added)} MB were added`)
}

describe('a log that is none', () => {
  const kinds: [what: string, make: (path: string) => void, says: RegExp][] = [
    ['a folder', (path) => mkdirSync(path), /is a folder: name a log/],
    ['a pipe', (path) => execFileSync('mkfifo', [path]), /is not a file: name a log/],
    ['a device', (path) => symlinkSync('/dev/zero', path), /is not a file: name a log/],
    ['a link to itself', (path) => symlinkSync(path, path), /links lead in a circle/],
    ['a link to nothing', (path) => symlinkSync('/nonexistent/log', path), /does not exist/],
  ]
  for (const [what, make, says] of kinds) {
    it(`but ${what} is told as a problem, and a log that comes in its place is read`, async (test) => {
      const { path, service } = await watched(test)
      make(path)
      const { problem = '' } = await service.collect(now)
      assert.match(problem, says)
      rmSync(path, { recursive: true })
      writeFileSync(path, line())
      assert.equal((await service.collect(now + minute)).problem, undefined)
      assert.deepEqual(await service.sums('request.count'), { count: 1 })
    })
  }

  it('beside rotated parts that are none does not stop the parts that are', async (test) => {
    const { path, service } = await watched(test)
    mkdirSync(`${path}.1`)
    execFileSync('mkfifo', [`${path}.2`])
    symlinkSync('/dev/zero', `${path}.3.gz`)
    writeFileSync(`${path}.4.gz`, 'this is not compressed')
    writeFileSync(`${path}.5.gz`, gzipSync(line()))
    writeFileSync(path, line({ path: '/b' }))
    const { problem = '' } = await service.collect(now)
    for (const part of [/log\.1 is a folder/, /log\.2 is not a file/, /log\.3\.gz is not a file/, /header/])
      assert.match(problem, part)
    await service.collect(now + minute)
    assert.deepEqual(await service.sums('request.count'), { count: 2 })
  })
})

describe('lines of a log that mean harm', () => {
  it('garbage, bytes of any kind and 100 MB without an end are left out, with bounded memory', async (test) => {
    const { path, service } = await watched(test)
    const bytes = Buffer.from(Array.from({ length: megabyte }, (_, at) => (at * 7919) % 251))
    writeFileSync(path, line())
    appendFileSync(path, bytes)
    appendFileSync(path, `\n${line()}${'no line\n'.repeat(1000)}`)
    const rest = Buffer.alloc(megabyte, 'x')
    for (let count = 0; count < 100; count += 1) appendFileSync(path, rest)
    await within(120, async () => {
      const { problem = '' } = await service.collect(now)
      assert.match(problem, /lines were not counted in .*: no access log line/)
      assert.match(problem, /longer than 64 KiB/)
    })
    appendFileSync(path, `\n${line()}`)
    assert.equal((await service.collect(now + minute)).problem, undefined)
    assert.deepEqual(await service.sums('request.count'), { count: 3 })
  })

  it('a compressed part of hundreds of times its size is read with bounded memory', async (test) => {
    const { path, service } = await watched(test)
    const zip = createGzip({ level: 1 })
    const pieces: Buffer[] = []
    zip.on('data', (piece: Buffer) => pieces.push(piece))
    const zeros = Buffer.alloc(megabyte)
    for (let count = 0; count < 300; count += 1) zip.write(zeros)
    zip.end(`\n${line()}`)
    await new Promise((resolve) => zip.once('end', resolve))
    writeFileSync(`${path}.1.gz`, Buffer.concat(pieces))
    writeFileSync(path, line())
    await within(120, async () => {
      assert.match((await service.collect(now)).problem ?? '', /longer than 64 KiB/)
    })
    assert.deepEqual(await service.sums('request.count'), { count: 2 })
  })

  it('a compressed part is gone on with where turns are too short to come back to its middle', async (test) => {
    const path = join(temporaryFolder(test), 'access.log')
    const count = 400_000
    writeFileSync(`${path}.1.gz`, gzipSync(line().repeat(count), { level: 1 }))
    writeFileSync(path, line({ path: '/b' }))
    let lines = 0
    const sink = {
      newest: 0,
      begin: () => undefined,
      longLine: () => undefined,
      line: () => {
        lines += 1
      },
    }
    const open = new AbortController().signal
    const first = new LogFollower(path)
    const begun = await first.read(undefined, sink, { lines: count - 10, bytes: 1 << 30 }, open)
    await first.close()
    const second = new LogFollower(path)
    test.after(() => second.close())
    const rest = { lines: 100, bytes: 1 << 30 }
    let { cursor } = begun
    // Lines from a read that was aborted are not written; the next read returns them again.
    for (let [turn, written] = [1, lines]; written <= count; turn += 1) {
      assert.ok(turn < 1000, 'each turn gets further')
      try {
        cursor = (await second.read(cursor, sink, rest, AbortSignal.timeout(15))).cursor
        written = lines
      } catch {
        lines = written
      }
    }
    assert.equal(lines, count + 1)
  })

  it('times of other years and out of order count where they belong or not at all, and delay nothing', async (test) => {
    const { path, service } = await watched(test)
    const times = ['10/Oct/2035', '01/Jan/1970', '31/Dec/9999', '10/Oct/2001', '29/Feb/2023', '09/Oct/2025']
    for (let round = 0; round < 50; round += 1)
      for (const day of [...times, '10/Oct/2025']) appendFileSync(path, line({ time: `${day}:11:00:00` }))
    const { problem = '' } = await service.collect(now)
    assert.match(problem, /100 lines were not counted in .*: in the future/)
    assert.match(problem, /50 lines were not counted in .*: before the year 2000/)
    assert.match(problem, /50 lines were not counted in .*: no date/)
    assert.deepEqual(await service.sums('request.count'), { count: 150 })
    appendFileSync(path, line())
    assert.equal((await service.collect(now + minute)).problem, undefined)
    assert.deepEqual(await service.sums('request.count'), { count: 151 })
  })

  it('names without number are capped, with bounded memory, and every request counts', async (test) => {
    const { path, service } = await watched(test)
    const count = 8000
    const texts = Array.from({ length: count }, (_, at) =>
      line({
        path: `/${at}/wms?service=WMS&request=GetMap&layers=made_up_${at},known,${'x'.repeat(at % 50)}${at}`,
        client: `10.${at % 250}.${(at >> 8) % 250}.1`,
        user: `user${at}`,
        agent: `agent ${at}`,
      }),
    )
    writeFileSync(path, texts.join(''))
    await within(600, async () => {
      assert.equal((await service.collect(now)).problem, undefined)
    })
    assert.deepEqual(await service.sums('request.count'), { count })
    assert.deepEqual(await service.sums('request.count', { layer: 'known' }), { count })
    assert.ok(((await service.sums('request.count', { layer: '(other)' }))['count'] ?? 0) > count - 500)
    const paths = await service.sums('request.path')
    assert.equal(Object.keys(paths).length, 1001)
    assert.equal(
      Object.values(paths).reduce((sum, one) => sum + one, 0),
      count,
    )
  })
})

describe('a log that is taken away again and again', () => {
  it('is read each time, whatever became of the one before', async (test) => {
    const { path, service } = await watched(test)
    const withUs = (round: number): string => line({ path: `/${round}`, agent: 'x'.repeat(1024) })
    for (let round = 0; round < 20; round += 1) {
      writeFileSync(`${path}.new`, withUs(round))
      renameSync(`${path}.new`, path)
      await service.collect(now + round * minute)
      if (round % 5 === 0) rmSync(path)
      if (round % 7 === 0) await service.restart()
    }
    assert.deepEqual(await service.sums('request.count'), { count: 20 })
  })
})
