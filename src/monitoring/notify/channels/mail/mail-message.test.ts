import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { NotificationMessage } from '../../model/model.ts'
import { toMail } from './mail-message.ts'

const place = { host: 'maps.example.org', baseUrl: 'https://maps.example.org/geo' }
const message: NotificationMessage = {
  kind: 'alert',
  checkId: 3,
  checkName: 'Responses are slow',
  checkDescription: 'Tells when requests take long',
  severity: 'error',
  spottedAt: '2026-11-21T12:05:02.000Z',
  failingSince: '2026-11-21T12:02:02.000Z',
  problems: [
    {
      definitionId: 1,
      metric: 'response.time',
      severity: 'error',
      message: 'Response time is higher than 500 ms',
      description: 'Response time: 812.35 ms from 12:04 to 12:05 UTC; at most 500 ms is expected.',
      offendingValue: '812.3450',
      thresholdValue: '500.0000',
      validFrom: 0,
      validTo: 0,
    },
  ],
}

describe('a mail about a problem', () => {
  it('says where, how grave and what in its subject', () => {
    assert.equal(
      toMail(message, 600, place).subject,
      'Terrane at maps.example.org: error: Responses are slow',
    )
  })

  it('says what is wrong with its numbers, since when, where to look and how to silence it, as text and HTML', () => {
    const { text, html } = toMail(message, 600, place)
    for (const body of [text, html]) {
      assert.match(body, /Response time is higher than 500 ms/)
      assert.match(body, /812\.35 ms from 12:04 to 12:05 UTC/)
      assert.match(body, /2026-11-21 12:02 UTC/)
      assert.match(body, /https:\/\/maps\.example\.org\/geo\/monitoring\/api\/status\//)
      assert.match(body, /https:\/\/maps\.example\.org\/geo\/monitoring\/api\/notifications\/config\/3\//)
      assert.match(body, /switch the check off/)
      assert.match(body, /10 minutes/)
    }
  })

  it('says that the check holds again, and for how long it did not', () => {
    const { subject, text } = toMail({ ...message, kind: 'recovery', problems: [] }, 600, place)
    assert.equal(subject, 'Terrane at maps.example.org: resolved: Responses are slow')
    assert.match(text, /holds again/)
    assert.match(text, /for 3 minutes/)
  })

  it('has no line break in its subject and no markup of a name in its HTML', () => {
    const hostile = {
      ...message,
      checkName: 'x\r\nBcc: a@b.org',
      checkDescription: '<script>alert(1)</script>',
    }
    const { subject, html } = toMail(hostile, 600, place)
    assert.doesNotMatch(subject, /[\r\n]/)
    assert.doesNotMatch(html, /<script/)
    assert.match(html, /&lt;script&gt;/)
  })
})
