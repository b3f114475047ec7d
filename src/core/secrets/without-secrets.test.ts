import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutSecrets } from './without-secrets.ts'

describe('what a server said', () => {
  it('is told without the password, however the server repeats it', () => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const forms = [
      'pa ss/word',
      'pa%20ss%2Fword',
      base64('pa ss/word'),
      base64('me:pa ss/word'),
      base64('\0me\0pa ss/word'),
    ]
    for (const form of forms) {
      const reported = withoutSecrets(`535 AUTH ${form} refused`, { username: 'me', password: 'pa ss/word' })
      assert.equal(reported, '535 AUTH *** refused')
    }
  })

  it('is one short line', () => {
    assert.equal(withoutSecrets('a\r\n\u0000b', {}), 'a b')
    assert.equal(withoutSecrets('x'.repeat(10_000), {}).length, 300)
  })
})
