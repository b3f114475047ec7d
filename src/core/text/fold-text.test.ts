import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { foldText } from './fold-text.ts'

describe('folding of text', () => {
  it('takes case and accents away, and leaves signs, blanks and other scripts', () => {
    assert.equal(foldText('Straße STRASSE'), 'strasse strasse')
    assert.equal(foldText('Łódź Ærø Ångström'), 'lodz æro angstrom')
    assert.equal(foldText('block_groups 2.5 km'), 'block_groups 2.5 km')
    assert.equal(foldText('ﬁeld ＡＢＣ'), 'field abc')
    assert.equal(foldText('Москва 東京'), 'москва 東京')
  })
})
