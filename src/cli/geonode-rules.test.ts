import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readGeoNodeRules } from './geonode-rules.ts'

const known = { workspaces: ['geonode', 'town'], layers: ['geonode:trees', 'geonode:roads', 'town:trees'] }

function taken(content: unknown, options = {}): string[] {
  const { taken: all, bad } = readGeoNodeRules(JSON.stringify(content, null, 1), known, options)
  assert.deepEqual(bad, [])
  return all.map(
    ({ line, subject, resource, actions }) =>
      `${line} ${Object.entries(subject).flat().join(' ')} ${resource} ${actions.join(',')}`,
  )
}

describe('permissions of GeoNode', () => {
  it('are read by resource', () => {
    const content = {
      'geonode:trees': {
        users: { AnonymousUser: ['view_resourcebase'], bobby: ['view_resourcebase', 'change_dataset_data'] },
        groups: {
          'registered-members': ['download_resourcebase'],
          foresters: ['change_resourcebase', 'delete_resourcebase', 'change_resourcebase_permissions'],
        },
      },
    }
    assert.deepEqual(taken(content), [
      '2 everyone true geonode:trees read',
      '2 user bobby geonode:trees read,edit',
      '2 authenticated true geonode:trees download',
      '2 group foresters geonode:trees manage',
    ])
  })

  it('are read in the shorter form of the API, for another workspace', () => {
    const perms = {
      users: [{ id: 1, username: 'bobby', permissions: 'owner' }],
      organizations: [{ name: 'foresters', permissions: 'edit' }],
      groups: [
        { name: 'anonymous', permissions: 'download' },
        { name: 'registered-members', permissions: 'none' },
      ],
    }
    assert.deepEqual(taken({ datasets: [{ alternate: 'geonode:trees', perms }] }, { workspace: 'town' }), [
      '4 user bobby town:trees manage',
      '4 everyone true town:trees read,download',
      '4 group foresters town:trees read,download,edit',
    ])
    assert.equal(taken(perms, { resource: 'geonode:roads' }).length, 3)
  })

  it('name what has no counterpart', () => {
    const content = {
      'geonode:trees': {
        users: { bobby: ['change_dataset_style', 'strange'], AnonymousUser: ['change_dataset_data'] },
      },
      'geonode:gone': { users: {} },
    }
    const { notTaken } = readGeoNodeRules(JSON.stringify(content), known, {})
    assert.deepEqual(
      notTaken.map(
        ({ reason }) =>
          /"manage" would give more|not a permission|without a login|does not exist/.exec(reason)?.[0],
      ),
      ['"manage" would give more', 'not a permission', 'without a login', 'does not exist'],
    )
  })

  it('name the line of what cannot be read', () => {
    const broken = readGeoNodeRules('{\n "geonode:trees": {,}\n}', known, {})
    assert.equal(broken.bad[0]?.line, 2, broken.bad[0]?.reason)
    const wrong = readGeoNodeRules('{\n "geonode:roads": {"users": {"bobby": "everything"}}}', known, {})
    assert.equal(wrong.bad[0]?.line, 2)
    assert.equal(readGeoNodeRules('{"users": {}}', known, {}).bad.length, 1)
  })
})
