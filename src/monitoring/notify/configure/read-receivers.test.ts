import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Fields } from '../../../core/text/fields.ts'
import { readReceivers } from './read-receivers.ts'

/** Returns the targets of the receivers in a field. */
async function targetsOf(name: string, given: unknown): Promise<string[] | undefined> {
  const fields = new Fields({ [name]: given })
  const read = await readReceivers(fields, [], async () => new Map())
  fields.finish()
  return read.find(({ channel }) => channel.field.name === name)?.receivers.map(({ target }) => target)
}

function emailsOf(emails: unknown): Promise<string[] | undefined> {
  return targetsOf('emails', emails)
}

function webhooksOf(webhooks: unknown): Promise<string[] | undefined> {
  return targetsOf('webhooks', webhooks)
}

describe('addresses of receivers', () => {
  it('stand one a line, or with commas, or in a list; blanks and repeats do not count', async () => {
    assert.deepEqual(await emailsOf('a@b.org\r\n\n b@b.org ,A@b.org'), ['a@b.org', 'b@b.org'])
    assert.deepEqual(await emailsOf(['a@b.org', 'c.d+e@sub.b.org']), ['a@b.org', 'c.d+e@sub.b.org'])
    assert.deepEqual(await emailsOf(''), [])
  })

  it('are refused where they are none', async () => {
    const wrong = [
      'x',
      'a@b',
      '@b.org',
      'a@',
      'a b@c.org',
      'a@b..org',
      'a@-b.org',
      '<a@b.org>',
      'Ann <a@b.org>',
      'a@b.org\u0000',
      'a@b.org\u2028Bcc: x',
      'Bcc: a@b.org',
      `${'a'.repeat(250)}@b.org`,
      'a@b.org"',
    ]
    for (const one of wrong) await assert.rejects(emailsOf(one), { name: 'FieldFailure' }, one)
  })

  it('are at most 100', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `a${index}@b.org`)
    assert.equal((await emailsOf(many.slice(1)))?.length, 100)
    await assert.rejects(emailsOf(many), /at most 100/)
    await assert.rejects(emailsOf('a@b.org\n'.repeat(100_000)), { name: 'FieldFailure' })
  })
})

describe('webhooks', () => {
  it('are addresses of http and https without a password', async () => {
    assert.deepEqual(await webhooksOf('https://x.org/a\nhttp://y.org my-own-secret'), [
      'https://x.org/a',
      'http://y.org/',
    ])
    for (const one of [
      'ftp://x.org',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://me@x.org',
      '//x.org',
    ])
      await assert.rejects(webhooksOf(one), { name: 'FieldFailure' }, one)
  })

  it('of any text are addresses or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.webUrl(), fc.jsonValue()), async (given) => {
        try {
          for (const target of (await webhooksOf(given)) ?? [])
            assert.match(target, /^https?:\/\/[^@]*$|^https?:\/\/[^/]+\//)
        } catch (error) {
          assert.equal((error as Error).name, 'FieldFailure')
        }
      }),
    )
  })
})
