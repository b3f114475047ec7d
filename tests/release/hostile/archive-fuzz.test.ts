import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Failure } from '../../../src/core/errors/errors.ts'
import { compressedOf, sevenZipOf, tarGzOf, tarOf, zipOf } from '../../support/archives.ts'
import { temporaryFolder, unpackInto } from '../../support/unpacking.ts'

const csv = 'x,y\n1,2\n'.repeat(40)
const entries = { 'in/a.csv': csv, 'größe.csv': 'x\n1\n', 'empty.csv': '' }

const damage = fc.record({
  changes: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), {
    minLength: 1,
    maxLength: 8,
  }),
  share: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
})

function damaged(whole: Buffer, { changes, share }: { changes: [number, number][]; share: number }): Buffer {
  const bytes = Buffer.from(whole.subarray(0, Math.ceil(whole.length * share)))
  for (const [at, value] of changes) bytes[Math.floor(at * (bytes.length - 1))] = value
  return bytes
}

describe('extractArchive of damaged bytes', () => {
  for (const [name, runs, make] of [
    ['a.zip', 150, () => zipOf(entries)],
    ['a.tar', 150, () => tarOf(entries)],
    ['a.tgz', 100, () => tarGzOf(entries)],
    ['a.gz', 100, async () => gzipSync(csv)],
    ['a.tar.bz2', 12, async () => compressedOf('bzip2', await tarOf(entries))],
    ['a.csv.bz2', 12, () => compressedOf('bzip2', csv)],
    ['a.csv.xz', 12, () => compressedOf('xz', csv)],
    ['a.7z', 12, () => sevenZipOf('7z', entries)],
  ] as const) {
    it(`gives a failure or files for ${name}, and writes nowhere else`, async (test) => {
      const whole = await make()
      await fc.assert(
        fc.asyncProperty(damage, async (what) => {
          const folder = await temporaryFolder(test)
          await unpackInto(folder, name, damaged(whole, what)).catch((error: unknown) =>
            assert.ok(error instanceof Failure, String(error)),
          )
          for (const entry of await readdir(folder)) assert.ok(entry === 'archive' || entry === 'out', entry)
        }),
        { numRuns: runs },
      )
    })
  }
})
