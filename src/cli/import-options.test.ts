import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutUndefined } from '../../tests/support/without-undefined.ts'
import { parseImportOptions } from './import-options.ts'
import { UsageError } from './options.ts'

const plain = {
  tables: [],
  createsWorkspace: false,
  takesTables: false,
  allowsEmpty: false,
  keys: [],
  deletesMissing: false,
  isDryRun: false,
  isPublic: false,
  isJson: false,
}

describe('parseImportOptions', () => {
  it('takes paths and every option', () => {
    const args = 'a.shp b --workspace w --store s --srs EPSG:4326 --mode Replace --url http://x:1/ --user u'
    assert.deepEqual(withoutUndefined(parseImportOptions(args.split(' '))), {
      paths: ['a.shp', 'b'],
      workspace: 'w',
      store: 's',
      srs: 'EPSG:4326',
      mode: 'replace',
      url: 'http://x:1',
      user: 'u',
      ...plain,
    })
  })

  it('creates as admin when nothing else is said', () => {
    assert.deepEqual(withoutUndefined(parseImportOptions(['a.shp'])), {
      paths: ['a.shp'],
      user: 'admin',
      ...plain,
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

  it('takes columns with coordinates; degrees need no --srs', () => {
    const { coordinates, srs } = parseImportOptions(['a.csv', '--lat', 'breite', '--lon', 'länge'])
    assert.deepEqual({ coordinates, srs }, { coordinates: { x: 'länge', y: 'breite' }, srs: 'EPSG:4326' })
    const metres = parseImportOptions('a.csv --x rw --y hw --srs EPSG:31468'.split(' '))
    assert.deepEqual(metres.coordinates, { x: 'rw', y: 'hw' })
    assert.equal(metres.srs, 'EPSG:31468')
  })

  for (const [args, output] of [
    ['', /at least one file/],
    ['x --table t', /--table goes with --database/],
    ['x --database postgres://u@h/d', /--database takes no files/],
    ['x --mode merge', /--mode is create, replace, append, upsert; found "merge"/],
    ['x --mode repalce', /did you mean replace\?/],
    ['x --url host:80', /--url is an http/],
    ['x --unknown', /`terrane import` has no option --unknown$/],
    ['x --wrokspace w', /has no option --wrokspace: did you mean --workspace\?/],
    ['x --wrokspace=w', /did you mean --workspace\?/],
    ['x -q', /has no option -q$/],
    ['x --srs', /--srs needs a value/],
    ['x --srs --mode create', /--srs needs a value/],
    ['x --srs=', /--srs needs a value/],
    ['x --json=yes', /--json takes no value/],
    ['x --create-workspace', /needs --workspace/],
    ['x --lat a', /--lat and --lon/],
    ['x --lat a --x b', /--lat and --lon/],
    ['x --x a --y b', /--srs/],
    ['x --lat a --lon b --table-only', /--table-only/],
  ] as const) {
    it(`refuses "${args}" in words of its own`, () => {
      const words = args.split(' ').filter((one) => one !== '')
      assert.throws(
        () => parseImportOptions(words),
        (error) => error instanceof UsageError && output.test(error.message),
      )
    })
  }
})
