import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { Answer } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

describe('a look whose task is changed', () => {
  for (const [shape, settings] of Object.entries(shapes)) {
    it(`tells those who wait to ask again, and when, with ${shape}`, async (test) => {
      const client = await startImporter(test, { env: await settings() })
      const target = { targetStore: { dataStore: { name: 'default' } } }
      const id = Number((await client.call('POST', '', { import: target })).json.import?.id)
      const sent = await client.upload(id, [{ name: 'moving.geojson', content: pointsText(30_000) }])
      assert.equal(sent.status, 201, sent.text)
      const path = `/${id}/tasks/0`
      const dropped: Answer[] = []
      for (let round = 0; dropped.length === 0 && round < 50; round += 1) {
        const requested = client.call('GET', `${path}/columns?wait=20`)
        await delay(round)
        const srs = `EPSG:${round % 2 === 0 ? 4258 : 4326}`
        const put = await client.call('PUT', path, { task: { layer: { srs } } })
        assert.ok(put.status < 300, put.text)
        const answer = await requested
        if (answer.status !== 200) dropped.push(answer)
      }
      assert.ok(dropped.length > 0, 'no look was dropped')
      for (const { status, json, headers, text } of dropped) {
        assert.equal(status, 503, text)
        assert.equal(json.code, 'preview-not-ready', text)
        assert.equal(headers['retry-after'], '1')
      }
    })
  }
})

function pointsText(count: number): string {
  const features = Array.from({ length: count }, (_, at) => ({
    type: 'Feature',
    properties: { at },
    geometry: { type: 'Point', coordinates: [5 + (at % 100) / 100, 50 + (at % 50) / 100] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}
