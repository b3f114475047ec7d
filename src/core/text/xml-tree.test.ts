import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readXmlTree, type XmlTreeOptions } from './xml-tree.ts'

const options: XmlTreeOptions = {
  maxDepth: 2,
  maxElements: 3,
  onBroken: (error) => {
    throw error
  },
  onTooLarge: () => {
    throw new Error('too large')
  },
}

describe('readXmlTree', () => {
  it('gives elements, attributes and text in their order', () => {
    const root = readXmlTree('<a:b c:d="1">x<e/>y<![CDATA[<z>]]></a:b>', options)
    assert.deepEqual(root.children, [
      {
        name: 'a:b',
        attributes: { 'c:d': '1' },
        children: [{ name: 'e', attributes: {}, children: [], text: '' }],
        text: 'xy<z>',
      },
    ])
  })

  it('calls elements and attributes as it is told', () => {
    const nameOf = (name: string) => name.slice(name.indexOf(':') + 1)
    const [first] = readXmlTree('<a:b c:d="1"/>', { ...options, nameOf }).children
    assert.deepEqual(first, { name: 'b', prefix: 'a', attributes: { d: '1' }, children: [], text: '' })
  })

  it('refuses what is broken, too deep, too long, or has a DOCTYPE that is refused', () => {
    assert.throws(() => readXmlTree('<a><b></a>', options), /unexpected close tag|unmatched/i)
    assert.throws(() => readXmlTree('<a><b><c/></b></a>', options), /too large/)
    assert.throws(() => readXmlTree('<a><b/><b/><b/></a>', options), /too large/)
    const onDoctype = (): void => {
      throw new Error('no doctype')
    }
    assert.throws(() => readXmlTree('<!DOCTYPE a><a/>', { ...options, onDoctype }), /no doctype/)
    assert.equal(readXmlTree('<!DOCTYPE a><a/>', options).children.length, 1)
  })
})
