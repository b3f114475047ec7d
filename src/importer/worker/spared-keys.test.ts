import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { schemaOf } from '../../../tests/support/batches.ts'
import type { SparedRows } from '../../stores/changes.ts'
import { SparedKeys } from './spared-keys.ts'

const schema = schemaOf({
  code: 'int32',
  'the name': { name: 'the name', type: 'text', source: 'Name' },
  day: 'date',
})

function keysOf(keys: string[], before?: SparedRows): SparedKeys {
  const spared = new SparedKeys({ keys, deletesMissing: true }, before)
  spared.readFrom(schema)
  return spared
}

describe('keys of rows that were rejected', () => {
  it('are those of the source, once each, under the names that the store gives', () => {
    const spared = keysOf(['code', 'the_name'])
    for (const code of [7, 7, 8])
      spared.add({ row: 1, reason: '', properties: { code, Name: 'é' } }, 'row-not-stored')
    assert.deepEqual(spared.spared, {
      keys: [
        ['7', 'é'],
        ['8', 'é'],
      ],
      hasUnknown: false,
    })
    assert.match(spared.message?.message ?? '', /2 different keys/)
    const repeated = keysOf(['code'])
    repeated.add({ row: 9, field: 'code', reason: '', properties: { code: 7 } }, 'row-not-stored')
    assert.deepEqual([repeated.spared.keys, repeated.message], [[['7']], undefined])
  })

  it('are none of rows whose key is null', () => {
    const spared = keysOf(['code'])
    spared.add({ row: 1, reason: '', properties: { code: null } }, 'row-not-stored')
    spared.add({ row: 2, reason: '', properties: { code: '' } }, 'row-not-read')
    assert.deepEqual(spared.spared, { keys: [], hasUnknown: false })
    assert.equal(spared.message, undefined)
  })

  it('cannot be told of rows that were not read, of dates, of columns that nobody knows, and of too many', () => {
    const row = { row: 1, reason: '', properties: { code: null, day: '2024-01-01' } }
    const unread = [keysOf(['code']), keysOf(['day']), keysOf(['other'])]
    for (const spared of unread) spared.add(row, 'row-not-read')
    const broken = keysOf(['code'])
    broken.add({ row: 1, reason: '' }, 'row-not-read')
    const many = keysOf(['code'], { keys: [['0']], hasUnknown: false })
    for (let code = 1; code < 1000; code += 1)
      many.add({ row: code, reason: '', properties: { code } }, 'row-not-stored')
    assert.equal(many.spared.keys.length, 1000)
    many.add({ row: 1000, reason: '', properties: { code: 1000 } }, 'row-not-stored')
    for (const spared of [...unread, broken, many]) {
      assert.deepEqual(spared.spared, { keys: [], hasUnknown: true })
      assert.match(spared.message?.message ?? '', /none is deleted/)
    }
  })
})
