import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import filePromises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { followed, lineOf, lines, range } from '../../../../tests/support/followed-log.ts'

/** Does something at once before the n-th call of the file system from now on, whichever it is; gives whether it came to that. */
function beforeCall(test: TestContext, n: number, act: () => void): () => boolean {
  let calls = 0
  const { readdir, realpath, stat, open } = filePromises
  const counted = <T extends (...values: never[]) => unknown>(call: T): T =>
    ((...values) => {
      calls += 1
      if (calls === n) act()
      return call(...values)
    }) as T
  const put = (functions: Partial<typeof filePromises>): void => {
    Object.assign(filePromises, functions)
    syncBuiltinESMExports()
  }
  const restore = (): void => put({ readdir, realpath, stat, open })
  test.after(restore)
  const openCounted: typeof open = async (...values) => {
    const handle = await open(...values)
    return Object.assign(handle, {
      read: counted(handle.read.bind(handle)),
      stat: counted(handle.stat.bind(handle)),
    })
  }
  put({
    readdir: counted(readdir),
    realpath: counted(realpath),
    stat: counted(stat),
    open: counted(openCounted),
  })
  return () => {
    restore()
    return calls >= n
  }
}

describe('LogFollower, of a log that is rotated during a look', () => {
  const rotations = {
    'renamed and written anew': ({ path }) => {
      renameSync(path, `${path}.1`)
      writeFileSync(path, lines(60, 70))
    },
    'copied, emptied and written to': ({ path }) => {
      copyFileSync(path, `${path}.1`)
      truncateSync(path)
      appendFileSync(path, lines(60, 70))
    },
    'renamed, its parts too, and written anew': ({ path }) => {
      renameSync(`${path}.5`, `${path}.6`)
      renameSync(path, `${path}.5`)
      writeFileSync(path, lines(60, 70))
    },
    'renamed and compressed': ({ path }) => {
      renameSync(path, `${path}.1`)
      execFileSync('gzip', [`${path}.1`])
      writeFileSync(path, lines(60, 70))
    },
    'written to, its part compressed': ({ path }) => {
      execFileSync('gzip', [`${path}.5`])
      appendFileSync(path, lines(60, 70))
    },
  } satisfies Record<string, (log: { path: string }) => void>

  for (const [how, rotate] of Object.entries(rotations)) {
    for (const known of ['nothing', 'the part before', 'some of it']) {
      it(`gives every line once of a log that is ${how} during a look, where ${known} was read before`, async (test) => {
        for (let call = 1, isReached = true; isReached; call += 1) {
          const log = followed(test, `${call}.log`)
          writeFileSync(log.path, lines(0, 20))
          if (known !== 'nothing') await log.read()
          renameSync(log.path, `${log.path}.5`)
          writeFileSync(log.path, lines(20, 40))
          if (known === 'some of it') await log.read()
          appendFileSync(log.path, lines(40, 60))
          const stopCounting = beforeCall(test, call, () => rotate(log))
          await log.read()
          isReached = stopCounting()
          if (!isReached) rotate(log)
          appendFileSync(log.path, lines(70, 75))
          for (let turn = 0; turn < 3; turn += 1) await log.read()
          assert.deepEqual(
            log.take().toSorted((a, b) => a - b),
            range(0, 75),
            `before call ${call}`,
          )
        }
      })
    }
  }

  it('takes a short log and its copy, which was not emptied yet, for one', async (test) => {
    const log = followed(test)
    writeFileSync(log.path, lines(0, 3))
    copyFileSync(log.path, `${log.path}.1`)
    await log.read()
    truncateSync(log.path)
    appendFileSync(log.path, lines(3, 5))
    await log.read()
    assert.deepEqual(log.take(), range(0, 5))
  })

  it('waits for the rest of a line that was half written where it stopped', async (test) => {
    const log = followed(test)
    const line = lineOf(10)
    writeFileSync(log.path, lines(0, 10) + line.slice(0, 20))
    assert.equal((await log.read({ lines: 6, bytes: 1 << 20 })).hasMore, true)
    appendFileSync(log.path, line.slice(20) + lines(11, 13))
    renameSync(log.path, `${log.path}.1`)
    writeFileSync(log.path, lines(13, 15))
    await log.read()
    assert.deepEqual(log.take(), range(0, 15))
  })

  it('knows the newest parts where there are very many', async (test) => {
    const log = followed(test)
    for (let part = 1100; part > 900; part -= 1) writeFileSync(`${log.path}.${part}`, '')
    for (let part = 900; part > 0; part -= 1)
      writeFileSync(`${log.path}.${part}`, lines(900 - part, 901 - part))
    writeFileSync(log.path, lines(900, 910))
    await log.read()
    assert.deepEqual(log.take(), range(0, 910))
  })
})
