import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import iconv from 'iconv-lite'
import { ZipFile } from 'yazl'
import {
  compressedOf,
  fromDos,
  renamed,
  sevenZipOf,
  tarGzOf,
  tarOf,
  zipOf,
} from '../../tests/support/archives.ts'
import { rawZip } from '../../tests/support/raw-zip.ts'
import { temporaryFolder, unpack, unpackInto } from '../../tests/support/unpacking.ts'
import { runProgram } from '../core/process/process.ts'
import { findArchive, withoutArchiveEnding } from './archive.ts'

const files = { 'in/größe.csv': 'x\n1\n', 'b.csv': 'y\n2\n', 'empty.csv': '', 'z/last.csv': 'z\n' }
const ignored = { '__MACOSX/b.csv': '?', '.hidden': '?' }
const all = { ...files, ...ignored }
const longName = `${'a'.repeat(90)}/${'b'.repeat(120)}.csv`

describe('findArchive', () => {
  it('knows kinds by the ending in any letter case, and nothing else', () => {
    for (const [name, kind] of [
      ['a.ZIP', 'zip'],
      ['x.gdb.zip', 'zip'],
      ['a.tar.GZ', 'tar.gz'],
      ['a.tgz', 'tar.gz'],
      ['a.tar.bz2', 'tar.bz2'],
      ['a.txz', 'tar.xz'],
      ['a.geojson.gz', 'gzip'],
      ['a.kmz', 'kmz'],
      ['a.7z', '7z'],
      ['a.rar', 'rar'],
      ['a.zip.001', 'split'],
      ['a.shp', undefined],
      ['zip', undefined],
    ] as const) {
      assert.equal(findArchive(name)?.name, kind, name)
    }
  })

  it('gives the name of what an archive holds', () => {
    assert.equal(withoutArchiveEnding('Roads.TAR.gz'), 'Roads')
    assert.equal(withoutArchiveEnding('roads.geojson.gz'), 'roads.geojson')
    assert.equal(withoutArchiveEnding('roads.shp'), 'roads.shp')
  })
})

describe('extractArchive', () => {
  for (const [name, make] of [
    ['a.zip', () => zipOf(all)],
    ['a.tar', () => tarOf(all)],
    ['a.tar.gz', () => tarGzOf(all)],
    ['a.tgz', () => tarGzOf(all)],
    ['a.tar.bz2', async () => compressedOf('bzip2', await tarOf(all))],
    ['a.tar.xz', async () => compressedOf('xz', await tarOf(all))],
    ['a.7z', () => sevenZipOf('7z', all)],
  ] as const) {
    it(`unpacks folders and files of ${name}, and leaves out what no import looks at`, async (test) => {
      assert.deepEqual(await unpack(test, name, await make()), files)
    })
  }

  for (const [ending, make] of [
    ['gz', async (text: string) => gzipSync(text)],
    ['bz2', (text: string) => compressedOf('bzip2', text)],
    ['xz', (text: string) => compressedOf('xz', text)],
  ] as const) {
    it(`unpacks a ${ending} to one file of its name without the ending`, async (test) => {
      const text = 'x\n1\n'.repeat(50_000)
      assert.deepEqual(await unpack(test, `a.csv.${ending}`, await make(text)), { 'a.csv': text })
    })
  }

  it('finds a tar archive in a gz whose name does not tell', async (test) => {
    assert.deepEqual(await unpack(test, 'a.gz', await tarGzOf(all)), files)
  })

  it('unpacks a gz of several members', async (test) => {
    const bytes = Buffer.concat([gzipSync('a,b\n'), gzipSync('1,2\n')])
    assert.deepEqual(await unpack(test, 'a.csv.gz', bytes), { 'a.csv': 'a,b\n1,2\n' })
  })

  it('takes the KML files of a kmz and leaves its pictures', async (test) => {
    const bytes = await zipOf({ 'doc.kml': '<kml/>', 'files/icon.png': 'png', 'more/b.KML': '<kml/>' })
    assert.deepEqual(await unpack(test, 'a.kmz', bytes), { 'doc.kml': '<kml/>', 'more/b.KML': '<kml/>' })
  })

  it('reads zip64, and entries whose sizes stand behind them', async (test) => {
    assert.deepEqual(await unpack(test, 'a.zip', await zipOf(files, { forceZip64Format: true })), files)
    const zip = new ZipFile()
    zip.addReadStream(Readable.from([Buffer.from('x\n'), Buffer.from('1\n')]), 'a.csv')
    zip.end()
    assert.deepEqual(await unpack(test, 'a.zip', await buffer(zip.outputStream)), { 'a.csv': 'x\n1\n' })
  })

  it('gives large entries as they were, in zip and in 7z', async (test) => {
    const large = { 'a.csv': 'abc,def\n'.repeat(60_000), 'b.csv': 'x\n', 'c.csv': 'ghi\n'.repeat(500_000) }
    assert.deepEqual(await unpack(test, 'a.zip', await zipOf(large), { limits: { maxRatio: 1e6 } }), large)
    const seven = await sevenZipOf('7z', large)
    assert.deepEqual(await unpack(test, 'a.7z', seven, { limits: { maxRatio: 1e6 } }), large)
  })

  it('reads zip names: UTF-8 without its flag, code page 437, others where all names fit them better', async (test) => {
    const plain = await zipOf({ 'qqqq.csv': '1' })
    const named = (bytes: Uint8Array) => renamed(plain, 'qqqq', bytes)
    const names = async (bytes: Buffer) => Object.keys(await unpack(test, 'a.zip', bytes))
    assert.deepEqual(await names(fromDos(named(Buffer.from('öß')))), ['öß.csv'])
    assert.deepEqual(await names(named(Buffer.from('mün!', 'latin1'))), ['mün!.csv'])
    for (const written of [named, (bytes: Uint8Array) => fromDos(named(bytes))]) {
      assert.deepEqual(await names(written(Buffer.from([0x6d, 0x81, 0x6e, 0x21]))), ['mün!.csv'])
      assert.deepEqual(await names(written(Buffer.from([0x9a, 0x62, 0x65, 0x72]))), ['Über.csv'])
      assert.deepEqual(await names(written(Buffer.from([0x72, 0xb5, 0x73, 0x21]))), ['rÁs!.csv'])
      assert.deepEqual(await names(written(iconv.encode('Омск', 'cp866'))), ['Омск.csv'])
      assert.deepEqual(await names(written(iconv.encode('Омск', 'cp1251'))), ['Омск.csv'])
      assert.deepEqual(await names(written(Buffer.from([0xe1, 0x73, 0x65, 0x6e]))), ['ßsen.csv'])
    }
  })

  it('decides on the code page of zip names by all of them', async (test) => {
    const archive = rawZip([
      { name: Uint8Array.of(0x61, 0xe1, 0x61, 0x21), content: '1' },
      { name: Uint8Array.of(0x62, 0xfc, 0x62, 0x21), content: '2' },
    ])
    assert.deepEqual(await unpack(test, 'a.zip', archive), { 'aáa!': '1', 'büb!': '2' })
  })

  it('reads tar names: UTF-8, pax headers, GNU long names, other bytes as Windows-1252', async (test) => {
    assert.deepEqual(Object.keys(await unpack(test, 'a.tar', await tarOf({ [longName]: '1' }))), [longName])
    const folder = await temporaryFolder(test)
    mkdirSync(dirname(join(folder, longName)), { recursive: true })
    writeFileSync(join(folder, longName), '1')
    for (const format of ['gnu', 'posix', 'ustar', 'v7']) {
      const path = format === 'v7' || format === 'ustar' ? dirname(longName) : longName
      const file = format === 'v7' || format === 'ustar' ? `${path}/short.csv` : longName
      writeFileSync(join(folder, file), '1')
      await runProgram('tar', [`--format=${format}`, '-cf', 'x.tar', '--', file], { cwd: folder })
      const unpacked = await unpack(test, 'a.tar', await readFile(join(folder, 'x.tar')))
      assert.deepEqual(unpacked, { [file]: '1' }, format)
    }
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/m`), Buffer.from([0xfc]), Buffer.from('n.csv')]), '1')
    await runProgram('sh', ['-c', 'tar --format=gnu -cf y.tar m*.csv'], { cwd: folder })
    const odd = await unpack(test, 'a.tar', await readFile(join(folder, 'y.tar')))
    assert.deepEqual(odd, { 'mün.csv': '1' })
  })

  it('unpacks 60,000 entries', async (test) => {
    const entries = Array.from({ length: 60_000 }, (_, index) => ({
      name: `many/${index}.csv`,
      content: 'a\n1\n',
    }))
    const folder = await temporaryFolder(test)
    await unpackInto(folder, 'a.zip', rawZip(entries))
    assert.equal((await readdir(join(folder, 'out/many'))).length, 60_000)
  })
})
