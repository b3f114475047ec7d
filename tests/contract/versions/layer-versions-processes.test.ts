import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import { importPoints, recordOf, versionOf } from '../../support/versioned-layers.ts'

const loads = 3

describe('versions of a GeoPackage that child processes of the server write to', () => {
  let server: TestApp
  let file: string
  before(async () => {
    server = await createTestApp({ env: { TERRANE_LOADS: '1' } })
    file = join(server.dataDir, 'stores', 'views.gpkg')
    const dataStore = { name: 'views', type: 'GeoPackage', connectionParameters: { database: file } }
    const created = await ask(server, 'POST', '/rest/workspaces/default/datastores', { dataStore })
    assert.equal(created.status, 201, created.text)
    for (const name of ['loaded', 'beside']) await importPoints(server, { store: 'views', name })
    await letGo()
    // No thread of the server opens a file with a view: SQLite may never be done with it.
    writeOutside('CREATE VIEW trap AS SELECT 1')
    // A check while the log is moved has no certain result.
    for (const name of ['loaded', 'beside'])
      await until(async () => {
        await refresh(name)
        return (await versionsOf(server, `default:${name}`))[0]?.cause === 'outside'
      })
  })
  after(() => server.close())

  const refresh = async (name: string) => server.catalog.layers.refreshVersion(await recordOf(server, name))
  /** The log is moved into the file a moment after a load. */
  const letGo = () => until(async () => !existsSync(`${file}-wal`))
  function writeOutside(sql: string): void {
    const db = new DatabaseSync(file, { timeout: 5000 })
    for (const name of ['ST_IsEmpty', 'ST_MinX', 'ST_MaxX', 'ST_MinY', 'ST_MaxY']) db.function(name, (_) => 1)
    db.exec(sql)
    db.close()
  }

  it('are those of loads alone, and come back', async () => {
    const first = await versionOf(server, 'default:loaded')
    const beside = await versionOf(server, 'default:beside')
    for (let load = 0; load < loads; load += 1) {
      await importPoints(server, {
        store: 'views',
        name: 'loaded',
        mode: 'REPLACE',
        points: [[`${load}`, 1, 1]],
      })
      await refresh('loaded')
      await refresh('beside')
      await letGo()
      await refresh('loaded')
    }
    const versions = (await versionsOf(server, 'default:loaded')).filter(({ version }) => version >= first)
    assert.deepEqual(
      versions.map(({ cause, restorable }) => [cause, restorable]),
      [
        ['import', false],
        ['import', true],
        ['import', true],
        ['outside', true],
      ],
    )
    assert.equal(await versionOf(server, 'default:beside'), beside)
    const back = await restore(server, 'default:loaded', first + 1, { what: ['data'] })
    assert.equal(back.status, 200, back.text)
    await letGo()
    await refresh('loaded')
    assert.equal((await versionsOf(server, 'default:loaded'))[0]?.cause, 'restore')
    assert.equal(await versionOf(server, 'default:beside'), beside)
  })

  it('grow by what others write right after a load, and while its log stands', async () => {
    for (const isAtOnce of [true, false]) {
      await importPoints(server, { store: 'views', name: 'loaded', mode: 'REPLACE' })
      if (!isAtOnce) await letGo()
      const { version } = await refresh('loaded')
      writeOutside(`UPDATE loaded SET name = 'other ${isAtOnce}'`)
      await refresh('loaded')
      await letGo()
      await refresh('loaded')
      assert.ok((await versionOf(server, 'default:loaded')) > version)
    }
  })
})
