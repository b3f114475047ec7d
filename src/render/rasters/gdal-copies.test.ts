import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { RasterCopies } from './raster-copies.ts'
import type { DrawnRasterSource } from './raster-source.ts'

const path = join(import.meta.dirname, '../../../tests/fixtures/raster/world.byte.tif')
const limits = { toolSeconds: 60, rasterBytes: 2 ** 30 }
const never = new AbortController().signal

function source(more: Partial<DrawnRasterSource> = {}): DrawnRasterSource {
  return {
    file: { path, state: '1' },
    width: 2880,
    height: 1200,
    bands: [{ dataType: 'Byte' }],
    geoTransform: [-180, 0.125, 0, 75, 0, -0.125],
    crs: 'EPSG:4326',
    srs: 'EPSG:4326',
    ...more,
  }
}

describe('copies of rasters', () => {
  it('are made once for all who ask, and go on when one of them leaves', async (test) => {
    const folder = temporaryFolder(test)
    const copies = new RasterCopies({ folder, limits, isAlone: true })
    const leaving = new AbortController()
    const left = copies.get(7, source(), leaving.signal)
    const others = [1, 2, 3].map(() => copies.get(7, source(), never))
    leaving.abort(new Error('gone'))
    await assert.rejects(left, /gone/)
    const [first, ...more] = await Promise.all(others)
    for (const one of more) assert.deepEqual(one, first)
    assert.deepEqual(readdirSync(join(folder, '7', 'rasters')).length, 1)
    assert.equal(first?.files.length, 1)
    assert.ok(existsSync(first?.files[0]?.path ?? ''))
    rmSync(join(folder, '7', 'rasters'), { recursive: true })
    assert.deepEqual(await copies.get(7, source(), never), first)
    assert.ok(await copies.has(7))
    await copies.prune(7, [{ path, state: '2' }])
    assert.deepEqual(readdirSync(join(folder, '7', 'rasters')), [])
    await copies.close()
  })

  it('have a reason where they cannot be made, which holds for a while', async (test) => {
    const copies = new RasterCopies({ folder: temporaryFolder(test), limits, isAlone: true })
    const polar = source({ geoTransform: [-180, 0.125, 0, 89.9, 0, -0.001], file: { path, state: 'polar' } })
    const complex = source({ bands: [{ dataType: 'CFloat32' }], file: { path, state: 'complex' } })
    for (const one of [polar, complex, polar])
      await assert.rejects(copies.get(1, one, never), { code: 'no-tiles' })
    const small = new RasterCopies({
      folder: temporaryFolder(test),
      limits: { toolSeconds: 60, rasterBytes: 4096 },
      isAlone: true,
    })
    await assert.rejects(small.get(1, source(), never), { code: 'raster-too-large' })
    await Promise.all([copies.close(), small.close()])
  })

  it('that a killed server left, and those of layers that are gone, are swept', async (test) => {
    const folder = temporaryFolder(test)
    for (const name of ['1/rasters/ab.part-99', '1/rasters/cd', '2/rasters/ef']) {
      mkdirSync(join(folder, name), { recursive: true })
      writeFileSync(join(folder, name, '0.tif'), 'x')
    }
    const copies = new RasterCopies({ folder, limits, isAlone: true })
    await copies.sweep(async () => [1])
    assert.deepEqual(readdirSync(join(folder, '1/rasters')), ['cd'])
    assert.equal(existsSync(join(folder, '2/rasters')), false)
    await copies.close()
  })
})
