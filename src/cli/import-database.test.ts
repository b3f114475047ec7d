import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { parseDatabase } from './import-database.ts'
import { UsageError } from './options.ts'

describe('parseDatabase', () => {
  it('takes an address apart into connection parameters, escapes undone', () => {
    const named = parseDatabase(
      'postgres://ann%40x:p%3Aw%2F@[::1]:5433/my%20data?schema=Geo&sslmode=require',
      {},
    )
    assert.deepEqual(named.parameters, {
      dbtype: 'postgis',
      database: 'my data',
      host: '::1',
      user: 'ann@x',
      schema: 'Geo',
      'SSL mode': 'require',
      passwd: 'p:w/',
      port: 5433,
    })
  })

  it('has a label without the password', () => {
    assert.equal(parseDatabase('postgresql://u:hidden@host/name', {}).label, 'host/name')
  })

  it('takes the password from the environment where the address has none', () => {
    const { parameters } = parseDatabase('postgres://u@host/name', { TERRANE_SOURCE_PASSWORD: 'p' })
    assert.equal(parameters.passwd, 'p')
  })

  it('takes a GeoPackage by its path', () => {
    const { parameters } = parseDatabase('some/file.gpkg', {})
    assert.deepEqual(parameters, { dbtype: 'geopkg', database: resolve('some/file.gpkg') })
  })

  for (const text of [
    'postgres://u:hidden@host',
    'oracle://u:hidden@host/name',
    'postgres://u:hidden@host:x/name',
    'postgres://u:hidden@host/name?connect_timeout=9',
    'data.txt',
  ]) {
    it(`refuses "${text}" without repeating a password`, () => {
      assert.throws(
        () => parseDatabase(text, {}),
        (error) => error instanceof UsageError && !error.message.includes('hidden'),
      )
    })
  }
})
