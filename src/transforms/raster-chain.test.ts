import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findCrs } from '../geo/crs-database.ts'
import { authorityCode, toProgramCrs } from '../geo/crs-program-text.ts'
import { foldChain } from './chain.ts'
import type { RasterPlacement } from './raster/raster-transform.ts'
import { placeRaster, rasterSteps } from './raster-chain.ts'

const translate = (...options: string[]) => ({ type: 'RasterTranslateTransform', options })
const warp = (...options: string[]) => ({ type: 'RasterWarpTransform', options })
const overview = { type: 'RasterOverviewTransform', options: [], levels: [2] }

const bare: RasterPlacement = { hasExtent: true, hasControlPoints: false }
const withPoints: RasterPlacement = { hasExtent: false, hasControlPoints: true }

describe('a chain of raster transformations', () => {
  it('is refused where a transformation of features stands in it, which is named by its place', () => {
    const remap = { type: 'AttributeRemapTransform', field: 'a', target: 'java.lang.String' }
    assert.throws(() => rasterSteps([overview, remap]), {
      message: /Transformation 2 \(AttributeRemapTransform\): .*acts on vector data/,
    })
  })

  it('is refused over features', () => {
    assert.throws(() => foldChain({ attributes: [], geometry: undefined }, [warp()]), {
      message: /Transformation 1 \(RasterWarpTransform\): .*acts on raster data/,
    })
  })

  it('warps into a COG by a run of gdalwarp and one of gdal_translate', () => {
    const steps = rasterSteps([warp('-of', 'COG', '-t_srs', 'EPSG:3857', '-co', 'COMPRESS=LZW')])
    assert.deepEqual(
      steps.map(({ spec }) => spec),
      [warp('-t_srs', 'EPSG:3857'), translate('-of', 'COG', '-co', 'COMPRESS=LZW')],
    )
  })
})

describe('the place of a raster behind a chain', () => {
  const srsOf = (start: RasterPlacement, ...specs: { type: string }[]) => placeRaster(start, specs).srs

  it('has the CRS that translate assigns, or that warp is told of the source', () => {
    assert.equal(srsOf(bare, translate('-a_srs', 'EPSG:4326')), 'EPSG:4326')
    assert.equal(srsOf(bare, warp('-s_srs', 'EPSG:4326')), 'EPSG:4326')
    assert.equal(srsOf(bare, warp('-s_srs', 'EPSG:4326', '-t_srs', 'EPSG:3857'), overview), 'EPSG:3857')
  })

  it('has no CRS where warp is only told where to go, unless control points take it there', () => {
    assert.equal(srsOf(bare, warp('-t_srs', 'EPSG:3857')), undefined)
    assert.equal(srsOf(withPoints, warp('-t_srs', 'EPSG:3857')), 'EPSG:3857')
    assert.equal(
      srsOf(
        bare,
        translate('-gcp', '0', '0', '1', '2', '-gcp', '9', '0', '3', '2', '-gcp', '0', '9', '1', '0'),
        warp('-t_srs', 'EPSG:4326'),
      ),
      'EPSG:4326',
    )
    assert.equal(srsOf(withPoints, translate('-nogcp'), warp('-t_srs', 'EPSG:3857')), undefined)
  })

  it('has an extent where there was one, or control points are warped, or corners are assigned', () => {
    assert.equal(placeRaster(withPoints, [warp('-t_srs', 'EPSG:3857')]).hasExtent, true)
    assert.equal(placeRaster(withPoints, [translate('-b', '1')]).hasExtent, false)
    assert.equal(placeRaster(withPoints, [translate('-a_ullr', '0', '1', '1', '0')]).hasExtent, true)
    assert.equal(placeRaster(bare, [translate('-gcp', '0', '0', '1', '2')]).hasExtent, false)
  })
})

describe('a CRS in an option', () => {
  it('is given to the program by its code, or in its own words where they are safe', () => {
    assert.equal(toProgramCrs(' epsg:3857 '), 'EPSG:3857')
    assert.equal(toProgramCrs('NAD27'), 'EPSG:4267')
    const mercator = findCrs('EPSG:3857')?.wkt ?? ''
    assert.match(mercator, /EXTENSION.*nadgrids/)
    assert.equal(toProgramCrs(mercator), 'EPSG:3857')
    assert.equal(toProgramCrs('+proj=longlat +datum=WGS84'), '+proj=longlat +datum=WGS84')
  })

  it('has the code of its words where they match one', () => {
    assert.equal(authorityCode('+proj=longlat +datum=WGS84 +no_defs'), 'EPSG:4326')
    assert.equal(authorityCode('EPSG:3857'), 'EPSG:3857')
    assert.equal(authorityCode('+proj=laea +lat_0=1.5 +lon_0=2.5 +ellps=GRS80'), undefined)
  })
})
