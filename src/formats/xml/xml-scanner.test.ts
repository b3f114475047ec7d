import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RowError } from '../reject-writer.ts'
import { outOfXmlBytes, XmlSyntaxError } from './xml-error.ts'
import { XmlScanner } from './xml-scanner.ts'

function scannerOf(text: string): XmlScanner {
  const scanner = new XmlScanner()
  const bytes = Buffer.from(text)
  scanner.bytes = new Uint8Array(bytes.length + 16)
  scanner.bytes.set(bytes)
  scanner.end = bytes.length
  return scanner
}

/** Returns the text of the root element. */
function textOf(inner: string): string {
  const scanner = scannerOf(`<a>${inner}</a>`)
  scanner.root()
  scanner.text()
  return Buffer.from(scanner.textBytes.subarray(scanner.textStart, scanner.textEnd)).toString('utf8')
}

/** Elements and their depths in order of their start tags. */
function walk(text: string): string[] {
  const scanner = scannerOf(text)
  const names: string[] = []
  scanner.root()
  for (let depth = 1; depth > 0; ) {
    if (!scanner.child()) depth -= 1
    else {
      scanner.name()
      names.push(`${depth}${Buffer.from(scanner.textBytes.subarray(scanner.textStart, scanner.textEnd))}`)
      depth += 1
    }
  }
  return names
}

describe('text of elements', () => {
  it('is trimmed, with references and CDATA sections as what they stand for', () => {
    assert.equal(textOf(' \n plain \t'), 'plain')
    assert.equal(textOf('&lt;a&gt; &amp;&quot;&apos; &#228;&#x1F600;'), '<a> &"\' ä😀')
    assert.equal(textOf('one<![CDATA[ <b>&amp;</b> ]]]]>two'), 'one <b>&amp;</b> ]]two')
    assert.equal(textOf('<![CDATA[]]>'), '')
  })

  it('leaves out comments, instructions and the tags of elements inside', () => {
    assert.equal(textOf('a<!-- > -- x -->b<?pi ?>c'), 'abc')
    assert.equal(textOf('one <b>two<i/></b> three'), 'one two three')
  })

  it('has one line feed for each end of a line', () => {
    assert.equal(textOf('a\r\nb\rc\nd<![CDATA[\r\n]]>e'), 'a\nb\nc\nd\ne')
  })

  it('refuses references that stand for nothing', () => {
    for (const bad of ['&nbsp;', 'a & b', '&#0;', '&#xD800;', '&#xFFFFFFFF;', '&;', '&constructor;']) {
      assert.throws(() => textOf(bad), RowError, bad)
    }
  })
})

describe('elements', () => {
  it('are found with their depth, whatever stands between them', () => {
    assert.deepEqual(walk('<a> x <b/><!-- <no/> --><c:d e="1>2"><f ></f ></c:d><![CDATA[<no/>]]></a>'), [
      '1b',
      '1c:d',
      '2f',
    ])
  })

  it('give their attributes by local name', () => {
    const scanner = scannerOf(`<a one = 'x' n:two="a &amp; b" three="">`)
    scanner.root()
    const value = (name: string): string | undefined =>
      scanner.attribute(Buffer.from(name))
        ? Buffer.from(scanner.textBytes.subarray(scanner.textStart, scanner.textEnd)).toString()
        : undefined
    assert.deepEqual(['one', 'two', 'three', 'four'].map(value), ['x', 'a & b', '', undefined])
  })

  it('must be closed by their own name and in order', () => {
    for (const bad of ['<a><b></a></b>', '<a></b>', '<n:a></a>', '<a></ a>', '<a><b></a>']) {
      assert.throws(() => walk(bad), XmlSyntaxError, bad)
    }
  })

  it('must be written as XML has it', () => {
    const bad = [
      '<a b></a>',
      '<a b=c></a>',
      '<a b="<"></a>',
      '<a><1/></a>',
      '<a>< b/></a>',
      '<a/ >',
      '<a><b<c/></a>',
    ]
    for (const text of bad) assert.throws(() => walk(text), XmlSyntaxError, text)
    assert.throws(() => walk('<a>\0</a>'), /NUL/)
  })

  it('are not nested without end', () => {
    assert.throws(() => walk('<a>'.repeat(101)), /nested more than 100 deep/)
    assert.equal(walk(`${'<a>'.repeat(100)}${'</a>'.repeat(100)}`).length, 99)
  })

  it('do not have attributes without end', () => {
    const attributes = Array.from({ length: 257 }, (_, index) => `a${index}=""`).join(' ')
    assert.throws(() => walk(`<a ${attributes}/>`), /more than 256 attributes/)
  })
})

describe('tags that were met before', () => {
  it('are not taken for others that begin alike, nor for what is left behind the end', () => {
    const tags = [
      '<a x="1"/>',
      '<a x="2"/>',
      '<a x="1">',
      '<ab x="1"/>',
      '<a  x="1"/>',
      "<a x='1'/>",
      '<n:a x="1"/>',
    ]
    const text = tags.flatMap((first) => tags.map((second) => `${first}${second}`)).join('')
    const closed = text.replaceAll('<a x="1">', '<a x="1">t</a>')
    const scanner = scannerOf(`<r>${closed}</r>`)
    const seen: string[] = []
    scanner.root()
    while (scanner.child()) {
      scanner.name()
      const name = Buffer.from(scanner.textBytes.subarray(scanner.textStart, scanner.textEnd)).toString()
      assert.ok(scanner.attribute(Buffer.from('x')))
      const value = Buffer.from(scanner.textBytes.subarray(scanner.textStart, scanner.textEnd)).toString()
      scanner.text()
      seen.push(`${name}${value}${scanner.textEnd - scanner.textStart}`)
    }
    const kinds = ['a10', 'a20', 'a11', 'ab10', 'a10', 'a10', 'n:a10']
    assert.deepEqual(
      seen,
      kinds.flatMap((first) => kinds.flatMap((second) => [first, second])),
    )
    const cut = scannerOf('<r><b/><c/><b/><c/></r>')
    cut.root()
    for (let tag = 0; tag < 3; tag += 1) {
      cut.child()
      cut.skip()
    }
    cut.end = cut.at + 2
    cut.bytes[cut.end] = 0
    assert.throws(
      () => cut.child(),
      (error) => error === outOfXmlBytes,
    )
  })
})

describe('a document type', () => {
  it('is refused wherever it stands, so that no entity is ever declared', () => {
    for (const text of [
      '<!DOCTYPE a><a/>',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
      '<a><!ENTITY b "c"></a>',
    ]) {
      assert.throws(
        () => walk(text),
        (error) => error instanceof XmlSyntaxError && error.code === 'document-type',
        text,
      )
    }
  })
})

describe('a piece of a file', () => {
  it('asks for more wherever it is cut', () => {
    const text = '<?xml version="1.0"?><!-- c --><a b="&lt;1"><c:d/>t&amp;<![CDATA[x]]>\r\n<e>f</e></a>'
    for (let end = 0; end < text.length; end += 1) {
      assert.throws(
        () => walk(text.slice(0, end)),
        (error) => error === outOfXmlBytes,
        text.slice(0, end),
      )
    }
    assert.deepEqual(walk(text), ['1c:d', '1e'])
  })
})
