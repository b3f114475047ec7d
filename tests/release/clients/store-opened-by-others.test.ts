import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import { createTestApp } from '../../support/app.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const loads = 6

describe('a GeoPackage that other programs open and close all the time', needsGdal, () => {
  it('takes every load, and keeps it', async (t) => {
    const server = await createTestApp()
    t.after(() => server.close())
    const load = async (generation: number): Promise<void> => {
      const mode = generation === 0 ? {} : { mode: 'REPLACE' as const }
      await importPoints(server, { name: 'moving', points: [['x', generation, 50]], ...mode })
    }
    await load(0)
    const path = join(server.dataDir, 'stores', 'default', 'default.gpkg')
    let isOver = false
    const others = Array.from({ length: 3 }, async () => {
      while (!isOver) await runProgram('ogrinfo', ['-ro', '-q', '-so', path, 'moving'])
    })
    try {
      for (let generation = 1; generation <= loads; generation += 1) {
        await load(generation)
        const url = '/ogc/collections/default:moving/items?f=json'
        const items = await server.app.inject({ url, headers: server.admin })
        const [feature] = (items.json() as { features: { geometry: { coordinates: number[] } }[] }).features
        assert.equal(feature?.geometry.coordinates[0], generation, items.body)
      }
    } finally {
      isOver = true
      await Promise.all(others)
    }
  })
})
