import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { parseDocument, setPortableRoot, stringifyDocument } from './portable-paths.ts'

describe('documents with paths', () => {
  afterEach(() => setPortableRoot(undefined))

  it('name a file of the scratch folder so that another server finds it in its own', () => {
    setPortableRoot('/a/scratch')
    const text = stringifyDocument({
      path: '/a/scratch/uploads/1/x.csv',
      folder: '/a/scratch',
      other: '/a/scratch2/y',
    })
    setPortableRoot('/b')
    assert.deepEqual(parseDocument(text), {
      path: '/b/uploads/1/x.csv',
      folder: '/b',
      other: '/a/scratch2/y',
    })
  })

  it('keep texts that look like such a path', () => {
    setPortableRoot('/a')
    for (const title of ['scratch://', 'scratch:///etc/passwd', 'scratch://!x', '', 'a'])
      assert.deepEqual(parseDocument(stringifyDocument({ title })), { title })
  })

  it('are plain JSON where servers share a disk', () => {
    assert.equal(stringifyDocument({ path: '/a/b' }), '{"path":"/a/b"}')
    assert.deepEqual(parseDocument('{"path":"scratch:///b"}'), { path: 'scratch:///b' })
  })
})
