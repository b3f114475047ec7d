import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseFeatureType, writeFeatureSchema } from './feature-type-schema.ts'

function schemaOf(elements: string, own = ''): string {
  return `<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:gml="http://www.opengis.net/gml" xmlns:a="http://example.org/a">
<import namespace="http://www.opengis.net/gml"/><element name="t" type="a:tType"/>${own}
<complexType name="tType"><complexContent><extension base="gml:AbstractFeatureType"><sequence>${elements}</sequence></extension></complexContent></complexType></schema>`
}

describe('the schema of a feature type', () => {
  it('names simple attributes, geometries and instants', () => {
    const elements = `<element name="n" type="long"/><element name="g" type="gml:MultiSurfacePropertyType"/>
<element name="d" type="gml:TimeInstantType"/><element name="c" type="a:code"/>`
    const code = '<simpleType name="code"><restriction base="string"/></simpleType>'
    assert.deepEqual(parseFeatureType(schemaOf(elements, code), 'a:t'), [
      { name: 'n', type: 'int64' },
      { name: 'g', type: 'geometry' },
      { name: 'd', type: 'timestamp', inner: 'timePosition' },
      { name: 'c', type: 'text' },
    ])
  })

  for (const [what, text] of [
    ['a list', schemaOf('<element name="n" type="int" maxOccurs="unbounded"/>')],
    ['a nested type', schemaOf('<element name="n" type="a:other"/>')],
    ['a reference', schemaOf('<element ref="gml:name"/>')],
    ['a choice', schemaOf('<choice><element name="n" type="int"/></choice>')],
    ['another type', schemaOf('<element name="n" type="int"/>').replace('name="t"', 'name="u"')],
    ['no XML', 'Error: not found'],
    ['a broken document', schemaOf('<element name="n">')],
  ] as const)
    it(`is not taken if it has ${what}`, () => assert.equal(parseFeatureType(text, 'a:t'), undefined))

  it('is written for GDAL with the CRS of the features', () => {
    const text = writeFeatureSchema(
      'a:t',
      [{ name: 'n', type: 'int64' }],
      'http://www.opengis.net/gml/srs/epsg.xml#4326',
    )
    assert.match(text, /<SRSName>EPSG:4326<\/SRSName>/)
    assert.match(text, /<Name>n<\/Name><ElementPath>n<\/ElementPath><Type>String<\/Type><DeclaredType>int64</)
  })
})
