import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenPaths, settingProblems, unknownFiles, unknownTerms, unlistedPages } from './documents.ts'

const root = `${import.meta.dirname}/../..`

describe('brokenPaths', () => {
  it('finds links and named files that do not exist', () => {
    const text =
      'See [a](gone.md), [b](../README.md#top), [c](https://x.org/y), `src/gone.ts` and `src/main.ts`.'
    assert.deepEqual(brokenPaths(root, [{ path: 'docs/a.md', text }]), [
      'docs/a.md names docs/gone.md, which does not exist',
      'docs/a.md names src/gone.ts, which does not exist',
    ])
  })
})

describe('unknownFiles', () => {
  it('finds files that are named by their end and are not there', () => {
    const text = 'See `scan.ts`, `load/crew.ts`, `crew.ts`, `gone.ts` and `ad/crew.ts`'
    const sources = [{ path: 'src/inputs/scan.ts' }, { path: 'src/importer/load/crew.ts' }]
    assert.deepEqual(unknownFiles(sources, [{ path: 'docs/x.md', text }]), [
      'docs/x.md names gone.ts, which does not exist',
      'docs/x.md names ad/crew.ts, which does not exist',
    ])
  })
})

describe('settingProblems', () => {
  it('finds settings that are read and not listed, and the reverse', () => {
    const sources = [{ path: 'src/core/config/settings.ts', text: "read.text('TERRANE_ONE')" }]
    assert.deepEqual(settingProblems(sources, { path: 'docs/x.md', text: 'TERRANE_TWO' }), [
      'docs/x.md does not list TERRANE_ONE',
      'docs/x.md lists TERRANE_TWO, which nothing reads',
    ])
  })
})

describe('unknownTerms', () => {
  it('finds names of the last column that no source declares', () => {
    const text =
      '| batch, `any` | rows | `FeatureBatch`, table `jobs`, `src/geo/` |\n| old | rows | `OldBatch` |'
    const sources = [
      { path: 'src/geo/batch.ts', text: 'export interface FeatureBatch {}' },
      { path: 'src/core/db/1.ts', text: "schema.createTable('jobs')" },
    ]
    assert.deepEqual(unknownTerms(sources, { path: 'docs/x.md', text }), [
      'docs/x.md names OldBatch, which no source declares',
    ])
  })
})

describe('unlistedPages', () => {
  it('finds pages of the folder that the index does not link to', () => {
    const pages = ['docs/README.md', 'docs/a.md', 'docs/b.md', 'docs/sub/c.md'].map((path) => ({ path }))
    assert.deepEqual(unlistedPages({ path: 'docs/README.md', text: '[a](a.md)' }, pages), [
      'docs/README.md does not link to docs/b.md',
    ])
  })
})
