import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseS3Location } from './file-settings.ts'
import { readSettings } from './settings.ts'

const complete = {
  TERRANE_DATA: '/data',
  TERRANE_DATABASE_URL: 'postgres://user@host/name',
  TERRANE_FILES: 's3://bucket/a/b/',
  TERRANE_FILES_ACCESS_KEY: 'key',
  TERRANE_FILES_SECRET_KEY: 'secret',
}

describe('settings of files', () => {
  it('name the data directory by default, and a bucket by TERRANE_FILES', () => {
    assert.equal(readSettings({}).settings.files.s3, undefined)
    const { settings, problems } = readSettings(complete)
    assert.deepEqual(problems, [])
    assert.equal(settings.files.s3?.bucket, 'bucket')
    assert.equal(settings.files.s3?.prefix, 'a/b/')
    assert.equal(settings.files.scratch, '/data/scratch')
    assert.doesNotMatch(JSON.stringify(settings), /"secret"/)
  })

  it('list what a bucket needs', () => {
    const { problems } = readSettings({ TERRANE_FILES: 's3://bucket' })
    assert.deepEqual(problems.map((one) => one.split(' ')[0]).sort(), [
      'TERRANE_FILES_ACCESS_KEY',
      'TERRANE_FILES_SECRET_KEY',
    ])
  })

  it('refuse a bucket with a catalogue in SQLite', () => {
    const { problems } = readSettings({ ...complete, TERRANE_DATABASE_URL: undefined })
    assert.deepEqual(problems, ['TERRANE_FILES needs a catalogue in PostgreSQL: set TERRANE_DATABASE_URL'])
  })

  it('refuse locations that are no bucket with a plain prefix', () => {
    for (const text of [
      'bucket',
      's3://',
      's3://B/x',
      's3://bucket/../x',
      's3://bucket/a//b',
      's3://bu cket',
      's3://bucket/a b',
    ])
      assert.equal(parseS3Location(text), undefined, text)
    assert.deepEqual(parseS3Location('s3://bucket'), { bucket: 'bucket', prefix: '' })
  })
})
