import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { TestServer } from '../support/server.ts'
import { startServer, userAndPassword } from '../support/server.ts'
import { temporaryData } from '../support/terrane-process.ts'

const run = promisify(execFile)
const sample = join(import.meta.dirname, '..', '..', 'sample')
const folder = join(sample, 'natural-earth')
const sources = { boundary_lines: 'boundary_lines.shp', countries: 'countries.geojson', states: 'states.shp' }
const maxOutputBytes = 64 * 2 ** 20

interface OgrLayer {
  geometry: string
  featureCount: number
  /** Names with `text` or `number`: GDAL distinguishes integers from reals only by the first page. */
  fields: Record<string, string>
}

interface GeoJson {
  features: { geometry: { type: string; coordinates: unknown[] }; properties: Record<string, unknown> }[]
}

/** Runs a program of GDAL, with the credentials of the server's first user where no others are given. */
async function gdal(program: string, args: string[], credentials = userAndPassword): Promise<string> {
  const { PATH, HOME } = process.env
  const { stdout } = await run(program, args, {
    env: { PATH, HOME, ...(credentials === '' ? {} : { GDAL_HTTP_USERPWD: credentials }) },
    maxBuffer: maxOutputBytes,
  })
  return stdout
}

/** Returns the layers of a dataset as `ogrinfo -al -so` reports them, by name. */
async function describeLayers(dataset: string): Promise<Record<string, OgrLayer>> {
  const text = await gdal('ogrinfo', ['-ro', '-al', '-so', dataset])
  const blocks = text.split(/^Layer name: /m).slice(1)
  return Object.fromEntries(
    blocks.map((block) => {
      const fields = [...block.matchAll(/^(\w+): (String|Integer|Integer64|Real) \(/gm)]
      const [name = ''] = block.split('\n')
      const layer: OgrLayer = {
        geometry: /^Geometry: (.*)$/m.exec(block)?.[1] ?? '',
        featureCount: Number(/^Feature Count: (\d+)$/m.exec(block)?.[1]),
        fields: Object.fromEntries(
          fields.map(([, field, type]) => [field, type === 'String' ? 'text' : 'number']),
        ),
      }
      return [name, layer]
    }),
  )
}

/** A server with the sample data loaded into a GeoPackage. */
async function serveSample(t: TestContext): Promise<TestServer> {
  const server = await startServer(t, temporaryData(t), { TERRANE_IMPORT_ROOTS: sample })
  const store = await server.call('POST', '/rest/workspaces/default/datastores', {
    dataStore: { name: 'sample', type: 'GeoPackage' },
  })
  assert.equal(store.status, 201, store.text)
  const created = await server.call('POST', '/rest/imports?exec=true', {
    import: {
      targetStore: { dataStore: { name: 'sample' } },
      data: { type: 'directory', location: 'natural-earth' },
    },
  })
  assert.equal(created.status, 201, created.text)
  assert.equal(created.json.import?.state, 'COMPLETE', created.text)
  return server
}

/** Single geometries as multi, since a layer that mixes both is stored as multi. */
function asMulti({ features }: GeoJson): GeoJson['features'] {
  return features.map(({ geometry: { type, coordinates }, properties }) => ({
    geometry: type.startsWith('Multi')
      ? { type, coordinates }
      : { type: `Multi${type}`, coordinates: [coordinates] },
    properties,
  }))
}

describe('GDAL as a client of the OGC API', () => {
  it('finds every sample layer with count, geometry type and fields', async (t) => {
    const server = await serveSample(t)
    const served = await describeLayers(`OAPIF:${server.url}/ogc`)
    assert.deepEqual(
      Object.keys(served).sort(),
      Object.keys(sources).map((name) => `default:${name}`),
    )
    const geometries = { boundary_lines: 'Line String', countries: 'Multi Polygon', states: 'Multi Polygon' }
    for (const [name, file] of Object.entries(sources)) {
      const layer = served[`default:${name}`]
      const [source] = Object.values(await describeLayers(join(folder, file)))
      assert.equal(layer?.featureCount, source?.featureCount, name)
      assert.deepEqual(layer?.fields, source?.fields, name)
      assert.equal(layer?.geometry, geometries[name as keyof typeof geometries], name)
    }
    await server.stop()
  })

  it('reads a layer page by page, every feature equal to its source', async (t) => {
    const server = await serveSample(t)
    const read = async (name: string): Promise<GeoJson> => {
      const args = ['-f', 'GeoJSON', '/vsistdout/', `OAPIF:${server.url}/ogc`, `default:${name}`]
      return JSON.parse(await gdal('ogr2ogr', [...args, '-oo', 'PAGE_SIZE=17'])) as GeoJson
    }
    const countries = JSON.parse(readFileSync(join(folder, sources.countries), 'utf8')) as GeoJson
    assert.deepEqual(asMulti(await read('countries')), asMulti(countries))
    const states = JSON.parse(
      await gdal('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', join(folder, sources.states)]),
    ) as GeoJson
    assert.deepEqual(asMulti(await read('states')), asMulti(states))
    const some = ['-where', "admin = 'United States of America' AND name > 'K'"]
    const filtered = ['-f', 'GeoJSON', '/vsistdout/', ...some]
    const served = await gdal('ogr2ogr', [...filtered, `OAPIF:${server.url}/ogc`, 'default:states'])
    const own = await gdal('ogr2ogr', [...filtered, join(folder, sources.states)])
    assert.ok((JSON.parse(own) as GeoJson).features.length > 5)
    assert.deepEqual(asMulti(JSON.parse(served) as GeoJson), asMulti(JSON.parse(own) as GeoJson))
    await server.stop()
  })

  it('is refused without credentials, until the workspace is public', async (t) => {
    const server = await serveSample(t)
    const anonymous = (): Promise<string> =>
      gdal('ogrinfo', ['-ro', '-so', `OAPIF:${server.url}/ogc`, 'default:states'], '')
    await assert.rejects(anonymous)
    const opened = await server.call('PUT', '/rest/workspaces/default', { workspace: { public: true } })
    assert.equal(opened.status, 200, opened.text)
    assert.match(await anonymous(), /Feature Count: 51/)
    await server.stop()
  })
})
