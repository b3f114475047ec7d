import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ZipFile } from 'yazl'
import { Failure } from '../lib/errors.ts'
import { extractArchive } from './archive.ts'
import { defaultSourceLimits } from './limits.ts'

const signal = new AbortController().signal

async function temporaryFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'terrane-zip-'))
  test.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function zipOf(
  folder: string,
  entries: Record<string, string | Buffer>,
  mode = 0o100644,
): Promise<string> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name, { mode })
  zip.end()
  const path = join(folder, 'a.zip')
  await pipeline(zip.outputStream, createWriteStream(path))
  return path
}

/** Renames an entry in both headers to one of the same length that the writing library would refuse. */
async function renameEntry(archive: string, from: string, to: string): Promise<void> {
  const bytes = await readFile(archive, 'latin1')
  await writeFile(archive, bytes.replaceAll(from, to), 'latin1')
}

function isFailure(code: string, text: RegExp) {
  return (error: unknown): boolean =>
    error instanceof Failure && error.code === code && text.test(error.message)
}

describe('extractArchive', () => {
  it('unpacks folders and files, and leaves out what no import looks at', async (test) => {
    const folder = await temporaryFolder(test)
    const archive = await zipOf(folder, {
      'in/a.csv': 'x\n1\n',
      'b.csv': 'y\n2\n',
      '__MACOSX/b.csv': '?',
      '.hidden': '?',
    })
    await extractArchive(archive, join(folder, 'out'), { limits: defaultSourceLimits, signal })
    assert.deepEqual((await readdir(join(folder, 'out'), { recursive: true })).sort(), [
      'b.csv',
      'in',
      'in/a.csv',
    ])
    assert.equal(await readFile(join(folder, 'out/in/a.csv'), 'utf8'), 'x\n1\n')
  })

  for (const [what, name, why] of [
    ['a path that leads out', '../x.csv', /leads out/],
    ['an absolute path', '/ab/x.csv', /absolute/],
    ['a Windows path', 'C:\\a.csv', /absolute/],
    ['a backslash path that leads out', '..\\x.csv', /leads out/],
    ['a control character', 'a\nb/x.csv', /control character/],
  ] as const) {
    it(`refuses ${what} and writes nothing of it`, async (test) => {
      const folder = await temporaryFolder(test)
      const plain = 'q'.repeat(name.length)
      const archive = await zipOf(folder, { [plain]: 'x\n1\n' })
      await renameEntry(archive, plain, name)
      await assert.rejects(
        extractArchive(archive, join(folder, 'out'), { limits: defaultSourceLimits, signal }),
        isFailure('bad-archive-entry', why),
      )
      assert.deepEqual(await readdir(folder), ['a.zip'])
    })
  }

  it('refuses a link', async (test) => {
    const folder = await temporaryFolder(test)
    const archive = await zipOf(folder, { link: '/etc/passwd' }, 0o120777)
    await assert.rejects(
      extractArchive(archive, join(folder, 'out'), { limits: defaultSourceLimits, signal }),
      isFailure('bad-archive-entry', /it is a link/),
    )
  })

  it('refuses an entry that appears twice', async (test) => {
    const folder = await temporaryFolder(test)
    const archive = await zipOf(folder, { 'a.csv': '1', 'b.csv': '2' })
    await renameEntry(archive, 'b.csv', 'a.csv')
    await assert.rejects(
      extractArchive(archive, join(folder, 'out'), { limits: defaultSourceLimits, signal }),
      isFailure('bad-archive-entry', /another entry has its name/),
    )
  })

  it('holds to the limits for entries, size and ratio', async (test) => {
    const folder = await temporaryFolder(test)
    const archive = await zipOf(folder, { a: Buffer.alloc(3 << 20), b: 'x' })
    const limited = (limits: Partial<typeof defaultSourceLimits>) =>
      extractArchive(archive, join(folder, 'out'), { limits: { ...defaultSourceLimits, ...limits }, signal })
    await assert.rejects(limited({ maxEntries: 1 }), isFailure('too-many-entries', /2 entries, more than 1/))
    await assert.rejects(limited({ maxExpandedBytes: 1000 }), isFailure('archive-too-large', /1000 bytes/))
    await assert.rejects(limited({ maxRatio: 10 }), isFailure('archive-too-large', /10 times/))
  })

  it('names the kind of an archive that is not read', async (test) => {
    const folder = await temporaryFolder(test)
    await assert.rejects(
      extractArchive(join(folder, 'a.tar.gz'), join(folder, 'out'), { limits: defaultSourceLimits, signal }),
      isFailure('archive-not-supported', /a tar archive/),
    )
  })

  it('answers every damaged archive with a failure or its files, nothing outside the folder', async (test) => {
    const whole = await readFile('tests/fixtures/archives/utf.zip')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: whole.length }),
        async (changes, length) => {
          const folder = await temporaryFolder(test)
          const bytes = Buffer.from(whole.subarray(0, length))
          for (const [at, value] of changes) bytes[at] = value
          await writeFile(join(folder, 'a.zip'), bytes)
          await extractArchive(join(folder, 'a.zip'), join(folder, 'out'), {
            limits: defaultSourceLimits,
            signal,
          }).catch((error: unknown) => assert.ok(error instanceof Failure, String(error)))
          for (const name of await readdir(folder)) assert.ok(name === 'a.zip' || name === 'out')
        },
      ),
      { numRuns: 60 },
    )
  })
})
