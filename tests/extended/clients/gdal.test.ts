import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { runCommands } from '../../support/document-commands.ts'
import { documentedPage } from '../../support/map-pages.ts'
import { makeToken } from '../../support/map-token.ts'
import { differentColours, meanColours } from '../../support/pictures.ts'
import { warp } from '../../support/rasterized.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'
import { userAndPassword } from '../../support/server.ts'

const run = promisify(execFile)

interface Feature {
  properties: Record<string, unknown>
}

describe('maps in GDAL', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  before(async () => {
    server = await serveMaps({ after: (work) => ends.push(work) })
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  /** Returns the known properties of a dataset, sorted as text. */
  const propertiesOf = async (dataset: string, ...options: string[]): Promise<string[]> => {
    const { stdout } = await run('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', dataset, ...options], {
      maxBuffer: 256 << 20,
    })
    const { features } = JSON.parse(stdout) as { features: Feature[] }
    return features
      .map(({ properties: { mvt_id: _, ...properties } }) =>
        JSON.stringify(
          Object.entries(properties)
            .filter(([, value]) => value !== null)
            .sort(),
        ),
      )
      .sort()
  }

  it('have every attribute of every feature, at the zoom that one tile shows', async () => {
    const sources = {
      countries: 'countries.geojson',
      states: 'states.shp',
      boundary_lines: 'boundary_lines.shp',
      places: 'places.geojson',
      europe: 'europe.gpkg',
    }
    for (const [layer, file] of Object.entries(sources)) {
      const tile = `MVT:${server.url}/tiles/default:${layer}/0/0/0.mvt`
      assert.deepEqual(await propertiesOf(tile), await propertiesOf(join(server.sources, file)), layer)
    }
  })

  it('are read by the commands of the document', async () => {
    const commands = documentedPage('docs/maps.md > GDAL > sh 1', server)
    const { code, stdout, stderr } = await runCommands(`set -e\n${commands}`, {}, server.sources)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /Feature Count: [1-9]/)
    const { stdout: reported } = await run('ogrinfo', [
      '-ro',
      '-so',
      '-al',
      join(server.sources, 'tiles.gpkg'),
    ])
    assert.match(reported, /Feature Count: 242/)
  })

  it('are read as rasters by the file of the document', async () => {
    const file = documentedPage('docs/maps.md > GDAL > xml 1', server)
    writeFileSync(join(server.sources, 'islands.xml'), file)
    const commands = documentedPage('docs/maps.md > GDAL > sh 2', server)
    const { code, stderr } = await runCommands(`set -e\n${commands}`, {}, server.sources)
    assert.equal(code, 0, stderr)
    const extent = [-8800000, 2700000, -8520000, 2950000]
    const truth = await warp(join(server.sources, 'islands.tif'), extent, join(server.sources, 'warped.tif'))
    const read = readFileSync(join(server.sources, 'islands-from-tiles.tif'))
    assert.deepEqual(differentColours(await meanColours(read), await meanColours(readFileSync(truth))), [])
  })

  it('are signed in to with a token in a header', async () => {
    const tile = `MVT:${server.url}/tiles/default:secret/0/0/0.mvt`
    const env = {
      GDAL_HTTP_HEADERS: `Authorization: Bearer ${await makeToken(server)}`,
      PATH: process.env.PATH,
    }
    const { stdout } = await run('ogrinfo', ['-ro', '-so', tile, 'secret'], { env })
    assert.match(stdout, /Feature Count: 51/)
    await assert.rejects(run('ogrinfo', ['-ro', '-so', tile, 'secret']))
  })

  it('are fetched by the commands of the document', async () => {
    const commands = documentedPage('docs/maps.md > Addresses > sh 1', server)
    const { code, stdout, stderr } = await runCommands(`set -e\n${commands}`, {}, server.sources)
    assert.equal(code, 0, stderr)
    assert.equal((JSON.parse(stdout) as { version: number }).version, 8)
    for (const name of ['legend.png', 'thumbnail.png', 'tile.png'])
      assert.equal(readFileSync(join(server.sources, name)).toString('latin1', 1, 4), 'PNG', name)
  })

  it('are exported into files that GDAL reads', async () => {
    symlinkSync(join(import.meta.dirname, '..', '..', '..', 'bin'), join(server.sources, 'bin'))
    const commands = documentedPage('docs/maps.md > As a file > sh 1', server, [
      ['terrane.mjs export', `terrane.mjs export --url ${server.url}`],
    ])
    const env = { TERRANE_PASSWORD: userAndPassword.split(':')[1] ?? '' }
    const { code, stdout, stderr } = await runCommands(commands, env, server.sources)
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /Feature Count: [1-9]/)
    const head = readFileSync(join(server.sources, 'countries.pmtiles')).toString('latin1', 0, 7)
    assert.equal(head, 'PMTiles')
  })
})
