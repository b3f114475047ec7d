import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadRows, readRows } from '../../../tests/contract/store-session.ts'
import type { Row } from '../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import { fileDatabase, storeParameters } from '../../../tests/support/postgis-store.ts'
import { runSql } from '../../../tests/support/postgres.ts'
import { Failure } from '../../core/errors/errors.ts'
import { createPostgisStore } from './postgis-store.ts'

const schema = schemaOf({ code: 'int32' }, 'Point')
const rows = (...codes: number[]): Row[] =>
  codes.map((code) => ({ geometry: wkb('Point', [code, code]), values: [code] }))

const triggers = {
  'BEFORE INSERT that drops rows': `create function f() returns trigger language plpgsql as
    'begin if new.code = 4 then return null; end if; return new; end';
    create trigger t before insert on layer for each row execute function f()`,
  'AFTER INSERT that deletes rows': `create function f() returns trigger language plpgsql as
    'begin delete from HOME.layer where code = 4; return null; end';
    create trigger t after insert on layer for each statement execute function f()`,
  'a rule that does nothing': 'create rule r as on insert to layer where new.code = 4 do instead nothing',
}

for (const [name, sql] of Object.entries(triggers)) {
  for (const mode of ['APPEND', 'REPLACE'] as const) {
    // COPY does not run rules.
    const isLost = !(name.startsWith('a rule') && mode === 'APPEND')
    it(`${mode} into a table with ${name} ${isLost ? 'fails and changes nothing' : 'loads all'}`, async () => {
      const url = await fileDatabase()
      const home = `rows_${mode}_${name.length}`.toLowerCase()
      await runSql(url, `create schema ${home}`)
      const store = createPostgisStore(storeParameters(url, home))
      try {
        await loadRows(store, { schema, rows: rows(1, 2) })
        await runSql(url, `set search_path = ${home}, public; ${sql.replaceAll('HOME', home)}`)
        const load = loadRows(store, { mode, schema, rows: rows(3, 4, 5) })
        if (isLost) {
          await assert.rejects(load, (error) => error instanceof Failure && error.code === 'rows-lost')
          assert.deepEqual(
            (await readRows(store)).map(({ values }) => values[0]),
            [1, 2],
          )
        } else assert.equal((await load).result.rowsLoaded, 3)
        if (isLost) {
          await loadRows(store, { mode, schema, rows: rows(6, 7) })
          assert.equal((await readRows(store)).length, mode === 'APPEND' ? 4 : 2)
        }
      } finally {
        await store.close()
      }
    })
  }
}
