import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { takesProcessorSeconds } from '../../../../tests/support/processor-time.ts'
import { boundedText, scrubText, withoutAddress } from './scrub.ts'

describe('scrubText', () => {
  const cases: [text: string, scrubbed: string][] = [
    ['connect ECONNREFUSED 203.0.113.77:5432', 'connect ECONNREFUSED 203.0.113.0:5432'],
    ['from 2001:db8:1:2::77 at once', 'from 2001:db8:1:: at once'],
    ['from ::ffff:203.0.113.77.', 'from 203.0.113.0.'],
    ['at 12:34:56 in file.ts:10:20', 'at 12:34:56 in file.ts:10:20'],
    ['postgres://me:geheim@db/x failed', 'postgres://***@db/x failed'],
    ['GET https://a.example/x?token=abc&y=1 gave 500', 'GET https://a.example/x?*** gave 500'],
    ['path "/rest/x?key=abc" is bad', 'path "/rest/x?***" is bad'],
    ['Authorization: Basic YWRtaW46eA==\nnext', 'Authorization: ***\nnext'],
    ['{"password":"geheim","n":1}', '{"password":***,"n":1}'],
    ['passwd=geheim other', 'passwd=*** other'],
    ['X-Forwarded-For: 203.0.113.77, 10.0.0.1', 'X-Forwarded-For: ***'],
  ]
  for (const [text, scrubbed] of cases) {
    it(`makes ${JSON.stringify(scrubbed)}`, () => assert.equal(scrubText(text, 'truncated'), scrubbed))
  }

  it('keeps addresses whole, or not at all, where privacy says so', () => {
    assert.equal(scrubText('from 203.0.113.77', 'full'), 'from 203.0.113.77')
    assert.equal(scrubText('from 203.0.113.77', 'none'), 'from ***')
  })

  it('leaves no whole address in any text', () => {
    const separator = fc.constantFrom(' ', ',', '"', '(', ')', '\n', '=', '/', '[', ']', ';', ': ')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(separator, fc.oneof(fc.ipV4(), fc.string())), { maxLength: 8 }),
        (parts) => {
          const text = parts.flat().join('')
          const scrubbed = scrubText(`${text} 198.51.100.99 ${text}`, 'truncated')
          assert.ok(!/(?<![\d.])198\.51\.100\.99(?![\d.])/.test(scrubbed), scrubbed)
        },
      ),
    )
  })

  it('takes hostile texts in little time', () =>
    takesProcessorSeconds(5, () => {
      for (const part of [
        'a',
        '1.',
        ':',
        '//',
        'http://',
        'password=',
        '/x',
        'authorization',
        ' ',
        '"',
        '0:',
      ]) {
        scrubText(part.repeat(20_000 / part.length), 'truncated')
      }
    }))
})

describe('withoutAddress', () => {
  it('cuts the address wherever it stands', () => {
    assert.equal(withoutAddress('/of/203.0.113.77/x', '203.0.113.77', '203.0.113.0'), '/of/203.0.113.0/x')
    assert.equal(withoutAddress('/of/203.0.113.77/x', '203.0.113.77', null), '/of/***/x')
  })
})

describe('boundedText', () => {
  it('gives what databases take', () => {
    assert.equal(boundedText('a\0b', 10), 'ab')
    assert.equal(boundedText('abc', 2), 'ab')
    assert.equal(boundedText('a\ud83d\ude00', 2), 'a\ufffd')
  })
})
