import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ModelCaller, ModelLayer, ModelPermission } from '../../tests/support/access-model.ts'
import { modelActions, modelCan } from '../../tests/support/access-model.ts'
import type { Permission, Subject } from './permission.ts'
import { parseResource } from './permission.ts'
import type { Caller } from './records.ts'
import { Rules } from './rules.ts'

const subjects: ModelPermission['subject'][] = [
  { user: 'anna' },
  { group: 'gis' },
  { everyone: true },
  { authenticated: true },
]
const resources = ['*', 'town', 'town:roads', 'other', 'town:parks']
const targets: ModelLayer[] = [
  { workspace: 'town', layer: 'roads', isPublic: false },
  { workspace: 'town', layer: 'roads', isPublic: true },
  { workspace: 'town', layer: 'lakes', isPublic: false },
  { workspace: 'town', isPublic: false },
  { workspace: 'open', layer: 'trees', isPublic: true },
  { workspace: 'open', isPublic: true },
]
const tokens: ModelCaller['token'][] = [
  undefined,
  { scope: 'read' },
  { scope: 'import' },
  { scope: 'manage' },
  { workspace: 'town' },
  { workspace: 'other', scope: 'manage' },
]
const people: ModelCaller[] = [
  { role: 'anonymous', groups: [] },
  { user: 'ben', role: 'user', groups: [] },
  { user: 'anna', role: 'user', groups: ['gis'] },
  { user: 'cleo', role: 'user', groups: ['gis'] },
  { user: 'dora', role: 'staff', groups: [] },
  { user: 'admin', role: 'admin', groups: [] },
]

function toSubject(subject: ModelPermission['subject']): Subject {
  if ('user' in subject) return { kind: 'user', name: subject.user }
  if ('group' in subject) return { kind: 'group', name: subject.group }
  return { kind: 'everyone' in subject ? 'everyone' : 'authenticated' }
}

function toPermission(one: ModelPermission, index: number): Permission {
  const times = { createdAt: '', updatedAt: '' }
  return {
    id: index + 1,
    subject: toSubject(one.subject),
    ...parseResource(one.resource),
    actions: [...one.actions],
    ...times,
  }
}

function toCaller({ user, role, token }: ModelCaller): Caller {
  return {
    name: user,
    role,
    by: role === 'anonymous' ? 'nothing' : 'token',
    scopes: token?.scope === undefined ? undefined : [token.scope],
    tokenWorkspace: token?.workspace,
  }
}

const groupsOf = new Map(people.map(({ user = '', groups }) => [user, new Set(groups)]))

function compareAll(permissions: ModelPermission[], defaults: 'open' | 'granted'): number {
  const world = { permissions, defaultRead: defaults, staffScope: defaults }
  const data = { revision: 1, permissions: permissions.map(toPermission), groupsOf }
  const rules = new Rules({ ...data, openWorkspaces: new Set(['open']) }, world)
  let compared = 0
  for (const person of people)
    for (const token of person.role === 'anonymous' ? [undefined] : tokens)
      for (const target of targets)
        for (const action of modelActions) {
          const caller = { ...person, token }
          const { workspace, layer, isPublic } = target
          const resource = layer === undefined ? { workspace } : { workspace, name: layer, isPublic }
          assert.equal(
            rules.can(toCaller(caller), action, resource),
            modelCan(world, caller, action, target),
            JSON.stringify({ permissions, defaults, caller, action, target }),
          )
          compared += 1
        }
  return compared
}

describe('can', () => {
  it('decides as the model for every caller, action, resource and single permission', () => {
    let compared = 0
    for (const defaults of ['open', 'granted'] as const) {
      compared += compareAll([], defaults)
      for (const subject of subjects)
        for (const resource of resources)
          for (const action of modelActions)
            compared += compareAll([{ subject, resource, actions: [action] }], defaults)
    }
    assert.ok(compared > 100_000, `${compared} decisions`)
  })

  it('adds up permissions as the model', () => {
    for (const first of subjects)
      for (const second of subjects)
        compareAll(
          [
            { subject: first, resource: 'town:roads', actions: ['edit'] },
            { subject: second, resource: 'town', actions: ['download', 'import'] },
          ],
          'granted',
        )
  })
})
