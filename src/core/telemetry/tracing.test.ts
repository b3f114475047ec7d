import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { activeSpan, parseTraceparent, startSpan, traced, traceFields, traceHeaders } from './tracing.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

describe('the header traceparent', () => {
  it('has trace, span and flags', () => {
    assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-01`), { traceId, spanId, flags: 1 })
  })

  it('of a later version may have more fields', () => {
    assert.deepEqual(parseTraceparent(`01-${traceId}-${spanId}-00-more`)?.flags, 0)
  })

  for (const text of [
    undefined,
    '',
    'x',
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
  ])
    it(`is ignored as ${text}`, () => assert.equal(parseTraceparent(text), undefined))
})

describe('tracing that is off', () => {
  it('runs the work alone', async () => {
    assert.equal(startSpan('x'), undefined)
    assert.equal(activeSpan(), undefined)
    assert.deepEqual([traceHeaders(), traceFields()], [{}, {}])
    assert.equal(await traced('x', {}, async () => 5), 5)
  })
})
