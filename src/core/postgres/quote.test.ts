import assert from 'node:assert/strict'
import { it } from 'node:test'
import { quoteIdentifier, quoteText } from './quote.ts'

it('quotes what would end an identifier or a text', () => {
  assert.equal(quoteIdentifier('"; drop table x; --'), '"""; drop table x; --"')
  assert.equal(quoteText("it's"), "'it''s'")
  assert.equal(quoteText('\\'), "E'\\\\'")
})
