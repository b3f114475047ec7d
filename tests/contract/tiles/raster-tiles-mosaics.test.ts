import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMosaic, indexStores, runMosaic, startMosaics } from '../../support/mosaics.ts'
import { pictureTile } from '../../support/raster-tiles.ts'

/** Distinct shades of the cells that are there. */
function shades(rgba: Uint8Array): number[] {
  const found = new Set<number>()
  for (let at = 0; at < rgba.length; at += 4) if ((rgba[at + 3] ?? 0) > 200) found.add(rgba[at] ?? 0)
  return [...found].sort((a, b) => a - b)
}

for (const store of indexStores) {
  describe(`tiles of a mosaic with its index in ${store}`, () => {
    it('show the newest time, another one, or all of an interval', async (test) => {
      const client = await startMosaics(test, store)
      for (const [column, name] of ['a_2020', 'b_2021', 'c_2022'].entries())
        client.granule(`m/${name}.tif`, { column: column + 1 })
      const task = await runMosaic(client, await createMosaic(client, 'm', { mode: 'auto' }))
      assert.equal(task.state, 'COMPLETE', String(task.errorMessage))
      const json = await client.server.app.inject({ url: '/tiles/default:m', headers: client.server.admin })
      const reported = JSON.parse(json.body)
      assert.match(reported.tiles[0], /\{y\}\.png\?v=/)
      assert.equal(reported.vector_layers, undefined)
      const { x, y, z } = tileOf(reported.center, reported.maxzoom)
      const path = `default:m/${z}/${x}/${y}`
      const count = async (query: string): Promise<number> => {
        const tile = await pictureTile(client, `${path}.png${query}`)
        return tile.rgba.filter((value, at) => at % 4 === 3 && value > 200).length
      }
      const [newest, all, second, none] = [
        await count(''),
        await count('?time=../..'),
        await count('?time=2021'),
        await count('?time=1999-05'),
      ]
      assert.ok(newest > 0 && second > 0, `${newest} ${second}`)
      assert.equal(none, 0)
      assert.ok(all > newest + second, `${all}`)
      assert.ok(shades((await pictureTile(client, `${path}.png?time=../..`)).rgba).length > 1)
      assert.equal((await pictureTile(client, `${path}.png?time=yesterday`)).code, 'invalid-time')
    })
  })
}

/** Returns the tile of a zoom level that contains a position. */
function tileOf([longitude = 0, latitude = 0]: number[], z: number): { z: number; x: number; y: number } {
  const count = 2 ** z
  const sine = Math.sin((latitude * Math.PI) / 180)
  return {
    z,
    x: Math.floor(((longitude + 180) / 360) * count),
    y: Math.floor((0.5 - Math.atanh(sine) / (2 * Math.PI)) * count),
  }
}
