import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keyLikeness } from './key-names.ts'

describe('names of keys', () => {
  it('are known in many languages, whatever their accents and letter case', () => {
    for (const name of [
      'id',
      'GID',
      'fid',
      'code',
      'Key',
      'OBJECTID',
      'Schlüssel',
      'Kennung',
      'identifiant',
      'numéro',
      'clé',

      'Identificador',
      'código',
      'codice',
      'chiave',
      'sleutel',
      'nyckel',
      'nøkkel',
      'tunnus',
      'identyfikator',
      'číslo',
      'azonosító',
      'kimlik',
      'Номер',
      'ключ',
      'κωδικός',
      '编号',
      '番号',
      '번호',
    ])
      assert.equal(keyLikeness(name), 2, name)
  })

  it('are found among other words, and not within them', () => {
    for (const name of ['tree_id', 'id_tree', 'Gemeinde-Nr', 'buildingId', 'parcelid', 'post code'])
      assert.equal(keyLikeness(name), 1, name)
    for (const name of ['name', 'width', 'street', 'Höhe', 'kinds', 'encoded', ''])
      assert.equal(keyLikeness(name), 0, name)
  })
})
