import assert from 'node:assert/strict'
import { it } from 'node:test'
import { columnNames, freeIdentifier, stagingName, toIdentifier, toTableName } from './identifiers.ts'

it('keeps letters of every script and turns blanks into underscores', () => {
  assert.equal(toIdentifier(' Größe in m\u00b2 ', 'column'), 'Größe_in_m²')
  assert.equal(toIdentifier('a\0b\n', 'column'), 'ab')
  assert.equal(toIdentifier(' ', 'column'), 'column')
})

it('cuts names to 63 bytes between characters', () => {
  assert.equal(Buffer.byteLength(toIdentifier('ü'.repeat(40), 'column')), 62)
  assert.equal(toIdentifier('x'.repeat(100), 'column').length, 63)
})

it('gives colliding columns different names within the limit', () => {
  const long = 'x'.repeat(70)
  const names = columnNames(['a b', 'a_b', 'A_B', 'ctid', `${long}1`, `${long}2`])
  assert.deepEqual(names, ['a_b', 'a_b_1', 'A_B_2', 'ctid_1', 'x'.repeat(63), `${'x'.repeat(61)}_1`])
})

it('finds the first free name', () => {
  assert.equal(
    freeIdentifier('roads', (name) => name === 'roads' || name === 'roads_1'),
    'roads_2',
  )
})

it('names staging tables by load, the same each time, however odd the id', () => {
  assert.equal(stagingName('0_3_1'), 'terrane_load_0_3_1')
  assert.notEqual(stagingName('a/b'), stagingName('a-b'))
  assert.equal(stagingName('x'.repeat(500)), stagingName('x'.repeat(500)))
  assert.ok(Buffer.byteLength(stagingName('ü'.repeat(500))) <= 59)
})

it('gives no table a name of PostGIS or of a staging table', () => {
  assert.equal(toTableName('spatial_ref_sys'), 'a_spatial_ref_sys')
  assert.equal(toTableName(stagingName('1')), 'a_terrane_load_1')
  assert.equal(toTableName('Spatial roads'), 'Spatial_roads')
})
