import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explain } from './explain.ts'
import type { Permission } from './permission.ts'
import { Rules } from './rules.ts'

const at = '2026-01-01T00:00:00.000Z'
const granted = { defaultRead: 'granted', staffScope: 'granted' } as const

function permission(id: number, values: Omit<Permission, 'id' | 'createdAt' | 'updatedAt'>): Permission {
  return { id, createdAt: at, updatedAt: at, ...values }
}

function rulesOf(permissions: Permission[]): Rules {
  const groupsOf = new Map([['anna', new Set(['gis'])]])
  return new Rules({ revision: 1, permissions, groupsOf, openWorkspaces: new Set(['open']) }, granted)
}

const anna = { name: 'anna', role: 'user', by: 'password' } as const

describe('rules', () => {
  it('explain each decision by the rule that permits it', () => {
    const rules = rulesOf([
      permission(7, { subject: { kind: 'group', name: 'gis' }, workspace: 'town', actions: ['edit'] }),
    ])
    const decisions = explain(rules, anna, { workspace: 'town', name: 'roads', isPublic: false })
    assert.deepEqual(
      decisions.map(({ action, isAllowed, rule }) => [action, isAllowed, rule.kind]),
      [
        ['read', true, 'permission'],
        ['download', false, 'none'],
        ['edit', true, 'permission'],
        ['import', false, 'none'],
        ['manage', false, 'none'],
      ],
    )
    const token = { ...anna, scopes: ['read'] as const }
    const [, , edit] = explain(rules, token, { workspace: 'town', name: 'roads' })
    assert.equal(edit?.rule.kind, 'token')
  })

  it('give a caller who is only in a group the rights of the group, and not those of another caller', () => {
    const rules = rulesOf([
      permission(1, { subject: { kind: 'group', name: 'gis' }, workspace: 'town', actions: ['edit'] }),
      permission(2, { subject: { kind: 'user', name: 'anna' }, workspace: 'county', actions: ['read'] }),
    ])
    const may = (groups: readonly string[] | undefined, workspace: string): boolean =>
      rules.can({ role: 'user', by: 'local', groups }, 'read', { workspace })
    assert.deepEqual([may(['gis'], 'town'), may(['gis'], 'county')], [true, false])
    assert.deepEqual([may(['other'], 'town'), may(undefined, 'town'), may([], 'town')], [false, false, false])
  })

  it('decide within 5 microseconds with 500 permissions', () => {
    const permissions = Array.from({ length: 500 }, (_, index) =>
      permission(index + 1, {
        subject: index % 2 === 0 ? { kind: 'group', name: 'gis' } : { kind: 'user', name: 'anna' },
        workspace: `w${index % 20}`,
        layer: index % 5 === 0 ? undefined : `l${index}`,
        actions: ['read'],
      }),
    )
    const rules = rulesOf(permissions)
    const layers = Array.from({ length: 10_000 }, (_, index) => ({
      workspace: `w${index % 40}`,
      name: `l${index}`,
    }))
    for (const layer of layers) rules.can(anna, 'read', layer)
    const { user, system } = process.cpuUsage()
    let allowed = 0
    for (let round = 0; round < 10; round += 1)
      for (const layer of layers) if (rules.can(anna, 'read', layer)) allowed += 1
    const used = process.cpuUsage({ user, system })
    assert.ok(allowed > 0)
    assert.ok(used.user + used.system < 100_000 * 5, `${(used.user + used.system) / 100_000} µs`)
  })
})
