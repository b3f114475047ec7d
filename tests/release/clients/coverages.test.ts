import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gdal, rasterFixtures } from '../../support/rasters.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer, userAndPassword } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const run = promisify(execFile)

/** Runs a program of GDAL that reads over the network. */
async function overHttp(program: string, args: string[], credentials = userAndPassword): Promise<string> {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...(credentials === '' ? {} : { GDAL_HTTP_USERPWD: credentials }) }
  return (await run(program, args, { env, maxBuffer: 16 << 20 })).stdout
}

/** A server with the rasters of a folder as coverages. */
async function serve(t: TestContext, folder: string): Promise<TestServer> {
  const server = await startServer(t, temporaryData(t), { TERRANE_IMPORT_ROOTS: folder })
  const created = await server.call('POST', '/rest/imports?exec=true', {
    import: { data: { type: 'directory', location: folder } },
  })
  assert.equal(created.status, 201, created.text)
  assert.equal(created.json.import?.state, 'COMPLETE', created.text)
  return server
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-coverages-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns what `gdalinfo` reports about the cells, without the name of the file. */
async function cellsOf(dataset: string): Promise<string> {
  const text = await overHttp('gdalinfo', ['-checksum', dataset])
  return text.slice(text.indexOf('Size is'))
}

const urlOf = (server: TestServer, layer: string, name: string): string =>
  `/vsicurl/${server.url}/ogc/collections/default:${layer}/file/${name}`

describe('GDAL as a reader of coverages', () => {
  it('reads the file over HTTP in parts, every cell equal to its source', async (t) => {
    const folder = temporaryFolder(t)
    const path = join(folder, 'RGB.byte.tif')
    cpSync(join(rasterFixtures, 'RGB.byte.tif'), path)
    const server = await serve(t, folder)
    const served = await cellsOf(urlOf(server, 'RGB_byte', 'RGB.byte.tif'))
    assert.match(served, /Size is 791, 718/)
    assert.match(served, /Checksum=\d+/)
    assert.equal(served, await cellsOf(path))
    await server.stop()
  })

  it('finds the world file beside an image', async (t) => {
    const folder = temporaryFolder(t)
    const path = join(folder, 'photo.png')
    gdal(
      'gdal_translate',
      '-q',
      '-of',
      'PNG',
      '-co',
      'WORLDFILE=YES',
      join(rasterFixtures, 'RGB.byte.tif'),
      path,
    )
    rmSync(`${path}.aux.xml`)
    writeFileSync(join(folder, 'photo.prj'), await overHttp('gdalsrsinfo', ['-o', 'wkt_esri', 'EPSG:32618']))
    const server = await serve(t, folder)
    const served = await cellsOf(urlOf(server, 'photo', 'photo.png'))
    assert.match(served, /Origin = \(101984\.9999999/)
    assert.equal(served, await cellsOf(path))
    await server.stop()
  })

  it('is refused without credentials', async (t) => {
    const folder = temporaryFolder(t)
    cpSync(join(rasterFixtures, 'world.byte.tif'), join(folder, 'world.tif'))
    const server = await serve(t, folder)
    const url = urlOf(server, 'world', 'world.tif')
    await assert.rejects(overHttp('gdalinfo', [url], ''))
    assert.match(await overHttp('gdalinfo', [url]), /2880, 1200/)
    await server.stop()
  })
})
