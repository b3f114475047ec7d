import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readLayerRules, readRestRules } from './geoserver-rules.ts'

const known = {
  workspaces: ['town', 'county', 'my.place'],
  layers: ['town:trees', 'town:secret', 'town:roads', 'county:wells', 'my.place:a.b'],
}

function taken(text: string): string[] {
  const { taken: all, bad } = readLayerRules(text, known)
  assert.deepEqual(bad, [])
  return all.map(
    ({ line, subject, resource, actions }) =>
      `${line} ${Object.entries(subject).flat().join(' ')} ${resource} ${actions.join(',')}`,
  )
}

describe('layers.properties of GeoServer', () => {
  it('becomes permissions of everyone, users and groups', () => {
    const text = [
      '# rules',
      '*.*.r=*',
      'town.*.w=EDITORS,ROLE_AUTHENTICATED,ADMIN',
      'town.*.a=OFFICE',
      'county.wells.w = \\',
      '  WATER',
    ].join('\n')
    assert.deepEqual(taken(text), [
      '2 everyone true * read,download',
      '3 group EDITORS town edit',
      '3 authenticated true town edit',
      '4 group OFFICE town manage',
      '5 group WATER county:wells edit',
    ])
  })

  it('is taken for what more specific rules leave', () => {
    const text = '*.*.r=*\ntown.secret.r=OFFICE\ncounty.*.r=WATER\ntown.trees.r=*'
    const { taken: all, notTaken } = readLayerRules(text, known)
    assert.deepEqual(
      all.map(({ line, resource }) => `${line} ${resource}`),
      ['1 town:roads', '1 my.place', '2 town:secret', '3 county', '4 town:trees'],
    )
    assert.match(notTaken[0]?.reason ?? '', /more specific rules narrow it/)
  })

  it('has names with escaped dots', () => {
    assert.deepEqual(taken('my\\\\.place.a\\\\.b.r=X'), ['1 group X my.place:a.b read,download'])
  })

  it('names what has no counterpart, with its line', () => {
    const text = [
      'mode=CHALLENGE',
      'group.r=X',
      '*.*.w=*',
      'town.trees.a=X',
      'gone.*.r=X',
      'town.gone.r=X',
      '*.trees.r=X',
      '*.*.r=X',
    ].join('\n')
    const { taken: all, notTaken, bad } = readLayerRules(text, known)
    assert.deepEqual(bad, [])
    assert.deepEqual(
      all.map(({ resource }) => resource),
      ['*'],
    )
    const reasons = new Map(notTaken.map(({ line, reason }) => [line, reason]))
    assert.match(reasons.get(1) ?? '', /hidden/)
    assert.match(reasons.get(2) ?? '', /layer group/)
    assert.match(reasons.get(3) ?? '', /permissions create everyone '\*' edit/)
    assert.match(reasons.get(4) ?? '', /only workspaces/)
    assert.match(reasons.get(5) ?? '', /workspace "gone"/)
    assert.match(reasons.get(6) ?? '', /layer "town:gone"/)
    assert.match(reasons.get(7) ?? '', /needs its workspace/)
    assert.match(readLayerRules('town.*.w=X', known).notTaken.at(0)?.reason ?? '', /lets everyone read/)
  })

  it('names bad lines', () => {
    const { taken: all, bad } = readLayerRules(
      'town.*.x=A\n\ntown.*.r=\nr=A\na.b.c.r=A\ntown.trees.r=A',
      known,
    )
    assert.deepEqual(
      bad.map(({ line }) => line),
      [1, 3, 4, 5],
    )
    assert.equal(all.length, 1)
  })
})

describe('rest.properties of GeoServer', () => {
  it('becomes permissions of workspaces, where it can', () => {
    const text = [
      '/**;GET=READERS',
      '/**;POST,DELETE,PUT=ROLE_ADMINISTRATOR',
      '/rest/workspaces/town/**;GET,PUT=OFFICE',
      '/rest/styles/**;PUT=X',
      '/rest/imports/**;POST=LOADERS',
      'rest;GET=X',
      '/rest/workspaces/town;FETCH=X',
    ].join('\n')
    const { taken: all, notTaken, bad } = readRestRules(text, known)
    assert.deepEqual(
      all.map(({ line, resource, actions }) => `${line} ${resource} ${actions}`),
      ['1 * read', '3 town manage', '5 * import'],
    )
    assert.deepEqual(
      notTaken.map(({ line }) => line),
      [4],
    )
    assert.deepEqual(
      bad.map(({ line }) => line),
      [6, 7],
    )
  })
})
