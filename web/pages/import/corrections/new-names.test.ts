import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nameFaults, newName, noNameRule } from './new-names.ts'

describe('names by a rule', () => {
  it('are replaced in, put between, and made lower case at the end', () => {
    assert.equal(newName('Area_01', noNameRule), 'Area_01')
    assert.equal(
      newName('Area_01', { find: '_', replace: '-', prefix: 'Kiel ', suffix: '!', isLowerCase: true }),
      'kiel area-01!',
    )
    assert.equal(newName('a.b.c', { ...noNameRule, find: '.', replace: '$&' }), 'a$&b$&c')
    assert.equal(newName('ÄÖ', { ...noNameRule, isLowerCase: true }), 'äö')
  })

  it('tell which are there twice, and that one is empty', () => {
    assert.deepEqual(nameFaults(['a', 'b', 'a', 'a']), { twice: ['a'], hasEmpty: false })
    assert.deepEqual(nameFaults(['', 'b', '']), { twice: [], hasEmpty: true })
  })
})
