import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32, gzipSync } from 'node:zlib'
import { compressedOf, sevenZipOf, tarGzOf, tarOf, zipOf } from '../../tests/support/archives.ts'
import { rawZip } from '../../tests/support/raw-zip.ts'
import { defaultSourceLimits } from '../../tests/support/source-limits.ts'
import type { UnpackOptions } from '../../tests/support/unpacking.ts'
import { temporaryFolder, unpackInto } from '../../tests/support/unpacking.ts'
import { Failure } from '../core/errors/errors.ts'
import { runProgram } from '../core/process/process.ts'
import { extractArchive } from './archive.ts'

/** Expects a failure with this code and text, and that no unpacked files are left. */
async function refuses(
  test: TestContext,
  name: string,
  bytes: Uint8Array,
  code: string,
  text: RegExp,
  options: UnpackOptions = {},
): Promise<void> {
  const folder = await temporaryFolder(test)
  await assert.rejects(unpackInto(folder, name, bytes, options), (error: unknown) => {
    assert.ok(error instanceof Failure, String(error))
    assert.deepEqual(
      { code: error.code, isNamed: error.message.includes(`"${name}"`) },
      { code, isNamed: true },
    )
    assert.match(error.message, text)
    return true
  })
  assert.deepEqual(await readdir(folder), ['archive'])
}

const csv = 'x,y\n1,2\n'.repeat(2000)

const badNames: [string, RegExp][] = [
  ['../x.csv', /"\.\.\/x\.csv".*leads out of its folder/],
  ['a/../../x.csv', /leads out/],
  ['/ab/x.csv', /absolute path/],
  ['C:\\a.csv', /absolute path/],
  ['..\\x.csv', /leads out/],
  ['a\nb/x.csv', /"a\?b\/x\.csv".*control character/],
  ['a\0b.csv', /control character/],
  [`${'a'.repeat(260)}.csv`, /longer than 255 bytes/],
  [`${'abcdefgh/'.repeat(120)}a.csv`, /longer than 1000 bytes/],
  ['data/nul.csv', /device on Windows/],
]

describe('a name in an archive', () => {
  it('that leads out, has control characters, is too long or of a device is refused', async (test) => {
    for (const [name, why] of badNames) {
      await refuses(test, 'a.zip', rawZip([{ name, content: '1' }]), 'bad-archive-entry', why)
      if (name.includes('\0')) continue
      await refuses(test, 'a.tar', await tarOf({ [name]: '1' }), 'bad-archive-entry', why)
    }
  })

  it('that another entry has is refused, also where they differ in letter case alone', async (test) => {
    const twice = ['a.csv', 'A.csv'].map((name) => ({ name, content: '1' }))
    const same = [{ name: 'a.csv' }, { name: './a.csv' }]
    const inFile = [{ name: 'a', content: '1' }, { name: 'a/b.csv' }]
    const text = /another entry has its name/
    await refuses(test, 'a.zip', rawZip(twice), 'bad-archive-entry', text)
    for (const entries of [twice, same, inFile]) {
      await refuses(test, 'a.tar', await tarOf(entries), 'bad-archive-entry', text)
    }
    await refuses(test, 'a.7z', await sevenZipOf('7z', twice), 'bad-archive-entry', text)
  })
})

describe('what is not a file or folder in an archive', () => {
  it('is refused: links, devices and pipes', async (test) => {
    const link = [{ name: 'link', content: '/etc/passwd', mode: 0o120777 }]
    const code = 'bad-archive-entry'
    await refuses(test, 'a.zip', await zipOf(link), code, /"link".*it is a link/)
    await refuses(test, 'a.7z', await sevenZipOf('7z', link), code, /"link".*it is a link/)
    for (const [type, text] of [
      ['symlink', /it is a link/],
      ['link', /it is a link/],
      ['character-device', /it is a device/],
      ['block-device', /it is a device/],
      ['fifo', /it is a pipe/],
    ] as const) {
      const tar = await tarOf({ entry: '' }, { type, linkname: '/etc/passwd' })
      await refuses(test, 'a.tar', tar, code, text)
    }
  })
})

describe('an archive that expands too far', () => {
  const zeros = Buffer.alloc(3 << 20)

  it('is refused by the ratio, in every kind that packs', async (test) => {
    for (const [name, bytes] of [
      ['a.zip', await zipOf({ zeros })],
      ['a.gz', gzipSync(zeros)],
      ['a.tar.gz', await tarGzOf({ zeros, '.skipped': zeros })],
      ['a.bz2', await compressedOf('bzip2', zeros)],
      ['a.xz', await compressedOf('xz', zeros)],
      ['a.7z', await sevenZipOf('7z', { zeros })],
    ] as const) {
      await refuses(test, name, bytes, 'archive-too-large', /more than 10 times its size/, {
        limits: { maxRatio: 10 },
      })
    }
  })

  it('is refused by the number of bytes', async (test) => {
    for (const [name, bytes] of [
      ['a.zip', await zipOf({ csv })],
      ['a.tar', await tarOf({ csv })],
      ['a.7z', await sevenZipOf('7z', { csv })],
      ['a.csv.xz', await compressedOf('xz', csv)],
    ] as const) {
      await refuses(test, name, bytes, 'archive-too-large', /more than 1000 bytes/, {
        limits: { maxExpandedBytes: 1000 },
      })
    }
  })

  it('is refused by the number of entries, folders counted', async (test) => {
    const many = { 'a.csv': '1', 'b.csv': '2', 'c.csv': '3' }
    const deep = { [`${'d/'.repeat(20)}a.csv`]: '1' }
    for (const entries of [many, deep]) {
      for (const [name, bytes] of [
        ['a.zip', await zipOf(entries)],
        ['a.tgz', await tarGzOf(entries)],
        ['a.7z', await sevenZipOf('7z', entries)],
      ] as const) {
        await refuses(test, name, bytes, 'too-many-entries', /more than 2 entries/, {
          limits: { maxEntries: 2 },
        })
      }
    }
  })

  it('is refused where entries of a zip share their bytes', async (test) => {
    const entries = Array.from({ length: 20 }, (_, index) => ({
      name: `${index}.csv`,
      content: csv,
      placeOf: 0,
    }))
    await refuses(test, 'a.zip', rawZip(entries), 'bad-archive-entry', /shares its bytes with another/)
  })
})

describe('an archive that cannot be read', () => {
  const entries = { 'a.csv': csv, 'b.csv': 'x\n1\n' }
  const kinds: [string, () => Promise<Buffer>][] = [
    ['a.zip', () => zipOf(entries)],
    ['a.tar', () => tarOf(entries)],
    ['a.tar.gz', () => tarGzOf(entries)],
    ['a.tar.bz2', async () => compressedOf('bzip2', await tarOf(entries))],
    ['a.tar.xz', async () => compressedOf('xz', await tarOf(entries))],
    ['a.csv.gz', async () => gzipSync(csv)],
    ['a.csv.bz2', () => compressedOf('bzip2', csv)],
    ['a.csv.xz', () => compressedOf('xz', csv)],
    ['a.7z', () => sevenZipOf('7z', entries)],
  ]

  for (const [name, make] of kinds) {
    it(`is refused: ${name} that is cut, that is empty, that holds something else`, async (test) => {
      const whole = await make()
      const text = /is not a readable [\w.]+ archive: ./
      await refuses(test, name, whole.subarray(0, whole.length * 0.6), 'broken-archive', text)
      await refuses(test, name, new Uint8Array(0), 'broken-archive', /the file is empty/)
      await refuses(
        test,
        name,
        Buffer.from('<html>not found</html>\n'.repeat(50)),
        'broken-archive',
        /is not a readable .*: it is an HTML page, possibly a sign-in/,
      )
    })
  }

  it('is refused where the content of an entry is not what its checksum says', async (test) => {
    const zip = rawZip([{ name: 'a.csv', content: csv, crc: 1 }])
    await refuses(test, 'a.zip', zip, 'bad-archive-entry', /"a\.csv".*its content is damaged/)
    for (const [name, make] of kinds.filter(([kind]) => kind !== 'a.zip' && kind !== 'a.tar')) {
      const bytes = await make()
      const middle = Math.floor(bytes.length * 0.4)
      bytes[middle] = (bytes[middle] ?? 0) ^ 0x10
      await refuses(test, name, bytes, 'broken-archive', /is not a readable/)
    }
  })

  it('is refused where an entry of a zip is larger or smaller than it says', async (test) => {
    const large = await zipOf({ 'a.csv': csv })
    const sizeAt = large.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24
    for (const sizeBytes of [csv.length - 1, csv.length + 1]) {
      large.writeUInt32LE(sizeBytes, sizeAt)
      await refuses(test, 'a.zip', large, 'broken-archive', /"a\.csv" is (larger|smaller) than/)
    }
  })

  it('is refused where a zip holds more entries than it says', async (test) => {
    const zip = rawZip(['a.csv', 'b.csv', 'c.csv'].map((name) => ({ name, content: csv })))
    zip.writeUInt16LE(2, zip.length - 12)
    await refuses(
      test,
      'a.zip',
      zip,
      'broken-archive',
      /more than the 2 entries in its header: pack it as zip64/,
    )
  })

  it('is refused with the way out: encrypted, split, packed by a method that is not read, rar', async (test) => {
    const encrypted = (type: string, ...args: string[]) =>
      sevenZipOf(type, { 'a.csv': csv }, ['-psecret', ...args])
    const code = 'bad-archive-entry'
    const text = /encrypted: pack it without a password/
    await refuses(test, 'a.zip', await encrypted('zip'), code, text)
    await refuses(test, 'a.7z', await encrypted('7z'), code, text)
    await refuses(test, 'a.7z', await encrypted('7z', '-mhe=on'), 'broken-archive', /encrypted/)
    const part = rawZip([{ name: 'a.csv', content: '1' }], { disk: 2 })
    await refuses(test, 'a.zip', part, 'split-archive', /join the parts/)
    await refuses(test, 'a.7z.001', Buffer.from('7z'), 'split-archive', /join the parts/)
    const odd = rawZip([{ name: 'a.csv', content: '1', method: 9 }])
    await refuses(test, 'a.zip', odd, code, /method 9.*use Deflate/)
    await refuses(test, 'a.rar', Buffer.from('Rar!'), 'archive-not-supported', /a rar archive.*use zip/)
  })

  it('is refused where it needs more memory than it is given', async (test) => {
    const xz = await compressedOf('xz', csv)
    // The properties of the first block's LZMA2 filter (xz format 5.3.1): 36 is a dictionary of 1 GiB.
    const at = xz.indexOf(Buffer.from([0x21, 0x01]), 12)
    const bytes = Buffer.from(xz)
    bytes[at + 2] = 36
    const headerBytes = ((bytes[12] ?? 0) + 1) * 4
    bytes.writeUInt32LE(crc32(bytes.subarray(12, 12 + headerBytes - 4)), 12 + headerBytes - 4)
    await refuses(test, 'a.csv.xz', bytes, 'broken-archive', /more than 512 MiB of memory/)
  })
})

describe('an unpacking that ends early', () => {
  it('stops soon after its signal and keeps nothing', async (test) => {
    const large = Buffer.from(Array.from({ length: 1 << 21 }, () => Math.random() * 64 + 32))
    for (const [name, bytes] of [
      ['a.csv.bz2', await compressedOf('bzip2', large)],
      ['a.7z', await sevenZipOf('7z', { large })],
      ['a.zip', rawZip(Array.from({ length: 20_000 }, (_, at) => ({ name: `${at}.csv`, content: 'x' })))],
    ] as const) {
      const folder = await temporaryFolder(test)
      const stop = new AbortController()
      const unpacking = unpackInto(folder, name, bytes, { signal: stop.signal })
      await sleep(30)
      stop.abort(new Error('enough'))
      await assert.rejects(unpacking, /enough/)
      assert.deepEqual(await readdir(folder), ['archive'])
    }
  })

  it('says that the disk is full and keeps nothing', async (test) => {
    const [folder, disk] = [await temporaryFolder(test), await temporaryFolder(test)]
    const mount = ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]
    const isMounted = await runProgram('mount', mount).then(
      () => true,
      () => false,
    )
    if (!isMounted) {
      test.diagnostic('a small disk can only be made by root, where the system allows it')
      return
    }
    const text = Buffer.from(Array.from({ length: 1 << 20 }, () => Math.random() * 256))
    const { signal } = new AbortController()
    try {
      for (const [name, bytes] of [
        ['a.zip', await zipOf({ a: text, b: text })],
        ['small.zip', rawZip(Array.from({ length: 900 }, (_, at) => ({ name: `${at}`, content: csv })))],
        ['a.bin.gz', gzipSync(Buffer.concat([text, text]))],
      ] as const) {
        const archive = join(folder, name)
        await writeFile(archive, bytes)
        const options = { limits: defaultSourceLimits, signal }
        await assert.rejects(extractArchive(archive, join(disk, 'out'), options), (error: unknown) => {
          assert.ok(error instanceof Failure, String(error))
          assert.equal(error.code, 'disk-full')
          assert.match(error.message, new RegExp(`"${name}" cannot be unpacked`))
          return true
        })
        assert.deepEqual(await readdir(disk), [])
      }
    } finally {
      await runProgram('umount', [disk])
    }
  })
})
