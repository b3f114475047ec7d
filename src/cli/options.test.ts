import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseImportOptions, UsageError } from './options.ts'

describe('parseImportOptions', () => {
  it('takes paths and every option', () => {
    const args = 'a.shp b --workspace w --store s --srs EPSG:4326 --mode Replace --url http://x:1/ --user u'
    assert.deepEqual(parseImportOptions(args.split(' ')), {
      paths: ['a.shp', 'b'],
      workspace: 'w',
      store: 's',
      srs: 'EPSG:4326',
      mode: 'replace',
      url: 'http://x:1',
      user: 'u',
      tables: [],
    })
  })

  it('creates as admin when nothing else is said', () => {
    assert.deepEqual(parseImportOptions(['a.shp']), {
      paths: ['a.shp'],
      mode: 'create',
      user: 'admin',
      tables: [],
    })
  })

  it('takes a database and its tables in place of paths', () => {
    const args = ['--database', 'postgres://u@h/d', '--table', 'a', '-t', 'b']
    const { paths, database, tables } = parseImportOptions(args)
    assert.deepEqual(
      { paths, database, tables },
      { paths: [], database: 'postgres://u@h/d', tables: ['a', 'b'] },
    )
  })

  for (const args of [
    [],
    ['x', '--table', 't'],
    ['x', '--database', 'postgres://u@h/d'],
    ['x', '--mode', 'merge'],
    ['x', '--url', 'host:80'],
    ['x', '--unknown'],
    ['x', '--srs'],
  ]) {
    it(`refuses "${args.join(' ')}"`, () => {
      assert.throws(() => parseImportOptions(args), UsageError)
    })
  }
})
