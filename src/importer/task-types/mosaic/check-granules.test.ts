import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defined, without } from '../../../core/values/defined.ts'
import type { GranuleRecord } from '../../model/granule-record.ts'
import { checkGranules } from './check-granules.ts'
import { granuleFacts } from './granule.ts'

const base = { importId: 0, taskId: 0, sizeBytes: 1 }

function granule(name: string, change: Partial<GranuleRecord> = {}): GranuleRecord {
  const place = Number(/\d+/.exec(name)?.[0] ?? 0)
  return {
    ...base,
    fileId: name,
    file: { path: `/data/${name}`, sidecars: {} },
    format: 'GeoTIFF',
    srs: 'EPSG:32618',
    envelope: { minX: place, minY: 0, maxX: place + 1, maxY: 1 },
    raster: {
      width: 10,
      height: 10,
      bands: [{ dataType: 'Byte' }],
      overviews: [],
      crs: { srs: 'EPSG:32618' },
    },
    ...change,
  }
}

function faultsOf(granules: GranuleRecord[]): Record<string, string> {
  const checked = checkGranules(granules).granules
  return Object.fromEntries(
    checked.flatMap(({ fileId, fault }) =>
      fault === undefined ? [] : [[fileId, `${fault.code}: ${fault.reason}`]],
    ),
  )
}

const twoBands = [{ dataType: 'Byte' }, { dataType: 'Float32' }]
const raster = { width: 10, height: 10, bands: [{ dataType: 'Byte' }], overviews: [] }

describe('granules of a mosaic', () => {
  it('take part together, and have the extent of all of them', () => {
    const { granules, model, envelope } = checkGranules([granule('1.tif'), granule('5.tif')])
    assert.ok(granules.every(({ fault }) => fault === undefined))
    assert.equal(model?.fileId, '1.tif')
    assert.deepEqual(envelope, { minX: 1, minY: 0, maxX: 6, maxY: 1 })
  })

  it('are held against what most of them are, not against the first', () => {
    const odd = granule('0.tif', { srs: 'EPSG:4326', raster: { ...raster, crs: { srs: 'EPSG:4326' } } })
    assert.deepEqual(faultsOf([odd, granule('1.tif'), granule('2.tif')]), {
      '0.tif': 'other-crs: has EPSG:4326, but the mosaic has EPSG:32618',
    })
  })

  it('each say what is wrong with them', () => {
    const unreadable = without(granule('4.tif'), 'raster', 'srs', 'envelope')
    const withoutSrs = without(granule('8.tif', { raster }), 'srs')
    const placeless = without(granule('6.tif'), 'envelope')
    const granules = [
      granule('1.tif'),
      granule('2.tif'),
      granule('3.jpg', { format: 'WorldImage' }),
      { ...unreadable, fault: { code: 'unreadable' as const, reason: 'cannot be read: it ends early' } },
      granule('5.tif', { raster: { ...raster, bands: twoBands, crs: { srs: 'EPSG:32618' } } }),
      placeless,
      granule('7.tif', { raster: { ...raster, bands: [{ dataType: 'Int16' }] } }),
      withoutSrs,
    ]
    assert.deepEqual(faultsOf(granules), {
      '3.jpg': 'other-format: is WorldImage, but the mosaic is GeoTIFF',
      '4.tif': 'unreadable: cannot be read: it ends early',
      '5.tif': 'other-bands: has 2 bands (Byte, Float32), but the mosaic has 1 band (Byte)',
      '6.tif': 'no-extent: has no extent: it is not georeferenced',
      '7.tif': 'other-bands: has 1 band (Int16), but the mosaic has 1 band (Byte)',
      '8.tif': 'other-crs: has no CRS, but the mosaic has EPSG:32618',
    })
  })

  it('lose a fault that is no longer there', () => {
    const fault = { code: 'other-crs' as const, reason: 'of an earlier look' }
    assert.deepEqual(faultsOf([granule('1.tif', { fault })]), {})
  })
})

describe('a described file as a granule', () => {
  const file = { path: '/data/1.tif', sidecars: {} }
  const format = 'GeoTIFF'
  const layer = { name: '1', schema: { attributes: [], geometry: undefined }, messages: [] }

  it('has its extent from all four corners', () => {
    const geoTransform = [100, 1, 1, 200, 1, -1]
    const facts = granuleFacts({ file, format, layers: [{ ...layer, raster: { ...raster, geoTransform } }] })
    assert.deepEqual(facts.envelope, { minX: 100, minY: 190, maxX: 120, maxY: 210 })
  })

  it('has none where it is not georeferenced, or to no area', () => {
    for (const geoTransform of [undefined, [0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, Number.NaN]]) {
      const described = { ...raster, ...defined({ geoTransform }) }
      assert.equal(
        granuleFacts({ file, format, layers: [{ ...layer, raster: described }] }).envelope,
        undefined,
      )
    }
  })

  it('says why it cannot be read', () => {
    assert.match(
      granuleFacts({ file, format, layers: [], error: 'it ends early' }).fault?.reason ?? '',
      /ends early/,
    )
    assert.match(
      granuleFacts({ file, format, layers: [layer, layer] }).fault?.reason ?? '',
      /contains 2 rasters/,
    )
  })
})
