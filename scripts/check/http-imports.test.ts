import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { httpProblems } from './http-imports.ts'
import { sourceFile } from './imports.ts'

const problems = (text: string, path = 'src/api/rest/catalog/x.ts'): string[] =>
  httpProblems([sourceFile('/project', path, text)])

describe('httpProblems', () => {
  it('refuses repositories, SQL, the database and the vault', () => {
    assert.deepEqual(problems("import { sql } from 'kysely'"), [
      'src/api/rest/catalog/x.ts imports kysely: SQL is made below http',
    ])
    for (const path of [
      '../../../core/db/tables.ts',
      '../../../access/user-repository.ts',
      '../../../core/secrets/vault.ts',
    ])
      assert.equal(problems(`import type { A } from '${path}'`).length, 1, path)
  })

  it('refuses queries over a connection that was handed in', () => {
    assert.deepEqual(problems("const rows = await db\n  .selectFrom('layers')"), [
      'src/api/rest/catalog/x.ts:1 calls selectFrom: SQL is made below http',
    ])
    assert.equal(problems('await db.transaction().execute(run)').length, 1)
  })

  it('accepts what serves a request, and everything outside http', () => {
    assert.deepEqual(problems("import { createLayer } from '../../../catalog/catalog.ts'"), [])
    assert.deepEqual(problems("import { sql } from 'kysely'", 'src/catalog/x.ts'), [])
  })
})
