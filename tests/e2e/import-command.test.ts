import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import type { Ended, RunningProcess } from '../support/terrane-process.ts'
import { runTerrane, startTerrane, temporaryData } from '../support/terrane-process.ts'

const sample = join(import.meta.dirname, '..', '..', 'sample', 'natural-earth')
const countries = join(sample, 'countries.geojson')
const states = join(sample, 'states.shp')

function settings(data: string): Record<string, string> {
  return {
    TERRANE_DATA: data,
    TERRANE_PORT: '0',
    TERRANE_ADMIN_PASSWORD: 'e2e-password',
    TERRANE_SAMPLE: 'off',
  }
}

describe('terrane import', () => {
  const cleanups: (() => void)[] = []
  let server: RunningProcess
  let url: string
  /** Runs the command against the server of this file. */
  const run = (t: TestContext, args: string[], password = 'e2e-password'): Promise<Ended> =>
    runTerrane(t, ['import', ...args, '--url', url], { TERRANE_PASSWORD: password })

  before(async () => {
    const t = { after: (work: () => void) => void cleanups.unshift(work) }
    server = startTerrane(t, ['serve'], settings(temporaryData(t)))
    url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
  })
  after(async () => {
    server.signal('SIGTERM')
    await server.ended
    for (const cleanup of cleanups) cleanup()
  })

  it('starts a server for the import, uploads what lies outside the import roots, and sums up', async (t) => {
    const { code, stdout, stderr } = await runTerrane(
      t,
      ['import', countries, states],
      settings(temporaryData(t)),
    )
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /countries\s+COMPLETE\s+242\s+0/)
    assert.match(stdout, /states\s+COMPLETE\s+51\s+0/)
    assert.match(stdout, /2 of 2 imported/)
    assert.match(stderr, /countries +COMPLETE +242 rows/)
  })

  it('tells bytes of rasters, not rows', async (t) => {
    const raster = join(import.meta.dirname, '..', 'fixtures', 'raster', 'RGB.byte.tif')
    const { code, stdout, stderr } = await run(t, [raster])
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /RGB_byte\s+COMPLETE\s+1\.7 MB\s+0/)
    assert.match(stderr, /RGB_byte +COMPLETE +1\.7 MB in/)
    assert.doesNotMatch(stderr, /RGB_byte.*rows/)
  })

  it('ends with 1 when anything was not imported, and imports the rest', async (t) => {
    const broken = join(temporaryData(t), 'broken.geojson')
    writeFileSync(broken, '{"type":"FeatureCollection","features":[')
    const { code, stdout } = await run(t, [broken, states])
    assert.equal(code, 1)
    assert.match(stdout, /1 of 2 imported/)
  })

  it('gives --srs to data that name no coordinate system, and says so when it is missing', async (t) => {
    const table = join(temporaryData(t), 'places.csv')
    writeFileSync(table, 'name,wkt\nhere,POINT (1 2)\nthere,POINT (3 4)\n')
    const without = await run(t, [table])
    assert.equal(without.code, 1)
    assert.match(without.stdout, /NO_CRS .* give --srs/)
    const given = await run(t, [table, '--srs', 'EPSG:4326'])
    assert.equal(given.code, 0, given.stdout)
    assert.match(given.stdout, /COMPLETE\s+2\s+0/)
  })

  it('replaces and appends on a running server by its address and password', async (t) => {
    const rowsAfter = { create: 242, append: 484, replace: 242 }
    for (const [mode, rows] of Object.entries(rowsAfter)) {
      assert.equal((await run(t, [countries, '--mode', mode])).code, 0, mode)
      const answer = await fetch(`${url}/ogc/collections/default:countries/items?limit=1`, {
        headers: { authorization: `Basic ${Buffer.from('admin:e2e-password').toString('base64')}` },
      })
      assert.equal(((await answer.json()) as { numberMatched: number }).numberMatched, rows, mode)
    }
  })

  it('says that the password is wrong', async (t) => {
    const { code, stdout } = await run(t, [states], 'wrong')
    assert.equal(code, 1)
    assert.match(stdout, /The user or the password is wrong/)
  })

  it('needs a password for a running server and asks for none without a terminal', async (t) => {
    const { code, stderr } = await runTerrane(t, ['import', states, '--url', 'http://127.0.0.1:9'], {})
    assert.equal(code, 2)
    assert.match(stderr, /TERRANE_PASSWORD/)
  })
})

describe('terrane doctor', () => {
  it('tells what a missing GDAL costs and does not fail for it', async (t) => {
    const { code, stdout } = await runTerrane(t, ['doctor'], {
      ...settings(temporaryData(t)),
      PATH: '/nowhere',
    })
    assert.equal(code, 0, stdout)
    assert.match(stdout, /GDAL\s+not installed\s+only Shapefile/)
  })

  it('fails when the database of the settings cannot be reached', async (t) => {
    const database = { TERRANE_DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' }
    const { code, stdout } = await runTerrane(t, ['doctor'], { ...settings(temporaryData(t)), ...database })
    assert.equal(code, 1)
    assert.match(stdout, /PostgreSQL\s+not reached/)
    assert.doesNotMatch(stdout, /secret/)
  })
})
