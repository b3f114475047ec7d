import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FeatureFormat, WrittenAbout } from '../../src/formats/writing/feature-format.ts'
import { writtenFormats } from '../../src/formats/writing/written-formats.ts'
import { downloadFormats, formatsOfFiles } from '../../src/render/downloads/download-format.ts'
import { batchesOf, schemaOf, wkb } from '../support/batches.ts'
import { needsGdal } from '../support/gdal-files.ts'
import { convertedVector } from '../support/gdal-session.ts'
import { temporaryFiles } from '../support/temporary-files.ts'

const keep = temporaryFiles()
const schema = schemaOf({ name: 'text', size: 'int32' }, 'Point')
const names = Array.from({ length: 25 }, (_, at) => `Straße "${at}", <&>`)
const about: WrittenAbout = {
  name: 'trees',
  title: 'Trees',
  collection: 'http://localhost/ogc/collections/default:trees',
  schema,
  crs: { uri: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84', srs: 'EPSG:4326', isYx: false },
}

/** Writes the first `count` rows as one document; takes the bytes after every `every` rows. */
async function write(format: FeatureFormat, count: number, every: number): Promise<Buffer> {
  const rows = names
    .slice(0, count)
    .map((name, at) => ({ geometry: wkb('Point', [at, at / 2]), values: [name, at] }))
  const writer = format.open(about, schema)
  const pieces: Uint8Array[] = []
  let written = 0
  for await (const batch of batchesOf(schema, rows))
    for (let row = 0; row < batch.rowCount; row += 1) {
      const before = writer.waiting
      writer.add(batch, row, String(written + 1))
      assert.ok(writer.waiting > before, 'a feature adds no bytes')
      written += 1
      if (written % every === 0) pieces.push(writer.take())
    }
  pieces.push(writer.take())
  assert.equal(writer.waiting, 0)
  const end = { numberReturned: count, numberMatched: count, timeStamp: '2024-02-29T12:00:00Z', links: [] }
  return Buffer.concat([...pieces, Buffer.from(format.end(about, end))])
}

describe('the registries of written formats', () => {
  it('have unique media types, and file formats whose rows a written format can write', () => {
    const types = Object.values(writtenFormats).flatMap(({ mediaType, acceptedAs = [] }) => [
      mediaType,
      ...acceptedAs,
    ])
    assert.deepEqual([...new Set(types)], types)
    for (const name of downloadFormats) {
      const { rows = 'geojson', of, losses } = formatsOfFiles[name]
      assert.ok(rows === 'geojson' || rows === 'parquet' || rows in writtenFormats, name)
      assert.ok(of === 'coverage' || losses.length > 0, `${name} names no losses`)
    }
  })

  for (const [name, { ending, isText, load }] of Object.entries(writtenFormats))
    describe(`written format ${name}`, needsGdal, () => {
      it('writes the same bytes whenever they are taken, and a document without features', async () => {
        const format = await load()
        const whole = await write(format, names.length, names.length)
        assert.deepEqual(await write(format, names.length, 1), whole)
        assert.ok((await write(format, 0, 1)).length < whole.length)
        if (isText) assert.doesNotThrow(() => new TextDecoder('utf-8', { fatal: true }).decode(whole))
      })

      it('writes features that GDAL reads', async () => {
        const path = keep(`trees${ending}`, await write(await load(), names.length, 7))
        const { features } = JSON.parse(convertedVector(path, ['-f', 'GeoJSON'])) as {
          features: { properties: { name: string; size: number | string } }[]
        }
        assert.deepEqual(
          features.map(({ properties }) => [properties.name, Number(properties.size)]),
          names.map((text, at) => [text, at]),
        )
      })
    })
})
