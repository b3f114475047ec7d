import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { additiveProblems } from './additive-migrations.ts'

const path = 'src/core/db/migrations/0099-some.ts'
const problems = (text: string, name = path): string[] => additiveProblems([{ path: name, text }])

describe('the check of migrations', () => {
  for (const text of [
    "db.schema.dropTable('a').execute()",
    "db.schema.alterTable('a').renameColumn('b', 'c').execute()",
    'sql`alter table a drop column b`',
    "db.schema.alterTable('a').addColumn('b', 'text', (one) => one.notNull()).execute()",
    "db.schema.alterTable('a').alterColumn('b', (one) => one.setNotNull()).execute()",
  ])
    it(`finds ${text}`, () => assert.equal(problems(text).length, 1))

  for (const text of [
    "db.schema.createTable('a').addColumn('b', 'text', (one) => one.notNull()).execute()",
    "db.schema.alterTable('a').addColumn('b', 'text', (one) => one.notNull().defaultTo('x')).execute()",
    "// Unused since schema version 3\ndb.schema.dropTable('a').execute()",
  ])
    it(`accepts ${text}`, () => assert.deepEqual(problems(text), []))

  it('accepts migrations from before the rule', () =>
    assert.deepEqual(problems("db.schema.dropTable('a')", 'src/core/db/migrations/0026-dry-runs.ts'), []))
})
