import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { runSql, testCluster } from '../../../tests/support/postgres.ts'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import { openBroadcast } from '../../core/db/broadcast.ts'
import { openDatabase } from '../../core/db/connection.ts'
import { Secret } from '../../core/secrets/secret.ts'
import { systemClock } from '../../core/time/clock.ts'
import { announceServerChange, serverChangesWritten } from '../../stores/server-changes.ts'
import type { LayerRecord } from '../records.ts'
import { findNamedLayer } from '../rows/layer-rows.ts'
import { LayerVersions } from './layer-versions.ts'

const path = '/data/stores/places.gpkg'
const [before, later] = ['look before', 'look after']

/**
 * Starts two servers of one catalogue with a layer whose file has the state `later`; the second one does not
 * receive messages about changes by the first.
 */
async function startTwo(
  test: TestContext,
): Promise<{
  second: LayerVersions
  present(): Promise<LayerRecord>
  see(seenState: string): Promise<unknown>
}> {
  const url = await (await testCluster()).createDatabase()
  const database = await openDatabase({ url: new Secret(url) })
  const broadcasts = await Promise.all(
    Array.from({ length: 2 }, () => openBroadcast(new Secret(url), silentLogger)),
  )
  const open = (storesFolder: string): LayerVersions =>
    new LayerVersions({ database, clock: systemClock, storesFolder }, () =>
      Promise.resolve({ text: later, sameAs: new Set() }),
    )
  const [first, second] = [open('/data/stores'), open('/data/others')]
  test.after(async () => {
    for (const one of [first, second, ...broadcasts, database]) await one.close()
  })
  await runSql(
    url,
    `insert into workspaces (name, is_public, created_at, updated_at) values ('w', 0, '', '');
     insert into stores (workspace, name, kind, type, is_enabled, is_default, parameters, secrets, created_at, updated_at)
       values ('w', 's', 'dataStore', 'GeoPackage', 1, 0, '{}', '', '', '');
     insert into layers (workspace, name, store_id, native_name, document, created_at, updated_at)
       select 'w', 'places', id, 'places', '{}', '', '' from stores`,
  )
  return {
    second,
    present: async () => {
      const layer = await findNamedLayer(database.kysely, 'w:places')
      assert.ok(layer !== undefined)
      return layer
    },
    see: (seenState) => runSql(url, `update layers set seen_state = '${seenState}'`),
  }
}

describe('versions of a layer at two servers', () => {
  it('stay when another server has told its change before this one has written down what it saw', async (test) => {
    const { second, present, see } = await startTwo(test)
    announceServerChange({ path, from: before, to: later })
    await serverChangesWritten()
    await see(before)
    assert.deepEqual(await second.of(await present()), { version: 1, isCurrent: false })
    assert.deepEqual(await second.refresh(await present()), { version: 1, isCurrent: true, seen: later })
    assert.equal((await present()).seenState, later)
  })

  it('grow when nobody tells of a change', async (test) => {
    const { second, present, see } = await startTwo(test)
    await see(before)
    assert.deepEqual(await second.of(await present()), { version: 1, isCurrent: false })
    assert.deepEqual(await second.refresh(await present()), { version: 2, isCurrent: true, seen: later })
    assert.equal((await present()).versionCause, 'outside')
  })
})
