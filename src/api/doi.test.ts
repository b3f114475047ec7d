import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { doiAddress, readDoi } from './doi.ts'

describe('a DOI', () => {
  it('is read with and without prefix and address', () => {
    for (const text of [
      '10.1234/Trees.v2',
      ' doi:10.1234/trees.V2 ',
      'DOI: 10.1234/trees.v2',
      'https://doi.org/10.1234/trees.v2',
      'http://dx.doi.org/10.1234/TREES.v2',
    ])
      assert.equal(readDoi(text), '10.1234/trees.v2')
    assert.equal(readDoi(' '), '')
  })

  it('may contain signs that an address encodes, and comes back from its address', () => {
    const doi = '10.1002/(sici)1099-1360(199711)6:6<320::aid-app1>3.0.co;2-f#1?'
    const address = doiAddress(doi)
    assert.equal(
      address,
      'https://doi.org/10.1002/(sici)1099-1360(199711)6:6%3C320::aid-app1%3E3.0.co;2-f%231%3F',
    )
    assert.equal(readDoi(address), doi)
  })

  it('is refused if it has no prefix, no name or blanks', () => {
    for (const text of [
      'trees',
      '10.1234',
      '10.12/trees',
      '10.1234/',
      '10.1234/a b',
      'doi:',
      'https://doi.org/x',
    ])
      assert.throws(() => readDoi(text), { code: 'invalid-body' }, text)
  })
})
