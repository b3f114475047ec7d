import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import type { PostgresCluster } from '../../support/postgres.ts'
import { runSql, testCluster } from '../../support/postgres.ts'

const feature = (kind: string, x: number) => ({
  type: 'Feature',
  properties: { kind },
  geometry: { type: 'Point', coordinates: [x, 52] },
})
const collection = { type: 'FeatureCollection', features: [feature('oak', 13), feature('ash', 14)] }
const trees = {
  name: 'trees.geojson',
  mimeType: 'application/geo+json',
  buffer: Buffer.from(JSON.stringify(collection)),
}

describe('the pages on PostgreSQL', () => {
  let cluster: PostgresCluster
  let database: string
  before(async () => {
    cluster = await testCluster()
    database = await cluster.createDatabase()
  })
  after(async () => {
    await closeBrowser()
    await cluster.dropDatabase(database)
    await cluster.stop()
  })

  it('lead from a file to its layer, whose rows stand in the database', async (t) => {
    const server = await startPageServer(t, { TERRANE_DATABASE_URL: database, TERRANE_SAMPLE: 'off' })
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    await page.setInputFiles('input[type=file]', trees)
    await page.waitForURL(/\/app\/imports\/\d+$/)
    await page.getByRole('button', { name: 'Import 1 layer' }).click()
    await page.getByRole('link', { name: 'Show the layer' }).first().click()
    await page.locator('h1', { hasText: 'trees' }).waitFor()
    await page.locator('td', { hasText: 'ash' }).first().waitFor()
    const tables = await runSql(
      database,
      "select count(*)::int as n from pg_tables where tablename = 'trees'",
    )
    assert.match(JSON.stringify(tables), /1/)
    await shown.open('/')
    await page.locator('.card', { hasText: 'trees' }).waitFor()
    await page.reload()
    await page.locator('.card', { hasText: 'trees' }).waitFor()
    await shown.open('/app/stores')
    await page.locator('main td', { hasText: 'PostGIS' }).first().waitFor()
    assert.deepEqual(shown.faults, [])

    const table = "(select schemaname from pg_tables where tablename = 'trees')"
    await runSql(
      database,
      `do $$ begin execute format('alter table %I.trees drop column fid; alter table %I.trees add primary key (kind)', ${table}, ${table}); end $$`,
    )
    await askServer(server, '/rest/layers/default:trees/refresh', {})
    await shown.open('/app/layers/default:trees?bbox=12.9,51.9,13.1,52.1')
    await page.waitForSelector('.canvas[data-drawn=yes]')
    await page.locator('.lay-table >> text=1 row').waitFor()
    await page.locator('.lay-map canvas').focus()
    await page.keyboard.press('Enter')
    await page.locator('.grid-rows tr[aria-current=true]', { hasText: 'oak' }).waitFor()
    assert.deepEqual(shown.faults, [])
  })
})
