import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { safeFileName, withEnding } from './file-name.ts'

describe('safeFileName', () => {
  for (const [name, safe] of [
    ['/pub/roads.zip', 'roads.zip'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/', 'data'],
    ['..', 'data'],
    ['.htaccess', 'htaccess'],
    ['a\u0000b\n.csv', 'a_b_.csv'],
    ['/Straßen.geojson/', 'Straßen.geojson'],
  ] as const) {
    it(`makes ${JSON.stringify(safe)} of ${JSON.stringify(name)}`, () =>
      assert.equal(safeFileName(name), safe))
  }

  it('keeps the ending of a long name', () => {
    const name = safeFileName(`${'ü'.repeat(400)}.geojson`)
    assert.ok(name.endsWith('ü.geojson') && Buffer.byteLength(name) <= 200)
  })

  it('always gives one visible segment that fits a file system', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const name = safeFileName(text)
        assert.ok(name !== '' && !/[/\\\p{Cc}]/u.test(name) && !name.startsWith('.'))
        assert.ok(Buffer.byteLength(name) <= 255)
      }),
    )
  })
})

describe('withEnding', () => {
  for (const [name, type, expected] of [
    ['wfs', 'application/zip', 'wfs.zip'],
    ['export.php', 'application/geo+json', 'export.php.geojson'],
    ['towns.json', 'application/geo+json', 'towns.json'],
    ['towns.kmz', 'application/zip', 'towns.kmz'],
    ['towns.csv', 'application/json', 'towns.csv'],
    ['towns', 'text/plain', 'towns'],
    ['towns', undefined, 'towns'],
  ] as const) {
    it(`calls "${name}" of type ${type} "${expected}"`, () => assert.equal(withEnding(name, type), expected))
  }
})
