import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { languageTag } from './translations.ts'

describe('a language', () => {
  it('is the same by each of its codes, with a country or without', () => {
    assert.deepEqual(['ger', 'deu', 'de', 'de-AT', ' DE '].map(languageTag), Array(5).fill('de'))
    assert.deepEqual(['fre', 'eng', 'cze', 'roh'].map(languageTag), ['fr', 'en', 'cs', 'rm'])
  })

  it('is none for what is not a tag', () => {
    assert.deepEqual(['', '*', 'a', 'de_AT;q=1', '<x>'].map(languageTag), Array(5).fill(undefined))
  })
})
