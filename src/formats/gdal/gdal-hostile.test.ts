import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import {
  context,
  formatOf,
  gdalFixture,
  needsGdal,
  ownTemporaryFolder,
  readTables,
  testFolder,
} from '../../../tests/support/gdal-files.ts'
import { FormatError } from '../format.ts'
import { detectGdal } from './detect.ts'
import { gdalFormats } from './gdal.ts'
import type { GdalDriver } from './gdal-drivers.ts'

const secret = 'the secret of another file'

/** Creates a folder with a file that must not be read, and a server that must not be called. */
async function trap(
  test: TestContext,
): Promise<{ folder: string; outside: string; url: string; requested: () => number }> {
  const folder = await testFolder(test)
  const outside = join(folder, 'outside')
  await mkdir(outside)
  await mkdir(join(folder, 'data'))
  await writeFile(join(outside, 'secret.csv'), `id,text\n1,${secret}\n`)
  let count = 0
  const server = createServer((socket) => {
    count += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { folder: join(folder, 'data'), outside, url: `http://127.0.0.1:${port}/x`, requested: () => count }
}

/** Reads everything that is readable and returns it as text. */
async function everything(path: string): Promise<string> {
  try {
    const tables = await readTables(path)
    return JSON.stringify(
      tables.map(({ layer, rows }) => [layer, rows]),
      (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    )
  } catch (error) {
    assert.ok(error instanceof FormatError || /No format takes/.test(String(error)), String(error))
    return String(error)
  }
}

describe('files that point elsewhere', needsGdal, () => {
  it('make GDAL read no other file, under whatever name, with marks and blanks before', async (test) => {
    const { folder, outside } = await trap(test)
    const vrt = `<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource>${outside}/secret.csv</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`
    const forms: Uint8Array[] = [
      Buffer.from(vrt),
      Buffer.from(`\ufeff  \n${vrt}`),
      Buffer.from(`\ufeff${vrt}`, 'utf16le'),
      Buffer.from(`<?xml version="1.0"?><!-- gml TRANSFER rss -->${' '.repeat(70_000)}${vrt}`),
      Buffer.from(`<gml xmlns="http://www.opengis.net/gml">${' '.repeat(70_000)}${vrt}</gml>`),
    ]
    for (const [index, bytes] of forms.entries()) {
      for (const extension of ['vrt', 'gml', 'xml', 'georss']) {
        const path = join(folder, `a${index}.${extension}`)
        await writeFile(path, bytes)
        assert.ok(!(await everything(path)).includes(secret), path)
      }
    }
  })

  it('make it follow neither links nor schemas nor entities of GML, nor ask any server', async (test) => {
    const { folder, outside, url, requested } = await trap(test)
    await writeFile(
      join(outside, 'point.gml'),
      `<p xmlns:gml="http://www.opengis.net/gml"><n>${secret}</n></p>`,
    )
    const feature = (inner: string) => `<gml:featureMember><f><a>1</a>${inner}</f></gml:featureMember>`
    const file = (prolog: string, attributes: string, inner: string) =>
      `${prolog}<gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ${attributes}>${feature(inner)}</gml:FeatureCollection>`
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join(
      '',
    )
    const files = [
      file('', '', `<b xlink:href="${url}#p"/><g xlink:href="file://${outside}/point.gml#p"/>`),
      file('', `xsi:schemaLocation="http://e.org ${url}.xsd"`, ''),
      file('', `xsi:schemaLocation="http://e.org file://${outside}/secret.csv"`, ''),
      file(`<!DOCTYPE f [<!ENTITY x SYSTEM "file://${outside}/secret.csv">]>`, '', '<b>&x;</b>'),
      file(`<!DOCTYPE f SYSTEM "${url}.dtd">`, '', ''),
      file(`<!DOCTYPE f [<!ENTITY l0 "lol">${laughs}]>`, '', '<b>&l9;</b>'),
    ]
    for (const [index, text] of files.entries()) {
      const path = join(folder, `${index}.gml`)
      await writeFile(path, text)
      const found = await everything(path)
      assert.ok(!found.includes(secret), path)
      assert.ok(found.length < 100_000, path)
    }
    assert.equal(requested(), 0)
  })

  it('make it read no other file by tables of MapInfo or references of DXF', async (test) => {
    const { folder, outside } = await trap(test)
    const view = `!table\n!version 100\n\nOpen Table "${outside}/secret" Hide\n\nCreate View a As\nSelect *\nFrom secret\n`
    const native = `!table\n!version 300\n!charset WindowsLatin1\n\nDefinition Table\n  File "${outside}/secret.csv"\n  Type NATIVE Charset "WindowsLatin1"\n  Fields 1\n    text Char (100) ;\n`
    const reference = `0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\nX\n70\n4\n1\n${outside}/secret.csv\n0\nENDBLK\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n0\nINSERT\n2\nX\n10\n1\n20\n2\n0\nENDSEC\n0\nEOF\n`
    for (const [name, text] of Object.entries({ 'a.tab': view, 'b.tab': native, 'c.dxf': reference })) {
      await writeFile(join(folder, name), text)
      assert.ok(!(await everything(join(folder, name))).includes(secret), name)
    }
  })

  it('are refused where virtual tables of SQLite would read them', async (test) => {
    const { folder, outside } = await trap(test)
    const path = join(folder, 'a.sqlite')
    const database = new DatabaseSync(path, { defensive: false })
    database.exec('CREATE TABLE t (a TEXT); PRAGMA writable_schema = ON')
    const insert = database.prepare("INSERT INTO sqlite_master VALUES ('table', 'v', 'v', 0, ?)")
    insert.run(`CREATE/* */VIRTUAL TABLE v USING VirtualText('${outside}/secret.csv', 'UTF-8', 1)`)
    database.close()
    await assert.rejects(readTables(path), { code: 'not-supported', message: /"v".*other files/ })
    assert.deepEqual(await readdir(folder), ['a.sqlite'])
  })

  it('leave nothing beside them, whatever GDAL writes for itself', async (test) => {
    const { folder } = await trap(test)
    await copyFile(gdalFixture('places.gml').path, join(folder, 'a.gml'))
    const database = new DatabaseSync(join(folder, 'b.sqlite'))
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a TEXT); INSERT INTO t VALUES (1)')
    database.close()
    writeFileSync(join(folder, 'c.osm'), '<osm version="0.6"><node id="1" lat="48" lon="11"/></osm>')
    const names = await readdir(folder)
    const before = names.map((name) => readFileSync(join(folder, name)))
    for (const name of names) await everything(join(folder, name))
    assert.deepEqual(await readdir(folder), names)
    assert.deepEqual(
      names.map((name) => readFileSync(join(folder, name))),
      before,
    )
  })
})

/** Replaces GDAL's programs by a script, which runs after listing their drivers. */
async function withPrograms(test: TestContext, script: string): Promise<string> {
  const folder = await testFolder(test)
  const list = 'if [ "$1" = --formats ]; then echo "  GML -vector- (rw+v): GML"; exit 0; fi'
  for (const name of ['ogrinfo', 'ogr2ogr']) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${list}\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const path = process.env.PATH ?? ''
  process.env.PATH = `${folder}${delimiter}${path}`
  test.after(() => {
    process.env.PATH = path
  })
  return folder
}

const gml = () => gdalFormats.find(({ name }) => name === 'GML')
const describeGml = (signal = context.signal) => gml()?.describe(gdalFixture('places.gml'), { signal })

describe('programs that go wrong', () => {
  it('are ended when they hang and the import is cancelled', async (test) => {
    await withPrograms(test, 'sleep 600')
    const reason = new Error('enough')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 300)
    await assert.rejects(async () => describeGml(controller.signal), reason)
  })

  it('that write without end are stopped', async (test) => {
    await withPrograms(test, 'yes "Layer name: x"')
    await assert.rejects(async () => describeGml(), { code: 'gdal-failed', message: /more output/ })
  })

  it('that write a line without end are stopped', async (test) => {
    const body = 'case "$0" in *ogrinfo) printf "Layer name: x\\nFeature Count: 1\\n"; exit 0;; esac'
    await withPrograms(test, `${body}\nexec yes | tr -d "\\n"`)
    await assert.rejects(async () => describeGml(), { code: 'too-large', message: /256 MiB/ })
  })

  it('that are late decide nothing about the format: the name of the file counts', async (test) => {
    const driver: GdalDriver = {
      name: 'GML',
      drivers: ['GML'],
      extensions: ['gml'],
      suits: () => true,
      isProbed: true,
    }
    const file = gdalFixture('places.gml')
    const head = readFileSync(file.path)
    await withPrograms(test, 'while :; do :; done')
    assert.equal(await detectGdal(driver, file, head, 200), true)
    await withPrograms(test, 'exit 3')
    assert.equal(await detectGdal(driver, file, head, 200), false)
  })

  it('that are killed are told so', async (test) => {
    await withPrograms(test, 'kill -9 $$')
    await assert.rejects(async () => describeGml(), { code: 'gdal-failed', message: /ended by a signal/ })
  })

  it('leave no folder behind', async (test) => {
    await withPrograms(test, 'touch left-by-the-program; exit 3')
    const temporary = await ownTemporaryFolder(test)
    await assert.rejects(async () => describeGml(), FormatError)
    assert.deepEqual(readdirSync(temporary), [])
  })
})

describe('a machine without GDAL', () => {
  it('knows the formats, and says what to install', async (test) => {
    const path = process.env.PATH
    process.env.PATH = await testFolder(test)
    test.after(() => {
      process.env.PATH = path
    })
    const file = gdalFixture('places.gml')
    const format = await formatOf(file)
    assert.equal(format?.name, 'GML')
    await assert.rejects(async () => format?.describe(file, context), {
      code: 'gdal-missing',
      message: /Debian package gdal-bin/,
    })
  })
})
