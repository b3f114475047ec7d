import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { documentForm } from './document-form.ts'
import { parseXml, readDocument } from './read-document.ts'
import { writeDocument } from './write-document.ts'

const limits = { elements: 1000, attributes: 10, depth: 20 }
const body = Type.Object({
  layer: Type.Object({
    name: Type.Optional(Type.String()),
    count: Type.Optional(Type.Integer()),
    public: Type.Optional(Type.Union([Type.Boolean(), Type.Literal('workspace')])),
    defaultStyle: Type.Optional(Type.Union([Type.String(), Type.Object({ name: Type.String() })])),
    keywords: Type.Optional(Type.Array(Type.String())),
    published: Type.Optional(
      Type.Union([
        Type.Array(Type.Object({ '@type': Type.String() })),
        Type.Object({ '@type': Type.String() }),
      ]),
    ),
    parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
})

function read(inside: string): unknown {
  return readDocument(parseXml(`<layer>${inside}</layer>`, limits), body)
}

describe('readDocument', () => {
  const cases: [string, object][] = [
    ['<name> roads </name><count>12</count>', { name: 'roads', count: 12 }],
    ['<name>12</name><count>many</count>', { name: '12', count: 'many' }],
    ['<public>true</public>', { public: true }],
    ['<public>workspace</public>', { public: 'workspace' }],
    ['<defaultStyle>a</defaultStyle>', { defaultStyle: 'a' }],
    ['<defaultStyle><name>a</name></defaultStyle>', { defaultStyle: { name: 'a' } }],
    ['<keywords><string>a</string></keywords>', { keywords: ['a'] }],
    ['<keywords/>', { keywords: [] }],
    ['<published type="layer"/>', { published: { '@type': 'layer' } }],
    [
      '<published type="layer"/><published type="layerGroup"/>',
      { published: [{ '@type': 'layer' }, { '@type': 'layerGroup' }] },
    ],
    [
      '<parameters><entry key="host">a</entry><entry key="port">1</entry></parameters>',
      {
        parameters: {
          entry: [
            { '@key': 'host', $: 'a' },
            { '@key': 'port', $: '1' },
          ],
        },
      },
    ],
    ['<x:name xmlns:x="http://example.org">a</x:name>', { name: 'a' }],
    ['<other><deep class="b">a</deep></other>', { other: { deep: { '@class': 'b', $: 'a' } } }],
  ]
  for (const [xml, expected] of cases)
    it(`reads ${xml}`, () => assert.deepEqual(read(xml), { layer: expected }))

  it('refuses another root element, and names those that are taken', () => {
    assert.throws(() => readDocument(parseXml('<style/>', limits), body), /<style>.*<layer>/)
  })

  it('gives names of elements no power over objects', () => {
    const { layer } = read('<__proto__><admin>true</admin></__proto__><constructor>a</constructor>') as {
      layer: object
    }
    assert.equal(Object.getPrototypeOf(layer), Object.prototype)
    assert.equal('admin' in layer, false)
  })
})

describe('writeDocument', () => {
  it('writes attributes, texts, lists and links', () => {
    const document = {
      layer: {
        name: 'a & b',
        href: 'http://example.org/self',
        keywords: ['x', 'y'],
        empty: undefined,
        style: { '@class': 'c', name: 's', href: 'http://example.org/s?x=1' },
        entry: [{ '@key': 'k', $: '<v>' }],
        dataStores: 'http://example.org/d',
      },
    }
    const link = (href: string) =>
      `<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="alternate" href="${href}" type="application/xml"/>`
    assert.equal(
      writeDocument(document),
      [
        '<layer><name>a &amp; b</name><keywords><string>x</string><string>y</string></keywords>',
        `<style class="c"><name>s</name>${link('http://example.org/s.xml?x=1')}</style>`,
        '<entry key="k">&lt;v&gt;</entry>',
        `<dataStores>${link('http://example.org/d.xml')}</dataStores></layer>`,
      ].join(''),
    )
  })

  it('writes nothing for what has no root element', () => {
    for (const value of [[], 'text', undefined, { a: 1, b: 2 }, { 'a b': 1 }])
      assert.equal(writeDocument(value), undefined)
  })
})

describe('documentForm', () => {
  const cases: [string, string | undefined, string][] = [
    ['/rest/layers.xml', 'application/json', 'xml'],
    ['/rest/layers.json?x=.xml', 'application/xml', 'json'],
    ['/rest/layers', undefined, 'json'],
    ['/rest/layers', '*/*', 'json'],
    ['/rest/layers', 'text/xml', 'xml'],
    ['/rest/layers', 'application/xml, */*;q=0.5', 'xml'],
    ['/rest/layers', 'application/xml;q=0.4, application/json;q=0.6', 'json'],
    ['/rest/layers', 'application/xml;q=0', 'json'],
    ['/rest/layers', 'text/html, application/xml;q=0.9', 'json'],
  ]
  for (const [url, accept, form] of cases)
    it(`is ${form} for ${url} with ${accept}`, () => assert.equal(documentForm(url, accept), form))
})
