import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import {
  everything,
  followed,
  lineOf,
  lines,
  Numbers,
  range,
} from '../../../../tests/support/followed-log.ts'
import { LogFollower } from './log-follower.ts'

describe('LogFollower', () => {
  it('reads an existing log whole, then what is added, in bounded pieces', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 10))
    assert.equal((await log.read({ lines: 6, bytes: 1 << 20 })).hasMore, true)
    assert.deepEqual(log.take(), range(0, 6))
    assert.equal((await log.read()).hasMore, false)
    assert.deepEqual(log.take(), range(6, 10))
    assert.equal((await log.read()).cursor, undefined)
    appendFileSync(log.path, lines(10, 12))
    await log.restart()
    await log.read()
    assert.deepEqual(log.take(), range(10, 12))
  })

  it('stops at a number of bytes too', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 10))
    assert.equal((await log.read({ lines: 100, bytes: 200 })).hasMore, true)
    assert.deepEqual(log.take(), range(0, 3))
  })

  it('gives a line once it has its end', async (test) => {
    const log = followed(test)
    const line = lineOf(1)
    writeFileSync(log.path, lineOf(0) + line.slice(0, 30))
    await log.read()
    assert.deepEqual(log.take(), [0])
    appendFileSync(log.path, line.slice(30, -1))
    await log.read()
    assert.deepEqual(log.take(), [])
    appendFileSync(log.path, '\n')
    await log.read()
    assert.deepEqual(log.take(), [1])
  })

  it('waits for a log that is not there yet and says so', async (test) => {
    const log = followed(test)
    assert.deepEqual((await log.read()).problems, [`${log.path} does not exist`])
    writeFileSync(log.path, lines(0, 2))
    assert.deepEqual((await log.read()).problems, [])
    assert.deepEqual(log.take(), range(0, 2))
  })

  it('does not exist where its folder does not', async (test) => {
    const log = followed(test, 'nowhere/access.log')
    assert.deepEqual((await log.read()).problems, [`${log.path} does not exist`])
  })

  it('refuses a folder and a pipe', async (test) => {
    const log = followed(test)
    mkdirSync(log.path)
    await assert.rejects(log.read(), /is a folder/)
    rmSync(log.path, { recursive: true })
    execFileSync('mkfifo', [log.path])
    await assert.rejects(log.read(), /is not a file/)
  })

  it('reads the rest of a log that was renamed, then the new one', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 5))
    await log.read()
    appendFileSync(log.path, lines(5, 8))
    renameSync(log.path, log.inFolder('access.log.1'))
    writeFileSync(log.path, lines(8, 10))
    await log.read()
    assert.deepEqual(log.take(), range(0, 10))
  })

  it('reads lines that come late to a log that was renamed, as slow workers write them', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 5))
    await log.read()
    renameSync(log.path, log.inFolder('access.log.1'))
    writeFileSync(log.path, lines(5, 6))
    await log.read()
    appendFileSync(log.inFolder('access.log.1'), lines(6, 8))
    appendFileSync(log.path, lines(8, 9))
    await log.restart()
    await log.read()
    log.compress('access.log.1')
    await log.read()
    assert.deepEqual(log.take(), range(0, 9))
  })

  for (const [style, names] of [
    ['numbers', ['access.log.3.gz', 'access.log.2.gz', 'access.log.1']],
    ['dates', ['access.log-20251008.gz', 'access.log-20251009.gz', 'access.log-20251010']],
    ['dates in the middle', ['access-20251008.log.gz', 'access-20251009.log.gz', 'access-20251010.log']],
  ] as const) {
    it(`reads what was rotated by ${style} and compressed while nobody looked`, async (test) => {
      const log = followed(test)
      writeFileSync(log.path, lines(0, 40))
      await log.read()
      assert.deepEqual(log.take(), range(0, 40))
      writeFileSync(log.inFolder(names[0]), gzipSync(lines(0, 60)))
      writeFileSync(log.inFolder(names[1]), gzipSync(lines(60, 70)))
      writeFileSync(log.inFolder(names[2]), lines(70, 80))
      writeFileSync(log.inFolder('access.log.old'), lines(900, 910))
      rmSync(log.path)
      writeFileSync(log.path, lines(80, 90))
      await log.restart()
      await log.read()
      assert.deepEqual(log.take(), range(40, 90))
      assert.equal((await log.read()).cursor, undefined)
    })
  }

  it('begins with the oldest part at its first start, whatever the times of the files', async (test) => {
    const log = followed(test)
    writeFileSync(log.inFolder('access.log.2.gz'), gzipSync(lines(0, 10)))
    writeFileSync(log.inFolder('access.log.1'), lines(10, 20))
    writeFileSync(log.path, lines(20, 30))
    utimesSync(log.inFolder('access.log.1'), 1, 1)
    while ((await log.read({ lines: 3, bytes: 1 << 20 })).hasMore);
    assert.deepEqual(log.take(), range(0, 30))
  })

  it('goes on in the middle of a compressed part after a restart', async (test) => {
    const log = followed(test)
    writeFileSync(log.inFolder('access.log.1.gz'), gzipSync(lines(0, 10)))
    writeFileSync(log.path, lines(10, 12))
    await log.read({ lines: 4, bytes: 1 << 20 })
    await log.restart()
    await log.read()
    assert.deepEqual(log.take(), range(0, 12))
  })

  it('follows a log that is copied and emptied', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 30))
    await log.read()
    appendFileSync(log.path, lines(30, 35))
    copyFileSync(log.path, log.inFolder('access.log.1'))
    truncateSync(log.path)
    await log.read()
    appendFileSync(log.path, lines(35, 100))
    await log.read()
    assert.deepEqual(log.take(), range(0, 100))
  })

  it('gives no line twice that came between copying and emptying', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 30))
    await log.read()
    copyFileSync(log.path, log.inFolder('access.log.1'))
    await log.read()
    appendFileSync(log.path, lines(30, 35))
    await log.read()
    truncateSync(log.path)
    appendFileSync(log.path, lines(35, 40))
    await log.read()
    assert.deepEqual(log.take(), range(0, 40))
  })

  it('reads a copy that is being made only once at its first start', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 60))
    writeFileSync(log.inFolder('access.log.1'), lines(0, 40))
    await log.read()
    assert.deepEqual(log.take(), range(0, 60))
  })

  it('begins anew with a log that was emptied, and tells that lines may be missing', async (test) => {
    const log = followed(test)
    writeFileSync(log.inFolder('access.log.1'), lines(0, 20))
    writeFileSync(log.path, lines(20, 50))
    await log.read()
    truncateSync(log.path)
    appendFileSync(log.path, lines(50, 52))
    const { problems } = await log.read()
    assert.match(problems.join(), /access\.log was emptied or removed/)
    assert.deepEqual(log.take(), range(0, 52))
    assert.deepEqual((await log.read()).problems, [])
  })

  it('reads on at the end of a log that has lost its last lines in a crash', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 50))
    await log.read()
    truncateSync(log.path, lines(0, 45).length)
    assert.match((await log.read()).problems.join(), /is shorter than it was/)
    appendFileSync(log.path, lines(50, 52))
    await log.read()
    assert.deepEqual(log.take(), range(0, 52))
  })

  it('follows a link to a file of each day', async (test) => {
    const log = followed(test)
    writeFileSync(log.inFolder('monday'), lines(0, 5))
    symlinkSync('monday', log.path)
    await log.read()
    appendFileSync(log.inFolder('monday'), lines(5, 8))
    writeFileSync(log.inFolder('tuesday'), lines(8, 10))
    rmSync(log.path)
    symlinkSync('tuesday', log.path)
    await log.read()
    assert.deepEqual(log.take(), range(0, 10))
  })

  it('passes lines that are too long, with bounded memory, and zeros of a log that was emptied', async (test) => {
    const log = followed(test)
    const long = 'x'.repeat(3 << 20)
    writeFileSync(
      log.path,
      `${lineOf(0)}${long}\n${lineOf(1)}${'y'.repeat(70_000)}\n${lineOf(2)}\r\n\n${long}`,
    )
    while ((await log.read({ lines: 100, bytes: 100_000 })).hasMore);
    await log.restart()
    appendFileSync(log.path, `z\n${'\0'.repeat(100_000)}${lineOf(3)}`)
    await log.read()
    assert.deepEqual(log.take(), range(0, 4))
    assert.equal(log.sink.longLines, 3)
    assert.deepEqual(log.sink.rest, [])
  })

  it('takes what can be read of a damaged compressed part, once, and goes on', async (test) => {
    const log = followed(test)
    const whole = gzipSync(lines(0, 5000))
    writeFileSync(log.inFolder('access.log.1.gz'), whole.subarray(0, whole.length / 2))
    writeFileSync(log.path, lines(5000, 5002))
    const { problems } = await log.read()
    assert.match(problems.join(), /unexpected end of file/)
    const found = log.take()
    assert.deepEqual(found.slice(0, 100), range(0, 100))
    assert.deepEqual(found.slice(-2), range(5000, 5002))
    assert.equal((await log.read()).cursor, undefined)
  })

  it('ends when it is told to', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 10))
    const follower = new LogFollower(log.path)
    test.after(() => follower.close())
    await assert.rejects(
      follower.read(undefined, new Numbers(), everything, AbortSignal.abort(new Error('stop'))),
      /stop/,
    )
  })

  it('gives every line once, whatever is done to the log between readings and restarts', async (test) => {
    const step = fc.constantFrom('write', 'read', 'some', 'rename', 'copy', 'compress', 'restart')
    let run = 0
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      run += 1
      const log = followed(test, `${run}.log`)
      const parts: string[] = []
      let written = 0
      for (const [at, one] of [...steps, 'read', 'read'].entries()) {
        if (one === 'write') {
          appendFileSync(log.path, lines(written, written + 7))
          written += 7
        }
        if (one === 'read') await log.read()
        if (one === 'some') await log.read({ lines: 3, bytes: 1 << 20 })
        if (one === 'restart') await log.restart()
        const isWritten = written > 0 && parts.at(-1) !== String(written)
        if ((one === 'rename' || one === 'copy') && isWritten) {
          const part = `${log.path}.${at + 1000}`
          if (one === 'rename') renameSync(log.path, part)
          else {
            writeFileSync(part, readFileSync(log.path))
            truncateSync(log.path)
          }
          parts.push(String(written))
        }
        if (one === 'compress') execFileSync('sh', ['-c', 'gzip -q "$0".1*[0-9] 2>&1 || true', log.path])
      }
      assert.deepEqual(log.take(), range(0, written))
    })
    await fc.assert(property, { numRuns: 150 })
  })
})
