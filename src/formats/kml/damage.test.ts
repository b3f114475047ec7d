import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mutation, readDamaged } from '../../../tests/support/mutations.ts'
import { dataFile, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { kmlPoint, kmlText, placemark } from '../../../tests/support/xml-text.ts'
import { FormatError } from '../format.ts'
import { kml } from './kml.ts'

const write = temporaryFiles()

function failure(content: string | Uint8Array, signal?: AbortSignal): Promise<FormatError> {
  const context = signal === undefined ? readContext() : { signal }
  return kml.describe(dataFile(write('broken.kml', content)), context).then(
    () => assert.fail('described'),
    (error) => {
      assert.ok(error instanceof FormatError, String(error))
      return error
    },
  )
}

const one = placemark('<name>one</name>', kmlPoint('1,2'))

describe('broken KML', () => {
  const whole = kmlText(one, one)
  const cases: Record<string, [string, string, RegExp]> = {
    'a file that ends in a placemark': [
      whole.slice(0, whole.lastIndexOf('<Point>')),
      'truncated',
      /broken.kml is not readable at byte \d+, behind placemark 1: the file ends too early/,
    ],
    'a file that ends between placemarks': [kmlText(one).slice(0, -20), 'truncated', /too early/],
    'a file that ends before its root': ['<?xml version="1.0"?>\n<!-- nothing', 'truncated', /too early/],
    'a tag that closes another element': [
      kmlText('<Folder>', one, '</Document>'),
      'bad-xml',
      /does not close/,
    ],
    'markup that is none': [kmlText(one, '<Placemark <name>'), 'bad-xml', /behind placemark 1/],
    'something behind the end': [`${whole}<kml/>`, 'bad-xml', /after the end of the root element/],
    'NUL characters behind the end': [`${whole}\0\0`, 'bad-xml', /NUL/],
    'deep nesting': [kmlText('<Folder>'.repeat(200)), 'bad-xml', /nested more than 100 deep/],
    'deep nesting in a placemark': [kmlText(placemark('<MultiGeometry>'.repeat(200))), 'bad-xml', /deep/],
    'an encoding that is not known': [
      '<?xml version="1.0" encoding="EBCDIC-X"?><kml/>',
      'unknown-charset',
      /EBCDIC-X/,
    ],
  }
  for (const [name, [content, code, message]] of Object.entries(cases)) {
    it(`is refused as a whole for ${name}`, async () => {
      const error = await failure(content)
      assert.equal(error.code, code)
      assert.match(error.message, message)
    })
  }

  it('stops when it is told to', async () => {
    const path = write('long.kml', kmlText(...Array.from({ length: 30_000 }, () => one)))
    const { layer } = await readLayer(kml, path)
    const controller = new AbortController()
    const reading = kml.read(dataFile(path), layer, { signal: controller.signal })[Symbol.asyncIterator]()
    await reading.next()
    controller.abort(new Error('enough'))
    await assert.rejects(reading.next(), /enough/)
    await assert.rejects(kml.describe(dataFile(path), { signal: controller.signal }), /enough/)
  })
})

describe('hostile KML', () => {
  const hostile: Record<string, string> = {
    'entities that grow': `<!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>${kmlText(placemark('<name>&c;</name>'))}`,
    'entities of other files': `<!DOCTYPE kml [<!ENTITY x SYSTEM "file:///etc/passwd">]>${kmlText(placemark('<name>&x;</name>'))}`,
    'entities of other addresses': `<!DOCTYPE kml [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x.dtd"> %x;]>${kmlText()}`,
    'a document type elsewhere': '<!DOCTYPE kml SYSTEM "http://127.0.0.1:1/kml.dtd"><kml/>',
  }
  for (const [name, text] of Object.entries(hostile)) {
    it(`is refused for ${name}, and nothing is expanded or fetched`, async () => {
      const error = await failure(text.replaceAll('<?xml version="1.0" encoding="UTF-8"?>', ''))
      assert.equal(error.code, 'document-type')
      assert.match(error.message, /document type or entities/)
    })
  }

  it('has no entities but those of XML itself: the row is rejected', async () => {
    const { rejects } = await readLayer(kml, write('entity.kml', kmlText(placemark('<name>&file;</name>'))))
    assert.deepEqual(
      rejects.map(({ reason }) => reason),
      ['The entity "&file;" is not known'],
    )
  })

  it('does not fill the memory with one endless value', async () => {
    const start = Buffer.from('<kml><Document><Placemark><name>')
    const error = await failure(Buffer.concat([start, Buffer.alloc(66 << 20, 'x')]))
    assert.equal(error.code, 'too-large')
    assert.match(error.message, /longer than 64 MiB/)
  })

  it('does not have columns without end', async () => {
    const data = Array.from({ length: 2000 }, (_, index) => `<Data name="f${index}"><value>1</value></Data>`)
    const error = await failure(kmlText(placemark(`<ExtendedData>${data.join('')}</ExtendedData>`)))
    assert.equal(error.code, 'too-wide')
  })

  it('does not repeat a long folder name for each row at full length', async () => {
    const folder = `<Folder><name>${'x'.repeat(100_000)}</name>${one}</Folder>`
    const { rows } = await readLayer(kml, write('folder.kml', kmlText(folder)))
    assert.equal(String(rows[0]?.values[1]).length, 1000)
  })
})

describe('damaged KML', () => {
  const source = Buffer.from(
    kmlText(
      '<Schema id="s"><SimpleField name="n" type="int"/></Schema><Folder><name>F</name>',
      placemark(
        '<name>a &amp; b</name>',
        '<description><![CDATA[<b>x</b>]]></description>',
        kmlPoint('1.5,2.5'),
      ),
      placemark(
        '<ExtendedData><SchemaData schemaUrl="#s"><SimpleData name="n">7</SimpleData></SchemaData></ExtendedData>',
        '<LineString><coordinates>1,2 3,4\n5,6</coordinates></LineString>',
      ),
      placemark(
        '<ExtendedData><Data name="d"><value>2020-01-01</value></Data></ExtendedData>',
        `<MultiGeometry>${kmlPoint('1,2')}${kmlPoint('3,4')}</MultiGeometry>`,
      ),
      '</Folder>',
    ),
  )

  it('accounts for every row, or says what is wrong', async () => {
    const seen = { read: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(mutation, async (mutations) => {
        const bytes = mutations.reduce<Buffer>((before, mutate) => mutate(before), source)
        seen[await readDamaged(kml, write('damaged.kml', bytes))] += 1
      }),
      { numRuns: 300 },
    )
    assert.ok(seen.read > 0 && seen.refused > 0, JSON.stringify(seen))
  })

  it('keeps any text and any number exactly', async () => {
    const escaped = (text: string): string =>
      text.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] ?? mark)
    const character = fc.string({ unit: 'grapheme' }).filter((text) => !/[\p{Cc}\ufffe\uffff]/u.test(text))
    const coordinate = fc.double({ noNaN: true, noDefaultInfinity: true })
    await fc.assert(
      fc.asyncProperty(character, coordinate, coordinate, async (text, x, y) => {
        const path = write(
          'any.kml',
          kmlText(placemark(`<name>|${escaped(text)}|</name>`, kmlPoint(`${x},${y}`))),
        )
        const { rows } = await readLayer(kml, path)
        assert.deepEqual(rows, [{ row: 1, geometry: `POINT (${x + 0} ${y + 0})`, values: [`|${text}|`] }])
      }),
      { numRuns: 300 },
    )
  })
})
