import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FieldFailure } from '../../../core/errors/errors.ts'
import { responseFields } from './parameters.ts'

describe('fields of the wire', () => {
  it('refuse impossible times', () => {
    const fields = responseFields({ a: '2026-02-30' }, 'contract')
    assert.equal(fields.time('a'), undefined)
    assert.throws(
      () => fields.finish(),
      (error) => error instanceof FieldFailure && error.fields.a?.[0] === 'Enter a valid date/time.',
    )
  })
})
