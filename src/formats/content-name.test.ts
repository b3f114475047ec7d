import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { foreignContent } from './content-name.ts'

const named: [string, string | Uint8Array][] = [
  ['a zip archive', Buffer.from('PK\u0003\u0004\u0014', 'latin1')],
  ['bzip2 data', 'BZh91AY&SY\u0000'],
  ['gzip data', Buffer.from([0x1f, 0x8b, 8, 0])],
  ['a PDF document', '%PDF-1.7\n%\u00e2\u00e3\n'],
  ['an RTF document', '{\\rtf1\\ansi Hello}'],
  ['an HTML page', '<!DOCTYPE html>\n<html><head><title>404, not found</title></head></html>'],
  ['an HTML page', '  \n<HTML>\n<body>502</body></HTML>'],
  ['an HTML page', Buffer.from('\ufeff<html lang="de">\n<p>Fehler</p>', 'utf16le')],
  ['XML of another kind, <ServiceExceptionReport>', '<?xml version="1.0"?><ServiceExceptionReport/>'],
  ['JSON that is not GeoJSON', '{"error": {"code": 404, "message": "a, b"}}'],
  ['JSON that is not GeoJSON', '[{"a":1,"b":2},\n{"a":3,"b":4}]'],
  ['JSON that is not GeoJSON', '{"a":1}\n{"a":2}\n'],
  ['JSON in UTF-16LE, which must be UTF-8', Buffer.from('\ufeff{"type":"Feature"}', 'utf16le')],
  ['binary data', Uint8Array.of(1, 2, 3, 200)],
  ['a pointer of Git LFS, not the file itself', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n'],
]

describe('foreignContent', () => {
  for (const [name, content] of named) {
    const shown = Buffer.from(content).toString().slice(0, 30)
    it(`names ${name} of ${JSON.stringify(shown)}`, () => {
      assert.equal(foreignContent(Buffer.from(content)), name)
    })
  }

  it('says nothing of tables, whatever their headers', () => {
    for (const content of [
      'a,b\n1,2\n',
      'BZhandle,PKW\n1,2\n',
      '<TICKER>,<PER>,<DATE>\nX,1,20200101\n',
      '<id>;<name>\n1;x\n',
      '{id},{name}\n1,2\n',
      '[1],[2]\n1,2\n',
      '"{""a"":1}",b\n1,2\n',
      '',
    ])
      assert.equal(foreignContent(Buffer.from(content)), undefined, content)
  })
})
