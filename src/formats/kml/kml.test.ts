import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { dataFile, type ReadLayer, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { kmlPoint, kmlText, placemark } from '../../../tests/support/xml-text.ts'
import { detectFormat } from '../registry.ts'
import { kml } from './kml.ts'

const write = temporaryFiles()
const fixture = (name: string): string => join(import.meta.dirname, '../../../tests/fixtures/kml', name)

function read(...elements: string[]): Promise<ReadLayer> {
  return readLayer(kml, write('data.kml', kmlText(...elements)))
}

describe('a KML file', () => {
  it('is known by its root element, whatever its name and prefix', async () => {
    const texts = {
      'a.kml': kmlText(),
      'b.xml':
        '\ufeff<?xml version="1.0"?>\n<!-- <gpx> --><k:kml xmlns:k="http://earth.google.com/kml/2.0"/>',
      'doc.kml': Buffer.from('\ufeff<kml/>', 'utf16le'),
      'c.kml': '<!DOCTYPE kml [<!ENTITY a ">">]><kml/>',
    }
    for (const [name, text] of Object.entries(texts)) {
      const format = await detectFormat(dataFile(write(name, text)), readContext().signal)
      assert.equal(format?.name, 'KML', name)
    }
  })

  it('is not any other XML, nor anything else', () => {
    const file = { path: '/x/data.kml', sidecars: {} }
    for (const text of [
      '<html><kml/></html>',
      '<gpx/>',
      '<kmlx/>',
      'kml',
      '',
      '<!-- <kml/>',
      '<?xml',
      '{"kml":1}',
    ]) {
      assert.equal(kml.detect(file, Buffer.from(text)), false, text)
    }
  })

  it('gives one layer with the folders of each placemark', async () => {
    const { layer, rows, rejects } = await readLayer(kml, fixture('KML_Samples.kml'))
    assert.equal(layer.name, 'KML_Samples')
    assert.equal(layer.featureCount, 20)
    assert.deepEqual([rows.length, rejects.length], [20, 0])
    assert.deepEqual(layer.schema.geometry, {
      name: 'geometry',
      type: 'Geometry',
      hasZ: true,
      hasM: false,
      crs: { srs: 'EPSG:4326' },
    })
    const folder = layer.schema.attributes.findIndex(({ name }) => name === 'Folder')
    assert.equal(rows[3]?.values[folder], 'Styles and Markup -> Highlighted Icon')
    assert.equal(rows[1]?.geometry, 'POINT Z (-122.084075 37.4220033612141 50)')
    assert.equal(rows[4]?.geometry, null)
  })

  it('keeps the types that a schema declares', async () => {
    const { layer, rows } = await readLayer(kml, fixture('valid.kml'))
    assert.deepEqual(
      layer.schema.attributes.map(({ name, type }) => [name, type]),
      [
        ['Folder', 'text'],
        ['placemarkId', 'text'],
        ['ogc_fid', 'int32'],
        ['id', 'text'],
        ['name', 'text'],
      ],
    )
    assert.deepEqual(rows[1]?.values, ['sample_point_dataset', 'sample_point_dataset.2', 2, '2', 'test 2'])
    assert.deepEqual(layer.envelope, {
      minX: 120.89945941369977,
      minY: 14.23553050541452,
      maxX: 120.94212582236852,
      maxY: 14.358088895403743,
    })
  })

  it('reads the same wherever a piece of it ends', async () => {
    const records = [
      placemark('<name>a &amp; b</name>', kmlPoint('1.25,2.5,3')),
      placemark(
        '<description><![CDATA[<b>x</b>]]></description>',
        '<LineString><coordinates>1,2 3,4\n5,6</coordinates></LineString>',
      ),
    ]
    const start = '<kml><Document><Folder><name>F</name>'
    const text = `${records.join('<!-- - -->')}</Folder></Document></kml>`
    const expected = (await readLayer(kml, write('cut.kml', start + text))).rows
    for (let cut = 1; cut < text.length; cut += 7) {
      const path = write('cut.kml', `${start}${' '.repeat((1 << 20) - start.length - cut)}${text}`)
      assert.deepEqual((await readLayer(kml, path)).rows, expected, `cut ${cut}`)
    }
  })
})

describe('what a KML file refers to', () => {
  it('is named and not followed', async () => {
    const { layer } = await read(
      '<NetworkLink><name>Weather</name><Link><href>http://127.0.0.1/x</href></Link></NetworkLink>',
      '<NetworkLink><Url><href>https://me:secret@example.org/a.kml?token=secret</href></Url></NetworkLink>',
      '<GroundOverlay><name>Image</name><Icon><href>x.png</href></Icon></GroundOverlay>',
    )
    assert.equal(layer.featureCount, 0)
    assert.deepEqual(
      layer.messages.map(({ code }) => code),
      ['network-links', 'overlays', 'no-placemarks'],
    )
    assert.match(layer.messages[0]?.message ?? '', /\(2\): "Weather", "https:\/\/example.org\/a.kml"$/)
  })

  it('does not count placemarks of updates, tours and styles', async () => {
    const { layer } = await read(
      `<Style><x>${placemark()}</x></Style>`,
      `<gx:Tour><Update><Change>${placemark()}</Change></Update></gx:Tour>`,
    )
    assert.equal(layer.featureCount, 0)
  })
})

describe('the encoding of KML', () => {
  const text = (encoding: string): string =>
    `<?xml version="1.0"${encoding}?><kml>${placemark('<name>Größe “x”</name>')}</kml>`
  const windows = (content: string): Buffer =>
    Buffer.from(content.replace('“', '\u0093').replace('”', '\u0094'), 'latin1')
  const files: Record<string, [Uint8Array, string]> = {
    'a byte order mark of UTF-8': [Buffer.from(`\ufeff${text('')}`), 'UTF-8'],
    'a byte order mark of UTF-16': [
      Buffer.from(`\ufeff${text(' encoding="UTF-16"')}`, 'utf16le'),
      'UTF-16LE',
    ],
    'UTF-16 without a mark': [Buffer.from(text(''), 'utf16le').swap16(), 'UTF-16BE'],
    'a declaration of Windows-1252': [windows(text(" encoding='windows-1252'")), 'windows-1252'],
    'a wrong declaration of UTF-16': [Buffer.from(text(' encoding="UTF-16"')), 'UTF-8'],
    'no declaration': [Buffer.from(text('')), 'UTF-8'],
    'no declaration and bytes that are not UTF-8': [windows(text('')), 'windows-1252'],
  }
  for (const [name, [bytes, charset]] of Object.entries(files)) {
    it(`is found by ${name}`, async () => {
      const { layer, rows } = await readLayer(kml, write('text.kml', bytes))
      assert.deepEqual([layer.charset, rows[0]?.values], [charset, ['Größe “x”']])
    })
  }

  it('is the one asked for', async () => {
    const path = write('text.kml', windows(text(' encoding="UTF-8"')))
    assert.deepEqual((await readLayer(kml, path, { charset: 'cp1252' })).rows[0]?.values, ['Größe “x”'])
    const [reject] = (await readLayer(kml, path)).rejects
    assert.deepEqual([reject?.field, reject?.reason.includes('set the charset')], ['Name', true])
  })
})
