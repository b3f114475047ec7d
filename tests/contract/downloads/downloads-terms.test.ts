import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js'
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js'
import { parquetMetadataAsync } from 'hyparquet'
import { flatgeobuf } from '../../../src/formats/flatgeobuf/flatgeobuf.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { downloaded } from '../../support/downloaded.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { convertedVector } from '../../support/gdal-session.ts'
import { serveRaster } from '../../support/rasters.ts'
import { readLayer } from '../../support/read-layer.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const points: Points = Array.from({ length: 300 }, (_, at) => [`p${at}`, at % 90, at % 45])
const terms = {
  attribution: '© Stadt Ulm & "Land" <BW> 地図',
  licence: 'CC-BY-4.0',
  contact: "Anna O'Hara <maps@ulm.example>",
  owner: 'Amt für <Grün> & Umwelt',
  citation: 'Stadt Ulm (2026): Bäume & <Sträucher>. 地図',
  doi: '10.1234/trees.v2',
}
const about = { title: 'Bäume & <Sträucher>', abstract: 'Where they stand.\nSince 1990.', ...terms }

async function tell({ app, admin }: TestApp, name: string, layer: object): Promise<void> {
  const url = `/rest/layers/default:${name}`
  const reply = await app.inject({ method: 'PUT', url, headers: admin, payload: { layer } })
  assert.equal(reply.statusCode, 200, reply.body)
}

const reported = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** Name and place of each row, as GDAL reads them. */
function rowsByGdal(path: string): string[] {
  const { features } = JSON.parse(convertedVector(path, ['-f', 'GeoJSON'])) as {
    features: { properties: Record<string, string>; geometry: { coordinates: number[] } }[]
  }
  return features
    .map(
      ({ properties, geometry }) =>
        `${properties['name'] ?? properties['Name']} ${geometry.coordinates.slice(0, 2)}`,
    )
    .toSorted()
}

const selected = points.map(([name, x, y]) => `${name} ${x},${y}`).toSorted()

describe('attribution, licence, contact, owner, citation and DOI of a layer', needsGdal, () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await importPoints(server, { name: 'dots', points })
    await tell(server, 'dots', about)
  })
  after(() => server.close())

  async function fetchFile(t: TestContext, f: string) {
    const reply = await downloaded(server, `/ogc/collections/default:dots/download?f=${f}`, server.admin)
    assert.equal(reply.statusCode, 200, reply.body.slice(0, 500))
    const path = join(temporaryFolder(t), `dots.${f === 'shp' ? 'zip' : f}`)
    writeFileSync(path, reply.rawPayload)
    return { path, headers: reply.headers, text: reply.body }
  }

  it('stand in each download that has a place for them, and the rows stay what they are', async (t) => {
    const gpkg = await fetchFile(t, 'gpkg')
    const shown = reported('ogrinfo', '-so', gpkg.path, 'dots')
    for (const [name, text] of Object.entries(terms))
      assert.ok(shown.includes(`${name.toUpperCase()}=${text}`), shown)
    assert.ok(shown.includes('DESCRIPTION=Where they stand.'), shown)
    assert.deepEqual(rowsByGdal(gpkg.path), selected)

    const geojson = await fetchFile(t, 'geojson')
    const { features, ...members } = JSON.parse(geojson.text) as Record<string, unknown>
    assert.deepEqual(members, { type: 'FeatureCollection', name: 'dots', ...terms })
    assert.equal((features as unknown[]).length, points.length)
    assert.deepEqual(rowsByGdal(geojson.path), selected)

    const parquet = readFileSync((await fetchFile(t, 'parquet')).path)
    const bytes = parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.byteLength)
    const { key_value_metadata: pairs = [] } = await parquetMetadataAsync(bytes)
    const values = Object.fromEntries(pairs.map(({ key, value }) => [key, value]))
    for (const [name, text] of Object.entries(terms)) assert.equal(values[name], text)

    const kml = await fetchFile(t, 'kml')
    const lines = [about.title, about.abstract, ...Object.values(terms)]
    const description = /<description>([^<]*)</.exec(kml.text)?.[1] ?? ''
    for (const line of lines) assert.ok(unescaped(description).includes(line), description)
    assert.deepEqual(rowsByGdal(kml.path), selected)

    const zip = await fetchFile(t, 'shp')
    const text = reported('unzip', '-p', zip.path, 'about.txt')
    for (const line of Object.values(terms)) assert.ok(text.includes(line), text)
  })

  it('stand in the header of FlatGeobuf, before an index and rows that are read as before', async (t) => {
    const { path } = await fetchFile(t, 'fgb')
    let header: HeaderMeta | undefined
    const found = deserialize(new Uint8Array(readFileSync(path)), {
      headerMetaFn: (one: HeaderMeta) => (header = one),
    })
    assert.equal((await Array.fromAsync(found)).length, points.length)
    assert.deepEqual(
      [header?.title, header?.description, JSON.parse(header?.metadata ?? '')],
      [about.title, about.abstract, terms],
    )
    assert.equal(header?.featuresCount, points.length)
    assert.deepEqual(rowsByGdal(path), selected)
    const inBox = reported('ogrinfo', '-so', '-spat', '3', '3', '6', '6', path, 'dots')
    const expected = points.filter(([, x, y]) => x >= 3 && x <= 6 && y >= 3 && y <= 6).length
    assert.match(inBox, new RegExp(`Feature Count: ${expected}\\b`))
    const { rows, layer } = await readLayer(flatgeobuf, path)
    assert.deepEqual([rows.length, layer.schema.geometry?.crs?.srs], [points.length, 'EPSG:4326'])
  })

  it('are told beside files that have no place for them', async (t) => {
    const { headers } = await fetchFile(t, 'csv')
    const losses = decodeURIComponent(String(headers['terrane-losses']))
    assert.match(
      losses,
      /Attribution of the layer, Licence of the layer, Contact of the layer, Owner of the layer, Citation of the layer, DOI of the layer/,
    )
    const [, id] = /downloads\/([0-9a-f]+)/.exec(String(headers['content-location'])) ?? []
    const reply = await server.app.inject({ url: `/rest/downloads/${id}`, headers: server.admin })
    const { download } = reply.json<{ download: typeof terms }>()
    const { attribution, licence, contact, owner, citation, doi } = download
    assert.deepEqual({ attribution, licence, contact, owner, citation, doi }, terms)
  })

  it('are tags of a GeoTIFF, in its own CRS and in another', async (t) => {
    const { server: raster } = await serveRaster(t)
    await tell(raster, 'RGB_byte', about)
    const folder = temporaryFolder(t)
    for (const query of ['f=tif', 'f=tif&crs=EPSG:3857']) {
      const url = `/ogc/collections/default:RGB_byte/download?${query}`
      const reply = await downloaded(raster, url, raster.admin)
      assert.equal(reply.statusCode, 200, reply.body.slice(0, 500))
      const path = join(folder, 'a.tif')
      writeFileSync(path, reply.rawPayload)
      const { metadata } = JSON.parse(reported('gdalinfo', '-json', path)) as {
        metadata: Record<string, Record<string, string>>
      }
      assert.equal(metadata['']?.['TIFFTAG_COPYRIGHT'], `${terms.attribution}, ${terms.licence}`)
      assert.equal(metadata['']?.['TIFFTAG_IMAGEDESCRIPTION'], `${about.title}\n${about.abstract}`)
      for (const [name, text] of Object.entries(terms)) assert.equal(metadata['']?.[name.toUpperCase()], text)
    }
  })
})

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
