import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openDatabase } from '../../db/connection.ts'
import { createVault } from '../../lib/vault.ts'
import { readEmails, readWebhooks } from './notification-receivers.ts'
import { wireFields } from './parameters.ts'

const vault = createVault(Buffer.alloc(32, 1))

async function emailsOf(emails: unknown): Promise<string[] | undefined> {
  const database = await openDatabase({ path: ':memory:' })
  const body = { emails }
  const fields = wireFields(body, 'contract')
  try {
    const receivers = await readEmails(fields, body, database.kysely)
    fields.finish()
    return receivers?.map(({ target }) => target)
  } finally {
    await database.close()
  }
}

function webhooksOf(webhooks: unknown): string[] | undefined {
  const body = { webhooks }
  const fields = wireFields(body, 'contract')
  const read = readWebhooks(fields, body, { known: [], vault })
  fields.finish()
  return read?.receivers.map(({ target }) => target)
}

describe('addresses of receivers', () => {
  it('stand one a line, or with commas, or in a list; blanks and repeats do not count', async () => {
    assert.deepEqual(await emailsOf('a@b.org\r\n\n b@b.org ,A@b.org'), ['a@b.org', 'b@b.org'])
    assert.deepEqual(await emailsOf(['a@b.org', 'c.d+e@sub.b.org']), ['a@b.org', 'c.d+e@sub.b.org'])
    assert.deepEqual(await emailsOf(''), [])
  })

  it('are refused where they are none', async () => {
    const wrong = [
      ...['x', 'a@b', '@b.org', 'a@', 'a b@c.org', 'a@b..org', 'a@-b.org', '<a@b.org>', 'Ann <a@b.org>'],
      ...['a@b.org\u0000', 'a@b.org\u2028Bcc: x', 'Bcc: a@b.org', `${'a'.repeat(250)}@b.org`, 'a@b.org"'],
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
  it('are addresses of http and https without a password', () => {
    assert.deepEqual(webhooksOf('https://x.org/a\nhttp://y.org my-own-secret'), [
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
      assert.throws(() => webhooksOf(one), { name: 'FieldFailure' }, one)
  })

  it('of any text are addresses or refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.jsonValue()), (given) => {
        try {
          for (const target of webhooksOf(given) ?? [])
            assert.match(target, /^https?:\/\/[^@]*$|^https?:\/\/[^/]+\//)
        } catch (error) {
          assert.equal((error as Error).name, 'FieldFailure')
        }
      }),
    )
  })
})
