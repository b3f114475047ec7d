import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { FeatureLocks } from '../../../src/catalog/services/feature-locks.ts'
import { type Database, openDatabase } from '../../../src/core/db/connection.ts'
import { Secret } from '../../../src/core/secrets/secret.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { publishPoints } from '../../support/configuration.ts'

describe('locks of features by two servers', () => {
  let terrane: TestApp
  let databases: Database[] = []
  let layerId = 0
  before(async () => {
    const url = await createCatalogDatabase()
    terrane = await createTestApp({ env: { TERRANE_DATABASE_URL: url } })
    layerId = (await publishPoints(terrane, 'default', 'a')).id
    databases = await Promise.all([1, 2].map(() => openDatabase({ url: new Secret(url) })))
  })
  after(async () => {
    await Promise.all(databases.map((database) => database.close()))
    await terrane.close()
  })

  it('are granted to one of them', async () => {
    const servers = databases.map((database) => new FeatureLocks({ database, clock: systemClock }))
    for (let round = 0; round < 10; round += 1) {
      const featureIds = Array.from({ length: 40 }, (_, index) => `${round}-${index}`)
      const request = { seconds: 60, features: [{ layerId, featureIds }], isAllOrNone: true }
      const granted = await Promise.all(
        servers.map((server, index) => server.lock({ ...request, user: `user ${index}` })),
      )
      const winner = granted.findIndex(({ lockId }) => lockId !== undefined)
      const loser = granted[1 - winner]
      assert.equal(loser?.lockId, undefined)
      assert.deepEqual(loser?.notLocked, [{ layerId, featureIds }])
      const { kysely } = databases[0] as Database
      const locks = (await servers[0]?.find(kysely, layerId, featureIds)) ?? []
      assert.deepEqual(new Set(locks.map(({ user }) => user)), new Set([`user ${winner}`]))
      assert.equal(locks.length, featureIds.length)
    }
  })
})
