import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nearestWord } from './nearest-word.ts'

const options = ['workspace', 'store', 'srs', 'mode', 'url', 'user', 'lat', 'lon', 'json']

describe('nearestWord', () => {
  for (const [word, meant] of [
    ['wrokspace', 'workspace'],
    ['workspaces', 'workspace'],
    ['Workspace', 'workspace'],
    ['srss', 'srs'],
    ['sotre', 'store'],
    ['jsno', 'json'],
  ] as const) {
    it(`takes "${word}" for "${meant}"`, () => assert.equal(nearestWord(word, options), meant))
  }

  for (const word of ['', 'verbose', 'force', 'x', 'work'])
    it(`has no guess for "${word}"`, () => assert.equal(nearestWord(word, options), undefined))

  it('does not take one long name for another', () => {
    assert.equal(nearestWord('TERRANE_KEEP_SOMETHING', ['TERRANE_KEEP_IMPORTS']), undefined)
    assert.equal(
      nearestWord('TERRANE_DATABSE_URL', ['TERRANE_DATA', 'TERRANE_DATABASE_URL']),
      'TERRANE_DATABASE_URL',
    )
  })
})
