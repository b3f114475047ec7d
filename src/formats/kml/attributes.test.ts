import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ReadLayer, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { kmlPoint, kmlText, placemark } from '../../../tests/support/xml-text.ts'
import { kml } from './kml.ts'

const write = temporaryFiles()

function read(...elements: string[]): Promise<ReadLayer> {
  return readLayer(kml, write('data.kml', kmlText(...elements)))
}

/** Returns names and types of the attributes. */
function typesOf({ layer }: ReadLayer): Record<string, string> {
  return Object.fromEntries(layer.schema.attributes.map(({ name, type }) => [name, type]))
}

/** Returns the values of the rows by attribute. */
function valuesOf({ layer, rows }: ReadLayer): Record<string, unknown>[] {
  return rows.map(({ values }) =>
    Object.fromEntries(layer.schema.attributes.map(({ name }, index) => [name, values[index]])),
  )
}

/** Returns the values of one `Data` field over several placemarks, with its detected type. */
async function dataOf(...values: string[]): Promise<unknown[]> {
  const placemarks = values.map((value) =>
    placemark(`<ExtendedData><Data name="x"><value>${value}</value></Data></ExtendedData>`),
  )
  const found = await read(...placemarks)
  return [found.layer.schema.attributes[0]?.type, ...found.rows.map((row) => row.values[0])]
}

describe('attributes of placemarks', () => {
  it('are there only where a placemark has them', async () => {
    assert.deepEqual(typesOf(await read(placemark('<name>a</name>'))), { Name: 'text' })
    const elements = [
      '<name>N</name><visibility>1</visibility><address>A</address><phoneNumber>1</phoneNumber>',
      '<Snippet maxLines="1">S</Snippet><description>D</description>',
      '<Point><extrude>0</extrude><tessellate>true</tessellate><altitudeMode>absolute</altitudeMode></Point>',
    ]
    const found = await read(placemark(...elements), '<Placemark id="p1"/>')
    assert.deepEqual(valuesOf(found), [
      {
        Name: 'N',
        Description: 'D',
        altitudeMode: 'absolute',
        tessellate: true,
        extrude: false,
        visibility: true,
        Snippet: 'S',
        address: 'A',
        phoneNumber: '1',
        placemarkId: null,
      },
      {
        Name: null,
        Description: null,
        altitudeMode: null,
        tessellate: null,
        extrude: null,
        visibility: null,
        Snippet: null,
        address: null,
        phoneNumber: null,
        placemarkId: 'p1',
      },
    ])
  })

  it('keep markup, line ends and characters of any script', async () => {
    const found = await read(
      placemark(
        '<name>Ünïcode 漢字 &#x1F30D;</name>',
        '<description><![CDATA[<a href="x?a=1&b=2">y</a>]]></description>',
      ),
      placemark('<name/>'),
    )
    assert.deepEqual(valuesOf(found), [
      { Name: 'Ünïcode 漢字 🌍', Description: '<a href="x?a=1&b=2">y</a>' },
      { Name: '', Description: null },
    ])
  })

  it('name the folders around a placemark, and documents inside others', async () => {
    const inside = (name: string, ...elements: string[]): string =>
      `<Folder><name>${name}</name>${elements.join('')}</Folder>`
    const found = await read(
      '<name>Outermost</name>',
      placemark('<name>0</name>'),
      inside(
        'A',
        placemark('<name>1</name>'),
        inside('B &amp; C', placemark('<name>2</name>')),
        placemark('<name>3</name>'),
      ),
      `<Folder>${placemark('<name>4</name>')}</Folder>`,
      `<Document><name>Inner</name>${placemark('<name>5</name>')}</Document>`,
    )
    assert.deepEqual(
      valuesOf(found).map(({ Folder }) => Folder),
      [null, 'A', 'A -> B & C', 'A', null, 'Inner'],
    )
  })

  it('take times of every precision, and those of a track', async () => {
    const stamp = (when: string): string => placemark(`<TimeStamp><when>${when}</when></TimeStamp>`)
    const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n
    const stamps = await read(...['2007', '2007-02', '2007-02-03', '2007-02-03T04:05:06.5+01:00'].map(stamp))
    assert.deepEqual(typesOf(stamps), { timestamp: 'timestamp' })
    assert.deepEqual(
      stamps.rows.map((row) => row.values[0]),
      ['2007-01-01', '2007-02-01', '2007-02-03', '2007-02-03T03:05:06.5Z'].map(micros),
    )
    const spans = await read(
      placemark('<TimeSpan><begin>1990</begin></TimeSpan>'),
      placemark('<TimeSpan><begin>1990</begin><end>1991-05</end></TimeSpan>'),
      placemark(
        '<gx:Track><when>2010-05-28T02:02:09Z</when><when>2010-05-28T02:02:35Z</when><when>2010-05-28T02:02:44Z</when>',
        '<gx:coord>-122.2 37.3 156</gx:coord><gx:coord>-122.1 37.4 152</gx:coord><gx:coord/></gx:Track>',
      ),
    )
    assert.deepEqual(
      spans.rows.map((row) => row.values),
      [
        [micros('1990-01-01'), null],
        [micros('1990-01-01'), micros('1991-05-01')],
        [micros('2010-05-28T02:02:09Z'), micros('2010-05-28T02:02:44Z')],
      ],
    )
    assert.equal(spans.rows[2]?.geometry, 'LINESTRING Z (-122.2 37.3 156,-122.1 37.4 152)')
  })

  it('become text where a value is not what it should be, and the layer says so', async () => {
    const found = await read(
      placemark('<visibility>1</visibility><TimeStamp><when>soon</when></TimeStamp>'),
      placemark('<visibility>maybe</visibility><TimeStamp><when>2007</when></TimeStamp>'),
    )
    assert.deepEqual(valuesOf(found), [
      { timestamp: 'soon', visibility: '1' },
      { timestamp: '2007', visibility: 'maybe' },
    ])
    assert.deepEqual(
      found.layer.messages.map(({ code, level }) => [code, level]),
      [
        ['declared-type', 'warning'],
        ['declared-type', 'warning'],
      ],
    )
  })
})

describe('extended data', () => {
  it('without types get the narrowest that loses nothing over the whole file', async () => {
    assert.deepEqual(await dataOf('1', '', '-20'), ['int32', 1, null, -20])
    assert.deepEqual(await dataOf('1', '2.5'), ['float64', 1, 2.5])
    assert.deepEqual(await dataOf('9007199254740993'), ['int64', 9007199254740993n])
    assert.deepEqual(await dataOf('007', '1'), ['text', '007', '1'])
    assert.deepEqual(await dataOf('1', 'n/a', ''), ['text', '1', 'n/a', ''])
    assert.deepEqual(await dataOf('2020-02-29'), ['date', 18321])
    assert.deepEqual(await dataOf('true', 'false'), ['boolean', true, false])
    assert.deepEqual(await dataOf('1970-01-01T00:00:01Z'), ['timestamp', 1_000_000n])
    assert.deepEqual(await dataOf('0.1234567890123456789'), ['text', '0.1234567890123456789'])
  })

  it('with a schema have its types and its order, also where no placemark has the field', async () => {
    const types = ['string', 'short', 'ushort', 'int', 'uint', 'float', 'double', 'bool']
    const values = ['007', '-5', '65535', '+7', '4294967295', '1.25', '1e300', '1']
    const schema = types.map((type) => `<SimpleField type="${type}" name="a_${type}"/>`).join('')
    const data = types
      .map((type, index) => `<SimpleData name="a_${type}">${values[index]}</SimpleData>`)
      .reverse()
    const found = await read(
      `<Schema name="s" id="s">${schema}<SimpleField type="int" name="unused"><displayName>U</displayName></SimpleField></Schema>`,
      placemark(`<ExtendedData><SchemaData schemaUrl="#s">${data.join('')}</SchemaData></ExtendedData>`),
    )
    assert.deepEqual(typesOf(found), {
      a_string: 'text',
      a_short: 'int16',
      a_ushort: 'int32',
      a_int: 'int32',
      a_uint: 'int64',
      a_float: 'float64',
      a_double: 'float64',
      a_bool: 'boolean',
      unused: 'int32',
    })
    assert.deepEqual(found.rows[0]?.values, ['007', -5, 65535, 7, 4294967295n, 1.25, 1e300, true, null])
    assert.deepEqual(found.layer.messages, [])
  })

  it('are not cut to a declared type that they do not fit', async () => {
    const declared = async (type: string, ...values: string[]): Promise<unknown[]> => {
      const placemarks = values.map((value) =>
        placemark(
          `<ExtendedData><SchemaData><SimpleData name="x">${value}</SimpleData></SchemaData></ExtendedData>`,
        ),
      )
      const found = await read(
        `<Schema id="s"><SimpleField name="x" type="${type}"/></Schema>`,
        ...placemarks,
      )
      assert.deepEqual(
        found.layer.messages.map(({ code }) => code),
        ['declared-type'],
      )
      return [found.layer.schema.attributes[0]?.type, ...found.rows.map((row) => row.values[0])]
    }
    assert.deepEqual(await declared('int', '1', '3000000000'), ['int64', 1n, 3000000000n])
    assert.deepEqual(await declared('short', '1', '40000'), ['int32', 1, 40000])
    assert.deepEqual(await declared('ushort', '-1'), ['int32', -1])
    assert.deepEqual(await declared('int', '1', 'x'), ['text', '1', 'x'])
    assert.deepEqual(await declared('double', '1.5', '-'), ['text', '1.5', '-'])
    assert.deepEqual(await declared('bool', '1', '2'), ['int32', 1, 2])
  })

  it('are text where two schemas disagree', async () => {
    const found = await read(
      '<Schema id="a"><SimpleField name="x" type="int"/></Schema><Schema id="b"><SimpleField name="x" type="double"/></Schema>',
      placemark(
        '<ExtendedData><SchemaData><SimpleData name="x">1.0</SimpleData></SchemaData></ExtendedData>',
      ),
    )
    assert.deepEqual(typesOf(found), { x: 'text' })
    assert.deepEqual(found.rows[0]?.values, ['1.0'])
  })

  it('may be elements of other namespaces, or of an element derived from Placemark', async () => {
    const foreign = await read(placemark('<ExtendedData><camp:number>14</camp:number></ExtendedData>'))
    assert.deepEqual(valuesOf(foreign), [{ 'camp:number': 14 }])
    const derived = await read(
      '<Schema name="Parcel" parent="Placemark"><SimpleField name="owner" type="wstring"/></Schema>',
      `<Parcel><name>P</name><owner>7</owner>${kmlPoint('1,2')}</Parcel>`,
    )
    assert.deepEqual(valuesOf(derived), [{ Name: 'P', owner: '7' }])
    assert.equal(derived.rows[0]?.geometry, 'POINT (1 2)')
  })

  it('keep a name that the placemark itself uses under another', async () => {
    const found = await read(
      placemark(
        '<name>own</name>',
        '<ExtendedData><Data name="Name"><value>data</value></Data></ExtendedData>',
      ),
    )
    assert.deepEqual(valuesOf(found), [{ Name: 'own', Name_2: 'data' }])
    assert.equal(found.layer.schema.attributes[1]?.source, 'Name')
    assert.deepEqual(
      found.layer.messages.map(({ code }) => code),
      ['repeated-name'],
    )
  })
})
